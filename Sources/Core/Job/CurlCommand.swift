/// The command line by which curl(1) would ask for an item as a job does.
package enum CurlCommand {
    /// Secrets stand as `${NAME}` where the shell replaces them.
    ///
    /// - Parameter url: as the catalog writes it.
    package static func text(for url: String, of job: Job, runnerVersion: String) -> String {
        let policy = job.transfer
        let secrets = job.trust.secrets
        var words = ["curl", "--location", "--fail", "--remote-name"]
        func add(_ flag: String, _ value: String) { words += [flag, quoted(secrets.hide(value))] }
        add("--user-agent", policy.userAgent ?? "runner/\(runnerVersion)")
        for header in policy.headers { add("--header", "\(header.name): \(header.value)") }
        add("--connect-timeout", seconds(policy.connectTimeout))
        add("--max-time", seconds(policy.totalTimeout))
        add("--speed-limit", "1000")
        add("--speed-time", "\(max(1, policy.stallTimeout.microseconds / 1_000_000))")
        add("--max-filesize", "\(policy.maximumSize.bytes)")
        add("--retry", "\(policy.retries)")
        if let rate = policy.bandwidth { add("--limit-rate", "\(rate.bytesPerSecond)") }
        switch policy.httpVersion {
        case .auto: break
        case .http1: words.append("--http1.1")
        case .http2: words.append("--http2")
        }
        switch policy.proxy {
        case nil: break
        case .some(.none): add("--noproxy", "*")
        case .some(.url(let url)): add("--proxy", url)
        }
        if let file = policy.caFile { add("--cacert", file) }
        for route in policy.connectTo {
            add("--connect-to", "\(route.host):\(route.port):\(route.targetHost):\(route.targetPort)")
        }
        words += ["--", quoted(url)]
        return words.joined(separator: " ")
    }

    private static func seconds(_ span: TimeSpan) -> String {
        let milliseconds = span.microseconds / 1_000
        return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)" : "\(Double(milliseconds) / 1_000)"
    }

    /// A word of a POSIX shell, in which `${NAME}` is replaced, and nothing else is.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "_@%+=:,./-".utf8.contains(byte)
        }
        if isPlain, !text.isEmpty { return text }
        guard text.contains("${") else { return "'" + text.split("'").joined(separator: "'\\''") + "'" }
        var result = "\""
        var rest = text[...]
        while let character = rest.first {
            if rest.hasPrefix("$${") {
                // Literal in stored text.
                result += "\\${"
                rest = rest.dropFirst(3)
            } else if rest.hasPrefix("${$}") {
                result += "\\$"
                rest = rest.dropFirst(4)
            } else {
                if character == "\"" || character == "\\" || character == "`" { result += "\\" }
                if character == "$", !rest.hasPrefix("${") { result += "\\" }
                result.append(character)
                rest = rest.dropFirst()
            }
        }
        return result + "\""
    }
}

extension String {
    fileprivate func split(_ separator: Character) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
