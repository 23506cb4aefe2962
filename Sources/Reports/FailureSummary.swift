internal import Catalog
package import SQLite

/// Failures of a run that have a reason in common, with what to do about them, for programs.
package struct FailureSummary: Sendable {
    package struct Host: Sendable {
        /// Of the items' URLs; empty where they have none.
        package let name: String
        package let count: Int
    }

    package struct Item: Sendable {
        package let id: Int64
        package let key: String
        package let title: String
        package let detail: String?
    }

    /// `transfer.failure`.
    package let failure: String
    /// `transfer.status` where it is the reason.
    package let status: Int64?
    /// Whether an earlier run met them, and this one did not ask again.
    package let isKnown: Bool
    /// A sentence or two; empty for a word of a newer program.
    package let advice: String
    package let count: Int
    /// Those with the most failures.
    package let hosts: [Host]
    /// The first ones of the list.
    package let items: [Item]

    private static let mostHosts = 5

    /// The failures of a run; what is new first, then the most frequent.
    ///
    /// - Parameter limit: so many items of each reason.
    package static func all(ofRun run: Int64, items limit: Int, from catalog: Connection) throws -> [FailureSummary] {
        try FailureGroups(ofRun: run, from: catalog).groups.map { group in
            var items: [Item] = []
            let ids = Array(group.hosts.lazy.flatMap(\.ids).prefix(limit))
            try TransferFacts.forEach(ids, ofRun: run, from: catalog) { facts in
                items.append(Item(id: facts.item, key: facts.key, title: facts.title, detail: facts.detail))
            }
            return FailureSummary(
                failure: group.word, status: group.status, isKnown: group.known != nil,
                advice: group.known.map { "Known\($0.attempts); --failed retries at once." }
                    ?? failureAdvice(word: group.word, status: group.status),
                count: group.count,
                hosts: group.hosts.prefix(mostHosts).map { Host(name: $0.name, count: $0.ids.count) }, items: items)
        }
    }
}
