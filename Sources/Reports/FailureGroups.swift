import Catalog
internal import Model
internal import SQLite

/// The failures of a run that have a reason in common, and within each those of one host; the most frequent first.
struct FailureGroups {
    struct Group {
        /// `transfer.failure`.
        let word: String
        /// `transfer.status` where it is the reason, of `http`.
        let status: Int64?
        /// Of failures that an earlier run met, and that were not asked again: when they are.
        fileprivate(set) var known: KnownFailures?
        fileprivate(set) var hosts: [Host] = []

        /// `http 404`.
        var reason: String {
            displayable(word) + (status.map { " \($0)" } ?? "")
        }

        var count: Int { hosts.reduce(0) { $0 + $1.ids.count } }
    }

    struct Host {
        /// Of the items' URLs; empty where they have none.
        let name: String
        /// The items in the order of the list: eight bytes each, whatever there is to say of them.
        fileprivate(set) var ids: [Int64] = []
    }

    let groups: [Group]

    /// How many failures they are.
    let count: Int

    init(of run: RunReport, from connection: Connection) throws {
        try self.init(ofRun: run.id, from: connection)
    }

    init(ofRun run: Int64, from connection: Connection) throws {
        struct Reason: Hashable {
            let word: String
            let status: Int64?
            let isKnown: Bool
        }
        var found: [Reason: [String: [Int64]]] = [:]
        var knownFailures: [Reason: KnownFailures] = [:]
        try FailedTransfer.forEach(ofRun: run, from: connection) { failure in
            let word = failure.word ?? "unknown"
            let known = KnownFailure(detail: failure.detail)
            // Rows of earlier versions have no status there.
            let status = word == "http" ? failure.status : nil
            let reason = Reason(word: word, status: status, isKnown: known != nil)
            if let known { knownFailures[reason, default: KnownFailures()].add(known) }
            found[reason, default: [:]][hostText(failure.url), default: []].append(failure.item)
        }
        let groups = found.map { reason, hosts in
            let hosts = hosts.map { Host(name: $0.key, ids: $0.value) }
                .sorted { ($1.ids.count, $0.name) < ($0.ids.count, $1.name) }
            return Group(word: reason.word, status: reason.status, known: knownFailures[reason], hosts: hosts)
        }
        // What is new comes before what is known.
        self.groups = groups.sorted {
            let (isKnown, isOtherKnown) = ($0.known != nil, $1.known != nil)
            return isKnown == isOtherKnown ? ($1.count, $0.reason) < ($0.count, $1.reason) : isOtherKnown
        }
        count = groups.reduce(0) { $0 + $1.count }
    }
}

/// The host of a URL as it is written, without user, password and port; empty where there is none.
package func hostText(_ url: String) -> String {
    guard let scheme = url.firstPlace(of: "://") else { return "" }
    var authority = url[scheme...].dropFirst(3).prefix { !"/?#\\".contains($0) }
    if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
    // An address of IPv6 has its colons in brackets.
    let end = authority.lastIndex(of: "]") ?? authority.startIndex
    return String(authority[..<(authority[end...].lastIndex(of: ":") ?? authority.endIndex)])
}
