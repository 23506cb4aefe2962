import CSandbox
import Glibc

/// The powers that this process gives up before it sees a byte of a file.
enum Sandbox {
    /// Private memory of the process. With the libraries' pages, which are shared, it stays below 512 MiB.
    private static let memory: UInt64 = 400 << 20
    /// Files exist here only in memory: ZIP files inside ZIP files.
    private static let fileSize: UInt64 = 64 << 20
    private static let openFiles: UInt64 = 64

    /// What can still be opened, to read: fonts, the tables of characters of PDFs, and the libraries that decoders load
    /// when they are first used.
    private static let readable = [
        "/etc/fonts", "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig", "/var/cache/fontconfig",
        "/usr/share/poppler", "/usr/lib", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache",
    ]

    /// Enters the sandbox, which has no way out. To be called while the process has one thread: Landlock binds the calling
    /// thread and those that it starts.
    ///
    /// - Throws: ``Refusal`` when the kernel has no such sandbox.
    static func enter() throws(Refusal) {
        csandbox_one_arena()
        // Downloads come first. Without the niceness it works all the same.
        _ = nice(10)
        try check(csandbox_close_from(3), "close inherited files")
        try check(csandbox_no_new_privileges(), "renounce privileges")
        try check(csandbox_not_dumpable(), "renounce core dumps")
        try check(csandbox_limit_core(), "limit core dumps")
        // The shadow memory of a sanitizer counts, too, and is as large as the address space.
        #if !SANITIZED
            try check(csandbox_limit_memory(memory), "limit memory")
        #endif
        try check(csandbox_limit_file_size(fileSize), "limit the size of files")
        try check(csandbox_limit_open_files(openFiles), "limit open files")
        let ruleset = csandbox_landlock_ruleset()
        try check(ruleset, "use Landlock, which Linux has since 5.13 unless it is turned off,")
        for path in readable { try check(csandbox_landlock_allow_reading(ruleset, path), "allow \(path) to be read") }
        try check(csandbox_landlock_restrict(ruleset), "enter Landlock")
        close(ruleset)
        try check(csandbox_filter_system_calls(), "filter system calls")
    }

    private static func check(_ result: Int32, _ action: String) throws(Refusal) {
        guard result < 0 else { return }
        throw Refusal(reason: "the system does not let it \(action): \(String(cString: strerror(errno)))")
    }

    /// Something the system refused.
    struct Refusal: Error {
        let reason: String
    }

    /// Ends the process by SIGXCPU when it has used so many seconds of the processor more.
    static func limitProcessorTime(to seconds: Int) {
        _ = csandbox_limit_cpu(csandbox_used_cpu() + UInt64(seconds))
    }
}
