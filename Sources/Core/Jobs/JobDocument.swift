package import MediaProtocol
package import Model
package import YAML

/// The keys of a job file: the one table that decodes, documents and completes them.
package struct JobDocument: YAMLRecord {
    package var name = ""
    package var source: Node?
    package var output = OutputDocument()
    package var transfer = TransferPolicy()
    package var refresh = RefreshPolicy.changed
    package var expects: OneOrMany<Expectation>?
    package var allowedFailures = FailureAllowance.count(0)
    package var stopsAfterKnown: Int?
    package var knownFailures = KnownFailurePolicy.report
    package var media: RenderSettings?
    package var notify = JobNotifications()
    package var secrets: [SecretName] = []

    package init() {}

    package static let fields = FieldTable<JobDocument>([
        .required(
            "name", \.name, help: "names the job in the catalog: a-z, 0-9, '.', '_' and '-', at most 64 characters",
            example: "flags", check: complaint(aboutName:)),
        Field(
            FieldDocumentation(
                "source", of: SourceDocument.self, isRequired: true,
                help: "the module that lists the items, and its options", example: "{type: flags}")
        ) { node, root, _ in root.source = node },
        .required("output", \.output, help: "where files go", example: "{directory: ../downloads/flags}"),
        .optional("transfer", \.transfer, default: nil, help: "how items are downloaded"),
        .optional("refresh", \.refresh, default: "changed", help: "when a stored file is requested again"),
        .optional(
            "expect", \.expects, default: "the module's", help: "accepted file types, judged by content; one or a list",
            example: "[image, pdf]",
            check: { $0.values.isEmpty ? "must name at least one type" : nil }),
        .optional(
            "stop_after_known", \.stopsAfterKnown, default: "none",
            help: "ends a list that has the newest first after this many stored items in a row",
            example: "50", check: { $0 >= 1 ? nil : "must be at least 1" }),
        .optional(
            "allow_failed", \.allowedFailures, default: "0", help: "exit 0 with at most this many failures, N or N%",
            example: "2%"),
        .optional(
            "known_failures", \.knownFailures, default: "report",
            help: "404 and the like that wait to be retried: report prints a line and exits 1, ignore leaves them out"),
        .optional("media", \.media, default: "none", help: "pictures made from stored files", example: "{}"),
        .optional("notify", \.notify, default: nil, help: "who is notified how runs ended"),
        .optional(
            "secrets", \.secrets, default: "[]",
            help: "environment variables whose values are shown and stored nowhere, beside those in headers",
            example: "[FLICKR_API_KEY]"),
    ])

    private static func complaint(aboutName name: String) -> String? {
        let first = name.utf8.first.map { isLetterOrDigit($0) } ?? false
        let isValid =
            first && name.utf8.count <= 64
            && name.utf8.allSatisfy { isLetterOrDigit($0) || [0x2E, 0x5F, 0x2D].contains($0) }
        return isValid ? nil : "must start with a-z or 0-9 and hold only a-z, 0-9, '.', '_' and '-', at most 64 in all"
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

/// The name of an environment variable, as `secrets` has it. What is no name is not repeated: it may be the value.
package struct SecretName: YAMLDecodable {
    package let name: String
    package let node: Node

    package static var yamlType: String { "variable name" }

    package static func decode(_ node: Node, _ context: inout DecodingContext) -> SecretName? {
        let name = node.scalar?.text ?? ""
        guard isName(name) else {
            context.mismatch(node, wanted: "the name of an environment variable", hint: "for example API_TOKEN")
            return nil
        }
        return SecretName(name: name, node: node)
    }

    /// Whether it is a name by POSIX (Base Definitions, section 8.1), in either case.
    static func isName(_ text: String) -> Bool {
        let isStart = text.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
        return isStart
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x5F
            }
    }
}

/// The one key of `source:` that every module shares; the rest is decoded by the module's own table.
package struct SourceDocument: YAMLRecord {
    package var type = ""

    package init() {}

    package static let fields = FieldTable<SourceDocument>([
        .required("type", \.type, help: "the module; the other keys are its own", example: "flags")
    ])
}

/// `output:`.
package struct OutputDocument: YAMLRecord {
    package var directory = ""
    /// With its place in the file, since it is checked when the module's fields are known.
    package var path: Node?
    package var deduplicates = false
    package var sidecar = SidecarFormat.none
    package var maximumBytes: ByteCount?

    package init() {}

    package static let fields = FieldTable<OutputDocument>([
        .required(
            "directory", \.directory, help: "where files go, relative to the job file", example: "../downloads/flags",
            check: { $0.isEmpty ? "must not be empty" : nil }),
        Field(
            FieldDocumentation(
                "path", of: String.self, default: "the module's", help: "the template of each file's path",
                example: "\"{section}/{title}.{extension}\"")
        ) { node, root, context in
            if String.decode(node, &context) != nil { root.path = node }
        },
        .optional(
            "deduplicate", \.deduplicates, default: "false",
            help: "whether equal bytes are stored once, as shared blocks or else as a hard link"),
        .optional(
            "sidecar", \.sidecar, default: "none",
            help: "json writes each file's metadata beside it, as PATH.json"),
        .optional(
            "max_bytes", \.maximumBytes, default: "none",
            help: "bytes of items' files to keep; the least recently used are evicted first", example: "10GB",
            check: { $0.bytes > 0 ? nil : "must be more than 0" }),
    ])
}

extension TransferPolicy: YAMLRecord {
    package static let fields = FieldTable<TransferPolicy>([
        .optional(
            "concurrency", \.concurrency, default: "16", help: "items in flight", check: within(1...1_024)),
        .optional(
            "per_host", \.perHost, default: "8", help: "transfers to one (scheme, host, port), over all jobs",
            check: within(1...1_024)),
        .optional("rate", \.rate, default: "none", help: "requests sent to one host, of every kind", example: "20/s"),
        .optional(
            "bandwidth", \.bandwidth, default: "none",
            help: "of the whole run; by the time of day as \"08:00 2MB/s, 19:00 none\"", example: "10MB/s"),
        .optional(
            "connect_timeout", \.connectTimeout, default: "10s", help: "time limit for connecting", check: positive),
        .optional(
            "stall_timeout", \.stallTimeout, default: "30s", help: "abort when fewer than 1 kB arrive in this time",
            check: positive),
        .optional(
            "total_timeout", \.totalTimeout, default: "15m", help: "time limit for one attempt, redirects included",
            check: positive),
        .optional(
            "max_size", \.maximumSize, default: "512MiB", help: "size limit of one item, counted as it arrives",
            check: { $0.bytes > 0 ? nil : "must be more than 0" }),
        .optional(
            "retries", \.retries, default: "4", help: "further attempts after a transient failure",
            check: within(0...100)),
        .optional(
            "user_agent", \.userAgent, default: "runner/<version> libcurl/<version>", help: "the User-Agent header",
            example: "Our mirror (admin@example.org)",
            check: { HeaderRules.isValue($0) ? nil : "can't have control characters" }),
        .optional(
            "headers", \.headerMap, default: "none", help: "extra header fields for the items' hosts",
            example: "{X-Name: value}", check: HeaderRules.complaint(about:)),
        .optional("http_version", \.httpVersion, default: "auto", help: "auto is 2 if an https server supports it"),
        .optional(
            "proxy", \.proxy, default: "the environment's", help: "a proxy's URL; none ignores the environment's",
            example: "http://proxy.example:3128"),
        .optional(
            "ca_file", \.caFile, default: "none", help: "additional certificate authorities to trust, a PEM file",
            example: "internal-ca.pem"),
        .optional(
            "connect_to", \.routeMap, default: "none", help: "connects to another address, as curl --connect-to",
            example: "{\"host:443\": \"127.0.0.1:8443\"}"),
        .optional(
            "allow_private_addresses", \.allowsPrivateAddresses, default: "false",
            help: "whether lists and redirects may lead to addresses that are not public"),
        .optional("durability", \.durability, default: "batch", help: "whether files and rows are flushed in batches"),
    ])

    private static func within(_ range: ClosedRange<Int>) -> @Sendable (Int) -> String? {
        { range.contains($0) ? nil : "must be \(range.lowerBound) to \(range.upperBound)" }
    }

    private static func positive(_ span: TimeSpan) -> String? {
        span.microseconds >= 1_000 ? nil : "must be at least 1ms"
    }

    /// `connect_to` as the file writes it.
    var routeMap: RouteMap {
        get { RouteMap(routes: connectTo) }
        set { connectTo = newValue.routes }
    }

    /// `headers` as the file writes it.
    var headerMap: OrderedMap<String> {
        get { OrderedMap(headers.map { OrderedMap.Entry(key: $0.name, value: $0.value) }) }
        set {
            headers = newValue.entries.map { entry in
                RequestHeader(
                    name: entry.key, value: entry.value, isPrivate: HeaderRules.isCredential(entry.key))
            }
        }
    }
}

extension SidecarFormat: YAMLEnum {}
extension RefreshPolicy: YAMLEnum {}
extension KnownFailurePolicy: YAMLEnum {}
extension ProtocolVersion: YAMLEnum {}
extension Durability: YAMLEnum {}

extension FailureAllowance: YAMLDecodable {
    package static var yamlType: String { "number or percentage" }

    package static func decode(_ node: Node, _ context: inout DecodingContext) -> FailureAllowance? {
        let text = node.scalar?.text ?? ""
        if text.hasSuffix("%"), let percent = Double(text.dropLast()), (0...100).contains(percent) {
            return .share(percent)
        }
        if let count = Int(text), count >= 0 { return .count(count) }
        context.mismatch(node, wanted: "a number of items such as 3, or a share such as 2%")
        return nil
    }
}

extension ProxySetting: YAMLDecodable {
    package static var yamlType: String { "URL or none" }

    package static func decode(_ node: Node, _ context: inout DecodingContext) -> ProxySetting? {
        guard let text = node.scalar?.text, text != "" else {
            context.mismatch(node, wanted: "a proxy's URL, or none")
            return nil
        }
        if text == "none" { return ProxySetting.none }
        let schemes = ["http://", "https://", "socks4://", "socks4a://", "socks5://", "socks5h://"]
        guard schemes.contains(where: { text.lowercased().hasPrefix($0) }) else {
            context.mismatch(node, wanted: "a proxy's URL, or none", hint: "for example http://proxy.example:3128")
            return nil
        }
        return .url(text)
    }
}

extension ConnectRoute {
    /// Reads `HOST:PORT` with an IPv6 address in brackets.
    static func authority(_ text: String) -> (host: String, port: Int)? {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (1...65_535).contains(port)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        return host.isEmpty ? nil : (host.lowercased(), port)
    }
}

/// `connect_to` as the file writes it.
package struct RouteMap: YAMLDecodable {
    package var routes: [ConnectRoute] = []

    package static var yamlType: String { "mapping of HOST:PORT to HOST:PORT" }

    package static func decode(_ node: Node, _ context: inout DecodingContext) -> RouteMap? {
        guard let map = OrderedMap<String>.decode(node, &context) else { return nil }
        var result = RouteMap()
        for entry in map.entries {
            guard let from = ConnectRoute.authority(entry.key), let to = ConnectRoute.authority(entry.value) else {
                let target = node[entry.key] ?? node
                context.error(
                    "connect_to must map HOST:PORT to HOST:PORT, not '\(entry.key)' to \(target.kindDescription)",
                    at: target)
                continue
            }
            result.routes.append(
                ConnectRoute(host: from.host, port: from.port, targetHost: to.host, targetPort: to.port))
        }
        return result
    }
}
