import JSON

/// What a script is asked, as the line that it is sent.
enum ScriptCall {
    case spec
    case check(JSONValue)
    /// With the most items that are wanted, if there is a number.
    case list(JSONValue, memory: JSONValue?, limit: Int? = nil)
    /// One that no script knows.
    case unknown

    var line: [UInt8] {
        var members: [String: JSONValue] = ["runner": .integer(Int64(ScriptSpec.protocolVersion))]
        switch self {
        case .spec: members["request"] = .text("spec")
        case .check(let options):
            members["request"] = .text("check")
            members["options"] = options
        case .list(let options, let memory, let limit):
            members["request"] = .text("list")
            members["options"] = options
            members["memory"] = memory ?? .null
            members["limit"] = limit.map { .integer(Int64($0)) } ?? .null
            members["collections"] = .null
        case .unknown: members["request"] = .text("no-such-request")
        }
        return JSONValue.object(members).line
    }
}
