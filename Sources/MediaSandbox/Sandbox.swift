internal import CSandbox
internal import Glibc

/// The privileges that a process drops before it reads a byte of an untrusted file.
package enum Sandbox {
    /// Private memory of the process. With the libraries' pages, which are shared, it stays below 512 MiB.
    private static let memory: UInt64 = 400 << 20
    /// With libraries, 200 MiB as a rule, and the fonts and tables that are mapped.
    private static let addressSpace: UInt64 = 1 << 30
    /// Files exist here only in memory: ZIP files inside ZIP files.
    private static let fileSize: UInt64 = 64 << 20
    private static let openFiles: UInt64 = 64

    /// What can still be opened, to read: fonts, the tables of characters of PDFs, and the libraries that decoders load
    /// when they are first used.
    package static let readable = [
        "/etc/fonts", "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig", "/var/cache/fontconfig",
        "/usr/share/poppler", "/usr/lib", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache",
    ]

    /// Enters the sandbox, which has no way out. To be called while the process has one thread: Landlock binds the calling
    /// thread and those that it starts.
    ///
    /// - Parameters:
    ///   - readable: what can still be opened, and what is below it.
    ///   - newestLandlock: the latest version of Landlock to use, of those that the kernel has.
    /// - Returns: a file in memory, to read and to write. There will be no other: no limit counts what is in them.
    /// - Throws: ``Refusal`` when the kernel has no such sandbox.
    package static func enter(
        readable: [String] = readable, newestLandlock: Int = .max
    ) throws(Refusal) -> Int32 {
        csandbox_one_arena()
        // Downloads come first. Without the niceness it works all the same.
        _ = nice(10)
        try check(csandbox_close_from(3), "close inherited files")
        try check(csandbox_no_new_privileges(), "renounce privileges")
        try check(csandbox_not_dumpable(), "renounce core dumps")
        try check(csandbox_no_capabilities(), "renounce capabilities")
        try check(csandbox_limit_core(), "limit core dumps")
        // The shadow memory of a sanitizer counts, too, and is as large as the address space.
        #if !SANITIZED
            try check(csandbox_limit_memory(memory), "limit memory")
            try check(csandbox_limit_address_space(addressSpace), "limit the address space")
        #endif
        try check(csandbox_limit_file_size(fileSize), "limit the size of files")
        try check(csandbox_limit_open_files(openFiles), "limit open files")
        let file = csandbox_memory_file("scratch")
        try check(file, "have a file in memory")
        try restrictFiles(readable: readable, newestLandlock: newestLandlock)
        try check(csandbox_filter_system_calls(), "filter system calls")
        return file
    }

    /// The part of ``enter(readable:newestLandlock:)`` that Landlock does: no path can be opened but to read what is
    /// `readable`, and no signal leaves the process where the kernel can keep it in (version 6).
    package static func restrictFiles(readable: [String], newestLandlock: Int) throws(Refusal) {
        // Without it Landlock is for those who are privileged.
        try check(csandbox_no_new_privileges(), "renounce privileges")
        let ruleset = csandbox_landlock_ruleset(Int32(clamping: newestLandlock))
        try check(ruleset, "use Landlock, which Linux has since 5.13 unless it is turned off,")
        for path in readable { try check(csandbox_landlock_allow_reading(ruleset, path), "allow \(path) to be read") }
        try check(csandbox_landlock_restrict(ruleset), "enter Landlock")
        close(ruleset)
    }

    private static func check(_ result: Int32, _ action: String) throws(Refusal) {
        guard result < 0 else { return }
        throw Refusal(reason: "the system does not let it \(action): \(String(cString: strerror(errno)))")
    }

    /// Something the system refused.
    package struct Refusal: Error {
        /// For people.
        package let reason: String
    }

    /// Ends the process by SIGXCPU when it has used so many seconds of the processor more.
    package static func limitProcessorTime(to seconds: Int) {
        _ = csandbox_limit_cpu(csandbox_used_cpu() + UInt64(seconds))
    }
}
