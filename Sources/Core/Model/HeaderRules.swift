import HTTP
package import YAML

/// Which header fields a job file may set, and which of them are credentials.
package enum HeaderRules {
    /// Fields that the transfer itself sets; a second value would contradict it.
    private static let reserved: Set<String> = [
        "accept-encoding", "connection", "content-length", "expect", "host", "if-match", "if-modified-since",
        "if-none-match", "if-range", "if-unmodified-since", "range", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Fields that may go only to hosts that the job file names.
    package static func isCredential(_ name: String) -> Bool {
        ["authorization", "cookie", "proxy-authorization"].contains(name.lowercased())
    }

    /// Fields that say what is wanted and never who asks: their values are nobody's secret.
    private static let ordinary: Set<String> = [
        "accept", "accept-charset", "accept-language", "cache-control", "dnt", "origin", "pragma", "prefer", "priority",
        "save-data", "upgrade-insecure-requests", "x-requested-with",
    ]

    /// Whether the value of a field that the job file sets is shown nowhere.
    package static func isSecret(_ name: String) -> Bool {
        !ordinary.contains(name.lowercased())
    }

    package static func isReserved(_ name: String) -> Bool {
        reserved.contains(name.lowercased())
    }

    package static func isValue(_ value: String) -> Bool {
        HTTPHeader("X", value).isValid
    }

    /// What is wrong with the fields that a list gives to an item, in words that follow its name; nil where all can be
    /// sent.
    package static func complaint(ofListed fields: [String: String]) -> String? {
        fields.keys.sorted().first { !HTTPHeader($0, fields[$0] ?? "").isValid }
            .map { "its header '\($0.shownInMessage(limit: 60))' can't be sent" }
    }

    @Sendable package static func complaint(about map: OrderedMap<String>) -> String? {
        for entry in map.entries {
            if isReserved(entry.key) { return "can't set \(entry.key), which every request has its own of" }
            if entry.key.lowercased() == "user-agent" { return "can't set User-Agent; use user_agent" }
            if !HTTPHeader(entry.key, entry.value).isValid { return "has a field that is not valid: '\(entry.key)'" }
        }
        return nil
    }
}
