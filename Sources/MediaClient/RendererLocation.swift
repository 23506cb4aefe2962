internal import Glibc

/// Where the renderer is installed.
package enum RendererLocation {
    package static let name = "runner-media"

    /// The program's path: `$RUNNER_MEDIA`, else beside this program, else in `libexec/runner` of the prefix that it is
    /// installed below. Nil where there is none.
    package static func find(environment: [String: String]) -> String? {
        if let path = environment["RUNNER_MEDIA"], !path.isEmpty { return isProgram(path) ? path : nil }
        guard let folder = ownFolder else { return nil }
        return ["\(folder)/\(name)", "\(folder)/../libexec/runner/\(name)"].first(where: isProgram)
    }

    private static func isProgram(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    private static var ownFolder: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        guard length > 0 else { return nil }
        let path = String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) }
    }
}
