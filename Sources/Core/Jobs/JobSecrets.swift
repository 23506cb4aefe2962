import HTTP
import Model
import SourceKit
import YAML

/// What a job file has that must not be shown: values in `headers`, options that the source declares secret, the user
/// information of URLs, and variables that `secrets` names.
struct JobSecrets {
    /// All of them, with the other variables of the job file as ordinary ones.
    let values: Secrets
    /// Names of the headers that have a `${NAME}` or a value that `secrets` names.
    let privateHeaders: Set<String>
    /// Values that the job file has as they are.
    private let literals: [Node]

    /// - Parameters:
    ///   - written: the document with its flags, before variables are put in.
    ///   - root: the same with variables.
    ///   - secretOptions: dotted paths below `source` of values that the source declares secret.
    ///   - declared: the names in `secrets`.
    ///   - variables: all that the document uses.
    init(
        _ written: Node, _ root: Node, secretOptions: [String], declared: [String], _ variables: [Variable],
        environment: [String: String]
    ) {
        var collector = Collector(environment: environment)
        for name in declared { collector.add(name, environment[name] ?? "") }
        for option in secretOptions {
            let path = ["source"] + option.split(separator: ".").map(String.init)
            func value(in node: Node) -> Node? { path.reduce(Optional(node)) { $0?[$1] } }
            collector.add(value(in: written), value(in: root), named: "source.\(option)")
        }
        collector.add(written["notify"]?["heartbeat"], root["notify"]?["heartbeat"], named: "notify.heartbeat")
        collector.addHeaders(written["transfer"]?["headers"], root["transfer"]?["headers"])
        collector.addUserinfo(written, root)
        if root["transfer"]?["proxy"] == nil {
            for (name, value) in environment where name.lowercased().hasSuffix("_proxy") {
                collector.addUserinfo(of: value)
            }
        }
        if let proxy = written["transfer"]?["proxy"], proxy.scalar?.text.contains("@") == true {
            collector.literals.append(proxy)
        }
        collector.addFaultyNames(written["secrets"])
        values = Secrets(collector.values, ordinary: variables.map { ($0.name, $0.value) })
        literals = collector.literals
        privateHeaders = collector.privateHeaders
    }

    /// Whether the line that a diagnostic shows holds a secret.
    func isOnLine(of diagnostic: Diagnostic) -> Bool {
        literals.contains { diagnostic.source === $0.source && diagnostic.mark?.line == $0.mark.line }
    }

    // MARK: Before the document is understood

    /// Dotted paths of values that no message repeats, whatever is wrong with them.
    static func places(_ registry: SourceRegistry) -> [String] {
        ["secrets", "transfer.headers", "transfer.proxy", "notify.heartbeat"]
            + registry.modules.flatMap { $0.secretOptions.map { "source.\($0)" } }
    }

    /// Takes its line from a fault of what is no YAML, where words on the line tell of a secret.
    static func withoutSuspects(_ registry: SourceRegistry) -> (Diagnostic) -> Diagnostic {
        let words =
            ["authorization", "cookie", "headers", "proxy", "secret", "token", "password", "heartbeat"]
            + registry.modules.flatMap(\.secretOptions)
        return { diagnostic in
            guard let line = diagnostic.line?.lowercased() else { return diagnostic }
            let isSuspect = words.contains { line.contains($0.lowercased()) } || Secrets.userinfo(of: line) != nil
            return isSuspect ? diagnostic.withoutSnippet() : diagnostic
        }
    }
}

/// Finds the secrets of a document.
private struct Collector {
    let environment: [String: String]
    var values: [(name: String, value: String)] = []
    var literals: [Node] = []
    var privateHeaders: Set<String> = []

    init(environment: [String: String]) {
        self.environment = environment
    }

    /// Shorter values are no secrets unless `secrets` names them: they would be found in any text.
    private static let shortest = 4

    mutating func add(_ name: String, _ value: String) {
        values.append((name, value))
    }

    /// A value that is secret in whole: its variables, or the value itself under the name of its key.
    mutating func add(_ written: Node?, _ node: Node?, named name: String) {
        guard let written else { return }
        let variables = variables(in: written)
        for variable in variables where variable.value.utf8.count >= Self.shortest {
            add(variable.name, variable.value)
        }
        guard variables.isEmpty else { return }
        literals += Self.scalars(in: written)
        guard let text = node?.scalar?.text, !values.contains(where: { $0.value == text }) else { return }
        if text.utf8.count >= Self.shortest { add(name, text) }
    }

    mutating func addHeaders(_ written: Node?, _ root: Node?) {
        if let written, written.scalar != nil { literals.append(written) }
        let declared = Secrets(values)
        for name in written?.keys ?? [] {
            guard let value = written?[name] else { continue }
            let text = root?[name]?.scalar?.text ?? ""
            let used = variables(in: value)
            if !used.isEmpty || declared.occur(in: text) { privateHeaders.insert(name) }
            let label = "transfer.headers.\(name)"
            if HeaderRules.isSecret(name) {
                add(value, root?[name], named: label)
            } else {
                for variable in used where variable.value.utf8.count >= Self.shortest {
                    add(variable.name, variable.value)
                }
            }
            guard HeaderRules.isCredential(name) else { continue }
            // Behind the scheme (RFC 9110, 11.4), and between a cookie's signs (RFC 6265, 4.2.1).
            let parts = text.split(separator: " ").dropFirst() + text.split { ";= ".contains($0) }.dropFirst()
            for part in parts where part.utf8.count >= 8 { add(label, String(part)) }
        }
    }

    /// An entry of `secrets` that is not a name; it may be the value.
    mutating func addFaultyNames(_ secrets: Node?) {
        guard let secrets else { return }
        if case .sequence(let elements) = secrets.content {
            literals += elements.filter { !SecretName.isName($0.scalar?.text ?? "") }
        } else {
            literals.append(secrets)
        }
    }

    /// User information of URLs, wherever in the document they are.
    mutating func addUserinfo(_ written: Node, _ root: Node) {
        switch (written.content, root.content) {
        case (.scalar(let before), .scalar(let after)):
            guard Secrets.userinfo(of: after.text) != nil else { return }
            if let userinfo = Secrets.userinfo(of: before.text) {
                for (name, value) in environment
                where userinfo.contains("${\(name)}") && value.utf8.count >= Self.shortest {
                    add(name, value)
                }
            }
            if before.text == after.text { literals.append(written) }
            addUserinfo(of: after.text)
        case (.sequence(let before), .sequence(let after)):
            for (before, after) in zip(before, after) { addUserinfo(before, after) }
        case (.mapping(let before), .mapping(let after)):
            for (before, after) in zip(before, after) { addUserinfo(before.value, after.value) }
        default: break
        }
    }

    /// The password of a URL, or the user if it is alone; both as written and decoded.
    mutating func addUserinfo(of url: String) {
        // A proxy may be given without a scheme.
        guard let userinfo = Secrets.userinfo(of: url.contains("://") ? url : "http://\(url)") else { return }
        let colon = userinfo.firstIndex(of: ":")
        let secret = colon.map { userinfo[userinfo.index(after: $0)...] } ?? userinfo[...]
        // A short one is hidden in URLs alone: as a word of its own it would be found in any text.
        guard secret.utf8.count >= (colon == nil ? 8 : Self.shortest) else { return }
        for value in [userinfo, String(secret), decoded(secret)] where !values.contains(where: { $0.value == value }) {
            add("userinfo", value)
        }
    }

    private static func scalars(in node: Node) -> [Node] {
        switch node.content {
        case .scalar: [node]
        case .sequence(let elements): elements.flatMap(scalars)
        case .mapping(let entries): entries.flatMap { scalars(in: $0.value) }
        case .faulty: []
        }
    }

    private func decoded(_ text: Substring) -> String {
        (try? WebURL("http://host/\(text)"))?.lastPathSegment ?? String(text)
    }

    private func variables(in node: Node) -> [Variable] {
        var used: [Variable] = []
        var faults: [Diagnostic] = []
        _ = expandVariables(in: node, environment: environment, used: &used, diagnostics: &faults)
        return used
    }
}
