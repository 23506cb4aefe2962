import Glibc
import Reports
import System

/// A program of an engine.
enum Tool {
    /// Runs it to its end, which blocks.
    ///
    /// - Parameter line: called with each line of what it writes.
    /// - Returns: its exit code, 127 where there is no such program, and all that it wrote.
    static func run(_ words: [String], line: (String) -> Void = { _ in }) -> (status: Int32, output: String) {
        guard let pipe = popen(words.map(shellWord).joined(separator: " ") + " 2>&1", "r") else { return (127, "") }
        var output = ""
        var buffer: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(buffer) }
        while getline(&buffer, &capacity, pipe) >= 0 {
            guard let buffer else { break }
            let text = String(cString: buffer)
            output += text
            line(text)
        }
        let status = pclose(pipe)
        return (status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F), output)
    }
}

/// What the cluster says of itself.
enum Slurm {
    /// The most tasks of an array, `MaxArraySize`; nil where it does not say.
    static func largestArray() -> Int? {
        let lines = Tool.run(["scontrol", "show", "config"]).output.split(separator: "\n")
        let value = lines.first { $0.hasPrefix("MaxArraySize") }?.split(separator: "=").last
        return value.flatMap { Int($0.filter(\.isNumber)) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Whether a task of an array waits or runs.
    static func isQueued(_ id: String) -> Bool {
        let queue = Tool.run(["squeue", "-h", "-j", id, "-o", "%T"])
        return queue.status == 0 && queue.output.contains { !$0.isWhitespace }
    }
}
