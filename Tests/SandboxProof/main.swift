import Glibc
import MediaSandbox
import SandboxAttempts

// Enters the sandbox of runner-media and tries what it forbids; what is refused and what is not goes to standard output.
//
//     sandbox-proof sandbox|landlock PID FILE FOLDER VERSION
//
// PID is another process of the user, FILE and FOLDER can be read in the sandbox, VERSION is the latest version of Landlock
// to use. `landlock` tries what Landlock alone does of signals.

let words = CommandLine.arguments
guard words.count == 6, let process = Int32(words[2]), let version = Int(words[5]) else { exit(64) }

do throws(Sandbox.Refusal) {
    switch words[1] {
    case "sandbox":
        let scratch = try Sandbox.enter(readable: Sandbox.readable + [words[4]], newestLandlock: version)
        sandbox_try_all(process, words[3], words[4], scratch)
    case "landlock":
        try Sandbox.restrictFiles(readable: ["/"], newestLandlock: version)
        sandbox_try_signal(process)
    default:
        // Nothing is forbidden.
        sandbox_try_signal(process)
    }
} catch {
    print(error.reason)
    exit(1)
}

// Without what is done at exit: there a sanitizer looks for leaks, by means that the sandbox refuses.
_exit(0)
