internal import Core
internal import JSON
internal import SQLite
internal import Server
internal import YAML

/// A request that passed the guards, with the variable part of its path, on its way to an endpoint.
struct Call: Sendable {
    let request: Request
    /// What stands for `*` in the table of paths.
    let variable: String
    let responder: Responder

    /// The variable as the id of a row.
    func id() throws(Problem) -> Int64 {
        guard let id = Int64(variable), id > 0, String(id) == variable else {
            throw Problem(404, "Not found", "'\(variable.prefix(50))' is no id")
        }
        return id
    }

    // MARK: - Parameters

    func text(_ name: String) -> String? {
        request.query[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    func integer(_ name: String, _ standard: Int, in range: ClosedRange<Int>) throws(Problem) -> Int {
        guard let text = text(name) else { return standard }
        guard let number = Int(text), range.contains(number) else {
            throw Problem(
                400, "Bad parameter", "\(name) has to be a number from \(range.lowerBound) to \(range.upperBound)",
                field: name)
        }
        return number
    }

    func limit(_ standard: Int = 200) throws(Problem) -> Int { try integer("limit", standard, in: 1...1_000) }

    func cursor() throws(Problem) -> PageCursor? {
        guard let text = text("after") else { return nil }
        guard let cursor = PageCursor(text) else {
            throw Problem(400, "Bad parameter", "after has to be what next said before", field: "after")
        }
        return cursor
    }

    /// Refuses parameters that the endpoint does not have.
    func allow(_ names: String...) throws(Problem) {
        for (name, _) in request.query.parameters where !names.contains(name) {
            let hint = closestMatch(to: name, in: names).map { "; did you mean '\($0)'?" } ?? ""
            throw Problem(400, "Unknown parameter", "there is no parameter '\(name.prefix(50))'\(hint)", field: name)
        }
    }

    // MARK: - Body

    /// The object that the body is; empty where there is no body.
    func body(_ names: String...) throws(Problem) -> Body {
        guard !request.body.isEmpty else { return Body(members: [:]) }
        let members = try object()
        for name in members.keys.sorted() where !names.contains(name) {
            let hint = closestMatch(to: name, in: names).map { "; did you mean '\($0)'?" } ?? ""
            throw Problem(400, "Unknown key", "there is no key '\(name.prefix(50))'\(hint)", field: name)
        }
        return Body(members: members)
    }

    /// The members of the body.
    func object() throws(Problem) -> [String: JSONValue] {
        let type = request.headers["content-type"]?.split(separator: ";").first?.filter { $0 != " " }.lowercased()
        guard type == "application/json" else {
            throw Problem(415, "Not JSON", "send the body with Content-Type: application/json")
        }
        guard case .object(let members)? = JSONValue(parsing: request.body) else {
            throw Problem(400, "Bad body", "it has to be one JSON object")
        }
        return members
    }

    struct Body: Sendable {
        let members: [String: JSONValue]

        private func member(_ name: String) -> JSONValue? {
            members[name] == .null ? nil : members[name]
        }

        func integer(_ name: String) throws(Problem) -> Int64? {
            guard let value = member(name) else { return nil }
            guard case .integer(let number) = value else { throw bad(name, "a whole number") }
            return number
        }

        func id(_ name: String) throws(Problem) -> Int64 {
            guard let id = try integer(name) else { throw missing(name) }
            return id
        }

        func ids(_ name: String, atMost limit: Int) throws(Problem) -> [Int64] {
            guard let value = member(name) else { throw missing(name) }
            guard case .list(let values) = value else { throw bad(name, "a list of ids") }
            guard values.count <= limit else { throw bad(name, "a list of at most \(limit)") }
            var ids: [Int64] = []
            for value in values {
                guard case .integer(let id) = value else { throw bad(name, "a list of ids") }
                ids.append(id)
            }
            return ids
        }

        func flag(_ name: String) throws(Problem) -> Bool {
            guard let value = member(name) else { return false }
            guard case .flag(let flag) = value else { throw bad(name, "true or false") }
            return flag
        }

        func text(_ name: String, atMost limit: Int) throws(Problem) -> String? {
            guard let value = member(name) else { return nil }
            guard case .text(let text) = value else { throw bad(name, "text") }
            guard text.utf8.count <= limit,
                !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
            else { throw bad(name, "text of at most \(limit) bytes, without control characters") }
            return text
        }

        func texts(_ name: String, atMost limit: Int) throws(Problem) -> [String] {
            guard let value = member(name) else { return [] }
            guard case .list(let values) = value, values.count <= limit else {
                throw bad(name, "a list of at most \(limit) texts")
            }
            var texts: [String] = []
            for value in values {
                guard case .text(let text) = value, text.utf8.count <= 4_096, !text.utf8.contains(0) else {
                    throw bad(name, "a list of texts")
                }
                texts.append(text)
            }
            return texts
        }

        func number(_ name: String, in range: ClosedRange<Double>) throws(Problem) -> Double? {
            let number: Double
            switch member(name) {
            case nil: return nil
            case .integer(let value): number = Double(value)
            case .number(let value): number = value
            default: throw bad(name, "a number")
            }
            guard range.contains(number) else {
                throw bad(name, "a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }

        func missing(_ name: String) -> Problem { Problem(400, "Missing key", "\(name) is needed", field: name) }

        private func bad(_ name: String, _ wanted: String) -> Problem {
            Problem(400, "Bad value", "\(name) has to be \(wanted)", field: name)
        }
    }
}
