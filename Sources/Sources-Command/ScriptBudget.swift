import System
import YAML

/// `budget`: so many requests of scripts to one host in a time, over all runs with the catalog.
struct ScriptBudget: Hashable, Sendable {
    let requests: Int
    /// Microseconds.
    let period: Int64

    /// Reads `3600/h`.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = wholeNumber(parts[0]), (1...1_000_000_000).contains(count) else {
            return nil
        }
        switch parts[1] {
        case "s": period = 1_000_000
        case "m", "min": period = 60_000_000
        case "h": period = 3_600_000_000
        case "d": period = 86_400_000_000
        default: return nil
        }
        requests = Int(count)
    }
}

extension ScriptBudget: YAMLDecodable {
    static var yamlType: String { "rate" }

    static func decode(_ node: Node, _ context: inout DecodingContext) -> ScriptBudget? {
        guard let budget = node.scalar.flatMap({ ScriptBudget($0.text) }) else {
            context.mismatch(node, wanted: "a number of requests in a time, such as 3600/h or 10000/d")
            return nil
        }
        return budget
    }
}
