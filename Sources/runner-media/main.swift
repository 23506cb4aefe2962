import Glibc
import MediaProtocol
import MediaSandbox

// Decodes what nobody vouches for, so that a decoder's fault ends this process and not the one that asks.
//
// The program starts it with one end of a pair of sockets as its standard input. It drops its privileges, says so, and
// then makes the pictures of one file after the other until the other end is closed.

/// Ends the process, in words that the program passes on.
func refuse(_ reason: String) -> Never {
    let channel = MediaChannel(socket: STDIN_FILENO, owned: false)
    try? channel.send(.unable(reason: reason))
    exit(1)
}

if CommandLine.arguments.count > 1 || isatty(STDIN_FILENO) != 0 {
    let words = Array("runner-media, libvips \(Vips.version): started by runner, for jobs with media:\n".utf8)
    _ = write(STDERR_FILENO, words, words.count)
    exit(CommandLine.arguments.dropFirst().first == "--version" ? 0 : 64)
}

let scratch: Int32
do throws(Sandbox.Refusal) {
    scratch = try Sandbox.enter()
} catch {
    refuse(error.reason)
}
do throws(RenderFault) {
    try Vips.start()
} catch {
    refuse("libvips can't be started: \(error.detail)")
}

let channel = MediaChannel(socket: STDIN_FILENO, owned: false)
do {
    try channel.send(.ready(version: "libvips \(Vips.version)"))
    while let (request, file) = try channel.receiveRequest() {
        defer { close(file) }
        Sandbox.limitProcessorTime(to: request.cpuSeconds)
        var renderer = Renderer(
            settings: request.settings, scratch: scratch, deliver: { try channel.send($0, $1) },
            complain: { try channel.send(.fault($0)) })
        do {
            try renderer.render(descriptor: file)
        } catch let fault as RenderFault {
            try channel.send(.fault(fault))
        }
        try channel.send(.done)
    }
} catch {
    // The program is gone, or says what it never says.
    exit(1)
}
