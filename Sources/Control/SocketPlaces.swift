import Glibc
import Server

/// Where the control sockets of runs are.
package enum SocketPlaces {
    /// The name of a run's socket in its folder.
    static func name(ofRun run: Int64) -> String { "\(run).sock" }

    /// The folders in which a run with this catalog may have its socket, the first choice first: `$RUNTIME_DIRECTORY`
    /// (systemd gives a unit's own), `$XDG_RUNTIME_DIR/runner`, and one beside the catalog.
    package static func folders(environment: [String: String], database: String) -> [String] {
        func absolute(_ name: String) -> String? {
            // systemd separates several directories with colons; the first is the unit's main one.
            environment[name]?.split(separator: ":").first.map(String.init).flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let own = absolute("RUNTIME_DIRECTORY").map { [$0] } ?? []
        let users = absolute("XDG_RUNTIME_DIR").map { ["\($0)/runner"] } ?? []
        return own + users + ["\(database).control"]
    }

    /// Removes what runs that were killed have left in these folders. A socket at which somebody listens stays.
    package static func removeDead(in folders: [String]) {
        for path in folders {
            guard let folder = try? SocketFolder(path, creating: false) else { continue }
            for name in folder.names where isName(name) { _ = folder.removeIfDead(name) }
        }
    }

    /// Whether a file may be a run's socket: others are none of our business.
    private static func isName(_ name: String) -> Bool {
        name.hasSuffix(".sock") && Int64(name.dropLast(5)).map { $0 > 0 && Self.name(ofRun: $0) == name } == true
    }
}

extension SocketPlaces {
    /// The environment of another process of this user's; empty where it may not be read. A run that systemd or cron
    /// started has other folders than a shell.
    static func environment(of processID: Int64) -> [String: String] {
        guard let file = fopen("/proc/\(processID)/environ", "re") else { return [:] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        var environment: [String: String] = [:]
        for entry in bytes.prefix(count).split(separator: 0) {
            let text = String(decoding: entry, as: UTF8.self)
            guard let sign = text.firstIndex(of: "=") else { continue }
            environment[String(text[..<sign])] = String(text[text.index(after: sign)...])
        }
        return environment.filter { ["RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"].contains($0.key) }
    }
}
