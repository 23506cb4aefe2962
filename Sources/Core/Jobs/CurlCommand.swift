import HTTP
import Model

/// The command line by which curl(1) would ask for an item as a job does.
package enum CurlCommand {
    /// Secrets stand as `${NAME}` where the shell replaces them. Header fields go to whom the job would send them.
    ///
    /// - Parameter url: as the catalog writes it.
    package static func text(for url: String, of job: Job, runnerVersion: String) -> String {
        let policy = job.transfer
        let secrets = job.trust.secrets
        let address = secrets.expand(url, userinfo: "").flatMap { try? WebURL($0) }
        let isTrusted = address.map(job.trust.isAuthored) ?? false
        let headers = policy.headers.filter { isTrusted || !$0.isPrivate }
        // curl would send them on to wherever a redirect leads, which a job does not.
        var words = ["curl"] + (headers.isEmpty ? ["--location"] : []) + ["--fail", "--remote-name"]
        func add(_ flag: String, _ value: String) { words += [flag, quoted(secrets.mask(value))] }
        add("--user-agent", policy.userAgent ?? "runner/\(runnerVersion)")
        for header in headers { words += ["--header", quoted("\(header.name): \(secrets.mask(header.value))")] }
        add("--connect-timeout", seconds(policy.connectTimeout))
        add("--max-time", seconds(policy.totalTimeout))
        add("--speed-limit", "1000")
        add("--speed-time", "\(max(1, policy.stallTimeout.microseconds / 1_000_000))")
        add("--max-filesize", "\(policy.maximumSize.bytes)")
        add("--retry", "\(policy.retries)")
        if case let period = policy.bandwidth.period(at: 0), period.next == nil, let rate = period.bytesPerSecond {
            add("--limit-rate", "\(rate)")
        }
        switch policy.httpVersion {
        case .auto: break
        case .http1: words.append("--http1.1")
        case .http2: words.append("--http2")
        }
        switch policy.proxy {
        case nil: break
        case .some(.none): add("--noproxy", "*")
        case .some(.url(let url)): words += ["--proxy", quoted(secrets.mask(url: url))]
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
            } else if rest.hasPrefix("${"), let end = rest.firstIndex(of: "}") {
                // A value that is in the job file itself has a name that is none in a shell: `source.api_key`.
                let name = rest[..<end].dropFirst(2).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
                let isExact = !rest[..<end].hasSuffix("%") && !rest[..<end].hasSuffix("?")
                result += "${\(String(isExact ? name : name.dropLast()))}"
                rest = rest[end...].dropFirst()
            } else {
                if character == "\"" || character == "\\" || character == "`" { result += "\\" }
                if character == "$" { result += "\\" }
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
