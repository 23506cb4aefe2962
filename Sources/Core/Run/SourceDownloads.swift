import Catalog
import Files
import FoundationEssentials
import HTTP
import Jobs
import Model
import SourceKit
import Synchronization
import System
import Transfer

/// The files that a run's source downloads: kept below the output directory, and asked for again with what the last
/// reply said of itself.
///
/// A fresh one costs no request, an unchanged one no body. When asking fails, so does the download: a run on an old list
/// would take what was added since for missing.
final class SourceDownloads: Sendable {
    private let engine: TransferCoordinator
    private let context: RunContext
    private let store: CatalogStore
    private let count = Atomic<Int>(0)

    init(engine: TransferCoordinator, context: RunContext, store: CatalogStore) {
        self.engine = engine
        self.context = context
        self.store = store
    }

    /// What is known of a kept file, as its note has it.
    fileprivate struct Note: Codable {
        var size: Int64
        var etag: String?
        var lastModified: String?
        /// Microseconds since 1970 UTC.
        var expiresAt: Int64?
        /// When the server was asked last, microseconds since 1970 UTC; nil in notes of earlier versions.
        var askedAt: Int64?

        /// Whether nothing needs to be asked. A time in the future is of a clock that was wrong.
        func isFresh(_ now: Int64) -> Bool { (expiresAt ?? 0) > now && (askedAt ?? .max) <= now }
    }

    private struct Kept {
        let file: ReadableFile
        var note: Note
    }

    func file(at url: WebURL, maximumBytes: Int64) async throws -> SourceFile {
        let name = Self.name(of: url)
        context.keptNames.withLock { _ = $0.insert(name) }
        let kept = isRefreshing ? nil : find(name, maximumBytes)
        if let kept, kept.note.isFresh(wallClockMicroseconds()) {
            return SourceFile(kept.file)
        }
        let number = count.add(1, ordering: .relaxed).newValue
        let writer = try KeptFileWriter(in: context.keeping, name: name, number: number)
        let wanted = FetchRequest(
            url: url, headers: condition(kept?.note), maximumBytes: Int(clamping: maximumBytes))
        let reply: FetchedReply
        do {
            reply = try await engine.fetch(wanted, into: writer, context)
        } catch let error as FetchError {
            throw FetchError(
                failure: error.failure, url: url, detail: error.description, attempts: error.attempts,
                context.job.trust)
        }
        let now = wallClockMicroseconds()
        switch reply.status {
        case 200, 203:
            return SourceFile(try await keep(writer, Note(reply, size: writer.size, secrets, now: now)))
        case 304:
            guard var kept else {
                let detail = "the server answered 304 to a request without a condition"
                throw FetchError(failure: .protocolError, url: url, detail: detail, context.job.trust)
            }
            kept.note.renew(reply, secrets, now: now)
            // Without it the next run only asks again.
            try? context.keeping.writeKeptNote(kept.note.bytes, of: name)
            return SourceFile(kept.file)
        default:
            let failure = TransferFailure(status: reply.status, headers: reply.headers, now: now)
            throw FetchError(failure: failure.word, url: url, detail: failure.detail, context.job.trust)
        }
    }

    private var secrets: Secrets { context.job.trust.secrets }

    private var isRefreshing: Bool { context.selection.isRefreshing || context.job.refresh == .always }

    /// Of an earlier run, where it is whole. A plan keeps its own apart and reads those of runs.
    private func find(_ name: String, _ maximumBytes: Int64) -> Kept? {
        for directory in [context.keeping, context.output] {
            guard let (file, bytes) = directory.kept(name), let note = try? Note(bytes), note.size == file.size,
                file.size <= maximumBytes
            else { continue }
            return Kept(file: file, note: note)
        }
        return nil
    }

    private func condition(_ note: Note?) -> [HTTPHeader] {
        // An entity tag is the better validator; with both the date would be ignored (RFC 9110, 13.2.2).
        if let etag = note?.etag { return [HTTPHeader("If-None-Match", etag)] }
        if let date = note?.lastModified { return [HTTPHeader("If-Modified-Since", date)] }
        return []
    }

    /// On the catalog's queue, since flushing blocks.
    private func keep(_ writer: sending KeptFileWriter, _ note: Note) async throws -> ReadableFile {
        nonisolated(unsafe) let writer = writer  // the request is over: nobody else has it
        return try await store.perform { _ in try writer.commit(note: note.bytes) }
    }

    /// The digest tells nothing of a secret in the URL.
    private static func name(of url: WebURL) -> String {
        var hash = SHA256()
        Array(url.text.utf8).withUnsafeBytes { hash.update($0) }
        return hash.finalize().hex
    }
}

extension SourceDownloads.Note {
    fileprivate init(_ reply: FetchedReply, size: Int64, _ secrets: Secrets, now: Int64) {
        let freshness = Freshness(reply.headers, now: now).without(secrets)
        self.init(
            size: size, etag: freshness.etag, lastModified: freshness.lastModified, expiresAt: freshness.expiresAt,
            askedAt: now)
    }

    fileprivate init(_ bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(bytes))
    }

    /// Takes what a 304 says anew (RFC 9111 section 4.3.4).
    fileprivate mutating func renew(_ reply: FetchedReply, _ secrets: Secrets, now: Int64) {
        let freshness = Freshness(reply.headers, now: now).without(secrets)
        etag = freshness.etag ?? etag
        lastModified = freshness.lastModified ?? lastModified
        expiresAt = freshness.expiresAt
        askedAt = now
    }

    fileprivate var bytes: [UInt8] {
        // Texts and whole numbers, which can always be written.
        (try? JSONEncoder().encode(self)).map(Array.init) ?? []
    }
}
