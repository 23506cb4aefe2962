import Files
package import HTTP
package import Jobs
package import Model

/// Which request fields a reply was chosen by, and what they were: what is stored answers only a request with the same
/// (RFC 9111 section 4.1).
///
/// As text it is the fields' names and the beginning of the SHA-256 of their values, which may be secrets.
package struct RequestVariant: Equatable {
    package let text: String

    /// Of a reply with these Vary fields; nil when nothing that a job can change is among them.
    package init?(vary fields: [String], of work: ItemWork) {
        let names = fields.flatMap { $0.split(separator: ",") }.map {
            $0.filter { $0 != " " && $0 != "\t" }.lowercased()
        }
        self.init(Set(names).subtracting(Self.constant), work.url, work.expectedContent, work.context.job)
    }

    /// The variant that a request now would ask for, by the same fields as a stored one.
    package init?(like stored: String, _ url: WebURL, _ expectedContent: ExpectedContent, _ job: Job) {
        self.init(Set(stored.split(separator: " ").dropLast().map(String.init)), url, expectedContent, job)
    }

    private init?(_ names: Set<String>, _ url: WebURL, _ expectedContent: ExpectedContent, _ job: Job) {
        guard !names.isEmpty else { return nil }
        let isTrusted = job.trust.isAuthored(url)
        var hasher = SHA256()
        for name in names.sorted() {
            // Lengths keep one value's end from being taken for the next one's beginning.
            for value in Self.values(of: name, isTrusted: isTrusted, expectedContent, job) {
                let bytes = Array("\(name) \(value.utf8.count) \(value)\n".utf8)
                bytes.withUnsafeBytes { hasher.update($0) }
            }
        }
        text = (names.sorted() + [String(hasher.finalize().hex.prefix(16))]).joined(separator: " ")
    }

    private static func values(of name: String, isTrusted: Bool, _ expectedContent: ExpectedContent, _ job: Job)
        -> [String]
    {
        if name == "user-agent" { return [job.transfer.userAgent ?? ""] }
        let own = job.transfer.headers.filter { isTrusted || !$0.isPrivate }.map { ($0.name, $0.value) }
        let listed = expectedContent.fields(isTrusted: isTrusted, beside: job).filter { $0.hasName(name) }.map(\.value)
        return listed.isEmpty ? own.filter { $0.0.lowercased() == name }.map(\.1) : listed
    }

    /// What every request has the same of, or never has.
    private static let constant: Set<String> = ["accept-encoding", "origin", "host", "connection", ""]
}

extension ExpectedContent {
    /// The header fields that the list wants sent, as far as they may be, one of a name.
    ///
    /// They take the place of the job's of the same names, but not of private ones: a list does not change who asks.
    ///
    /// - Parameter isTrusted: whether the job file names the place that the request goes to.
    func fields(isTrusted: Bool, beside job: Job) -> [HTTPHeader] {
        var fields: [HTTPHeader] = []
        for header in headers where !HeaderRules.isReserved(header.name) {
            let isPrivate = HeaderRules.isCredential(header.name) || job.trust.secrets.occur(in: header.value)
            guard isTrusted || !isPrivate else { continue }
            let field = HTTPHeader(header.name, header.value)
            let isTaken =
                fields.contains { $0.hasName(field.name) }
                || isTrusted && job.transfer.headers.contains { $0.isPrivate && field.hasName($0.name) }
            if field.isValid, !isTaken { fields.append(field) }
        }
        return fields
    }
}
