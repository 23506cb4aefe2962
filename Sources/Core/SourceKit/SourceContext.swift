import Files
package import HTTP
package import Model

/// All that a source may touch.
package struct SourceContext: Sendable {
    /// The folder of the job file, absolute: relative paths in options start there.
    package let folder: String
    /// The job's name.
    package let job: String
    /// Microseconds since 1970 UTC.
    package let now: @Sendable () -> Int64
    private let services: any SourceServices

    /// A context that asks `fetch` with a URL, header fields and the most bytes of a reply, limits nothing and remembers
    /// nothing.
    ///
    /// - Parameter download: by default fails: few sources download files.
    package init(
        folder: String, job: String = "job", now: @escaping @Sendable () -> Int64,
        fetch: @escaping @Sendable (WebURL, [HTTPHeader], Int) async throws -> FetchedReply,
        download: @escaping @Sendable (WebURL, Int64) async throws -> SourceFile = { url, _ in
            throw FetchError(
                failure: .invalid, description: "there is nowhere to keep \(Secrets.withoutUserinfo(url.text))")
        }
    ) {
        self.init(
            folder: folder, job: job, now: now, services: FetchingOnly(fetcher: fetch, downloader: download))
    }

    /// A context with the services of a run.
    package init(
        folder: String, job: String, now: @escaping @Sendable () -> Int64, services: any SourceServices
    ) {
        self.folder = folder
        self.job = job
        self.now = now
        self.services = services
    }

    /// Whether items may be selected whose keys begin with a text. Where not, a source need not ask for them.
    package func mayTake(keysBelow prefix: String) -> Bool {
        services.mayTake(keysBelow: prefix)
    }

    /// Whether the paths of the items have one of the module's template fields in them. A long list need not tell the
    /// values of others.
    package func usesField(_ name: String) -> Bool {
        services.usesField(name)
    }

    /// How many items of the beginning of the list the run takes at most; nil for all. More may be listed.
    package var limit: Int? { services.limit }

    /// The beginning of what a server wrote, for a message: secrets are hidden before it is cut.
    package func excerpt(_ text: String, _ count: Int) -> String {
        services.trust.secrets.excerpt(text, count)
    }

    /// Why a request that somebody outside of this program has made up is not sent, nil where it may be: a secret of the
    /// job, or a credential, goes only to hosts that the job file or a `--set` names.
    package func refusal(of url: WebURL, _ headers: [ListedHeader]) -> String? {
        let trust = services.trust
        guard !trust.isAuthored(url) else { return nil }
        let credential = headers.first { HeaderRules.isCredential($0.name) }
        let hasSecret =
            trust.secrets.occur(in: url.text)
            || headers.contains { trust.secrets.occur(in: $0.name) || trust.secrets.occur(in: $0.value) }
        guard credential != nil || hasSecret else { return nil }
        let what = hasSecret ? "a secret of the job" : "the header \(credential?.name ?? "")"
        return "\(what) is sent only to hosts that the job file or --set names, not to "
            + trust.secrets.hide("\(url.origin)")
    }

    /// Why an item is not to be fetched: it would send a secret of the job to a host that the job file does not name. nil
    /// where nothing is wrong, and for what is no URL.
    package func refusal(of item: ListedItem) -> String? {
        let secrets = services.trust.secrets
        let headers = item.headers.filter { secrets.occur(in: $0.value) }
        guard !headers.isEmpty || secrets.occur(in: item.url), let url = try? item.webURL ?? WebURL(item.url) else {
            return nil
        }
        return refusal(of: url, headers)
    }

    /// Asks for a small reply. It takes its turn under the host's rate and limits, transient failures are tried again,
    /// and redirects are followed; any status that is left is the source's to judge.
    ///
    /// `transience` says why a reply is only a passing failure, for sites that put one into a reply with status 200; nil
    /// when it is the answer. It is called on the network's thread, which waits for it.
    ///
    /// - Returns: the reply, whatever its status.
    /// - Throws: ``FetchError`` when no reply was to be had; `WebURLError` for a URL that can't be asked.
    package func fetch(
        _ url: String, headers: [ListedHeader] = [], maximumBytes: Int = 16 << 20,
        transientFailure: @escaping @Sendable (FetchedReply) -> String? = { _ in nil }
    ) async throws -> FetchedReply {
        try await services.fetch(
            FetchRequest(
                url: try WebURL(url), headers: headers.map { HTTPHeader($0.name, $0.value) },
                maximumBytes: maximumBytes,
                transientFailure: transientFailure))
    }

    /// Waits until one more request is within a limit that holds over all runs and processes with this catalog, and
    /// counts it. The window slides.
    ///
    /// - Parameters:
    ///   - key: what the limit is for; it may be a secret, and only a hash of it is kept.
    ///   - limit: so many requests, at least one.
    ///   - per: in so many microseconds.
    /// - Throws: `CancellationError` when the run ends before; an error of the catalog's.
    package func budget(_ key: String, limit: Int, per: Int64) async throws {
        try await services.spend(key, limit: limit, per: per)
    }

    /// What the module remembered under these keys, in any job, no longer than `age` microseconds ago.
    ///
    /// - Throws: an error of the catalog's.
    package func recall(_ keys: [String], youngerThan age: Int64) async throws -> [String: String] {
        try await services.recall(keys, youngerThan: age)
    }

    /// What the last page that had a ``Page/memory`` kept, in the last run of the job that listed; nil for the first.
    ///
    /// - Throws: an error of the catalog's.
    package func recallList() async throws -> String? {
        try await services.recallList()
    }

    /// The pins of the job that are in the catalog, in the order in which they were set.
    ///
    /// - Throws: an error of the catalog's.
    package func pins() async throws -> [SourcePin] {
        try await services.pins()
    }

    /// Remembers texts for later runs, at most 400 days, in place of what was there under their keys.
    ///
    /// - Throws: an error of the catalog's.
    package func remember(_ values: [String: String]) async throws {
        try await services.remember(values)
    }

    /// Downloads a file such as a ZIP, or takes the one of an earlier run where the server says that it still is the
    /// same. It is asked for as by ``fetch(_:headers:maximumBytes:)``.
    ///
    /// - Parameter maximumBytes: a longer file fails as `too-large`.
    /// - Throws: ``FetchError`` when there is no such file now, whatever an earlier run got; `WebURLError` for a URL that
    ///   can't be asked.
    package func download(_ url: String, maximumBytes: Int64) async throws -> SourceFile {
        try await services.download(try WebURL(url), maximumBytes: maximumBytes)
    }

    /// Opens a file by a path that the job file gives, which is relative to it.
    ///
    /// - Throws: why the file can't be read, with its path.
    package func open(_ path: String) throws -> SourceFile {
        SourceFile(try ReadableFile(path: path.hasPrefix("/") ? path : "\(folder)/\(path)"))
    }
}

/// What a run does for its source. ``SourceContext`` documents each.
package protocol SourceServices: Sendable {
    var trust: Trust { get }
    var limit: Int? { get }

    func fetch(_ request: FetchRequest) async throws -> FetchedReply
    func download(_ url: WebURL, maximumBytes: Int64) async throws -> SourceFile
    func spend(_ key: String, limit: Int, per: Int64) async throws
    func recall(_ keys: [String], youngerThan age: Int64) async throws -> [String: String]
    func recallList() async throws -> String?
    func remember(_ values: [String: String]) async throws
    func pins() async throws -> [SourcePin]
    func usesField(_ name: String) -> Bool
    func mayTake(keysBelow prefix: String) -> Bool
}

/// The services of a source outside of a run: it can ask, nothing is limited, and nothing remembered.
private struct FetchingOnly: SourceServices {
    let fetcher: @Sendable (WebURL, [HTTPHeader], Int) async throws -> FetchedReply
    let downloader: @Sendable (WebURL, Int64) async throws -> SourceFile

    var trust: Trust { Trust() }
    var limit: Int? { nil }

    func fetch(_ request: FetchRequest) async throws -> FetchedReply {
        try await fetcher(request.url, request.headers, request.maximumBytes)
    }

    func download(_ url: WebURL, maximumBytes: Int64) async throws -> SourceFile {
        try await downloader(url, maximumBytes)
    }

    func spend(_ key: String, limit: Int, per: Int64) async throws {}
    func recall(_ keys: [String], youngerThan age: Int64) async throws -> [String: String] { [:] }
    func recallList() async throws -> String? { nil }
    func remember(_ values: [String: String]) async throws {}
    func pins() async throws -> [SourcePin] { [] }
    func usesField(_ name: String) -> Bool { true }
    func mayTake(keysBelow prefix: String) -> Bool { true }
}
