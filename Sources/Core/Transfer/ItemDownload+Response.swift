import Files
import HTTP
import Jobs
import Media
import Model
import SourceKit
import System

extension ItemDownload: PlacedExchange {
    func begin(_ head: HTTPHead) -> HTTPBodyAction {
        reply = head.headers
        status = head.status
        length = head.length
        hasVary = head.hasVary
        hasDigest = head.hasDigest
        work.trace(.headers, [("status", .number(Int64(status))), ("length", .number(length ?? -1))])
        switch head.status {
        case 200, 203:
            return attempting { () throws(TransferFailure) in
                do throws(FileError) { try beginBody() } catch { throw TransferFailure(error) }
            }
        case 206:
            return attempting { () throws(TransferFailure) in try checkRange(head.headers) }
        default:
            return .discard
        }
    }

    private func attempting(_ body: () throws(TransferFailure) -> Void) -> HTTPBodyAction {
        do throws(TransferFailure) {
            try body()
            return .deliver
        } catch {
            fault = error
            return .reject
        }
    }

    /// A 206 must go on exactly where the part ends, within the same whole (RFC 9110 section 15.3.7). A server that does
    /// not know If-Range would send the rest of another version.
    private func checkRange(_ headers: HTTPHeaders) throws(TransferFailure) {
        guard offset > 0, let part else {
            throw TransferFailure(.protocolError, "the server answered 206 to a request for the whole")
        }
        let range = headers["Content-Range"].flatMap(ContentRange.init)
        guard headers["Content-Encoding"] == nil, let range, let bytes = range.bytes, bytes.lowerBound == offset,
            range.total == nil || part.note?.totalLength == nil || range.total == part.note?.totalLength,
            length == nil || length == Int64(bytes.count)
        else {
            try restart()
            let text = headers["Content-Range"] ?? headers["Content-Type"] ?? "no Content-Range"
            throw TransferFailure(
                .protocolError, "asked for bytes from \(offset), the server answered 206 with \(excerpt(text))",
                isTransient: true)
        }
        guard let validator = part.note?.validator, Self.speaks(headers, of: validator) else {
            try restart()
            throw TransferFailure(
                .protocolError, "the server answered 206 with the rest of another version; it is fetched anew",
                isTransient: true)
        }
        resumed = validator
        rangeEnd = bytes.upperBound
        // A later reply must have the same, and nothing else tells when all is there.
        if let total = range.total { part.note?.totalLength = total }
    }

    /// Whether a 206 is of the version that was asked for. It must repeat the entity tag, and may leave out the date.
    private static func speaks(_ headers: HTTPHeaders, of validator: PartNote.Validator) -> Bool {
        switch validator {
        case .etag(let tag): headers["ETag"] == tag
        case .lastModified(let date): headers["Last-Modified"].map { $0 == date } ?? true
        }
    }

    /// Drops what is there, so that the next attempt asks for all of it.
    private func restart() throws(TransferFailure) {
        do throws(FileError) { try part?.restart() } catch { throw TransferFailure(error) }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let part else { return false }
        if let rangeEnd, part.size + Int64(bytes.count) > rangeEnd {
            fault = TransferFailure(
                .protocolError, "more bytes came than the reply's Content-Range says", isTransient: true)
            return false
        }
        // What the part had before counts too; the network's own limit is of this reply.
        if offset > 0, part.size + Int64(bytes.count) > context.job.transfer.maximumSize.bytes {
            fault = TransferFailure(.tooLarge, "the body is over \(context.job.transfer.maximumSize.bytes) bytes")
            return false
        }
        if head.count < MediaType.sniffLength {
            head.append(contentsOf: bytes.prefix(MediaType.sniffLength - head.count))
            // A long body of the wrong type is not worth its bytes; a short one is taken to keep the connection.
            if head.count == MediaType.sniffLength, isLong, let failure = typeFailure {
                fault = failure
                return false
            }
        }
        do throws(FileError) {
            try part.append(bytes)
            return true
        } catch {
            fault = TransferFailure(error)
            return false
        }
    }

    var isLong: Bool { length.map { $0 > Self.worthKeeping } ?? true }

    /// The bytes are not what the job expects.
    private var typeFailure: TransferFailure? {
        let type = mediaType
        guard !context.job.expects.accept(type) else { return nil }
        let wanted = context.job.expects.words
        let found = head.isEmpty ? "an empty body" : type?.name ?? "bytes of no known type"
        let declared =
            reply["Content-Type"].map {
                " (Content-Type \(context.job.trust.secrets.excerpt(MediaType.essence(of: $0), 60)))"
            } ?? ""
        return TransferFailure(.wrongType, "expected \(wanted), got \(found)\(declared)")
    }

    /// What the body, now complete, is to be measured by.
    var bodyIntake: BodyIntake {
        BodyIntake(
            digests: digests, promised: work.expectedContent.sha256, isResumed: offset > 0,
            type: context.job.expects.contains(.any) ? nil : mediaType.flatMap { $0.hasCheckedStructure ? $0 : nil },
            hasUncertainEnd: asksByHTTP1, stored: work.stored, lastModified: lastModified,
            output: context.output)
    }

    /// The date that the file is to show. A reply with the rest of a part need not repeat it.
    private var lastModified: String? {
        if let date = reply["Last-Modified"] { return date }
        if case .lastModified(let date) = resumed { return date }
        return nil
    }

    func finish(_ result: HTTPResult) {
        add(result)
        traceEnd(result)
        do throws(TransferFailure) {
            ended(try conclude(result), result)
        } catch {
            noteRest()
            ended(.failed(error), result)
        }
    }

    private func conclude(_ result: HTTPResult) throws(TransferFailure) -> AttemptResult {
        if let fault {
            // More than the range says: nothing that came can be relied on.
            if rangeEnd != nil, fault.word == .protocolError { try restart() }
            throw fault
        }
        if let failure = result.failure {
            if failure.kind == .encoding { try restart() }
            if failure.isUnprocessed, route.mayRepeat() { return redirected() }
            throw TransferFailure(failure)
        }
        switch result.status {
        case 200, 203, 206:
            try checkPlace()
            if let next = try checkRangeEnd() { return next }
            if hasDigest || !result.trailers.isEmpty {
                digests = ReplyDigests(reply, trailers: result.trailers, start: offset)
            }
            asksByHTTP1 = result.hasUncertainEnd && rangeEnd == nil
            // What is not as it should be may only have been cut.
            if asksByHTTP1, !isChecked || (try? checkBody()) == nil {
                try restart()
                return redirected()
            }
            try checkBody()
            return .complete
        case 304 where isConditional:
            try checkVersion(result.headers)
            return .notModified
        case 304:
            throw TransferFailure(.protocolError, "the server answered 304 to a request without a condition")
        case 412 where offset > 0:
            // No precondition but If-Range was sent, and that one never fails: the server means that the file changed.
            try restart()
            throw TransferFailure(
                .http, "the server answered 412 to the rest of the part; it is fetched anew", isTransient: true)
        case 416 where offset > 0:
            return try concludeUnsatisfiable(result.headers)
        case let status where RequestRoute.isRedirect(status):
            try route.follow(result.headers, status: status, hiding: context.job.trust.secrets)
            try checkPlace()
            return redirected(after: RequestRoute.delay(result.headers, now: wallClockMicroseconds()))
        default:
            throw TransferFailure(status: result.status, headers: result.headers, now: wallClockMicroseconds())
        }
    }

    /// A 304 that names another version than the stored one says nothing of it (RFC 9111 section 4.3.4): the next attempt
    /// asks in full.
    private func checkVersion(_ headers: HTTPHeaders) throws(TransferFailure) {
        guard let stored = work.stored?.freshness.etag, let told = headers["ETag"],
            !Freshness.weaklyMatch(stored, told)
        else { return }
        asksInFull = true
        throw TransferFailure(
            .protocolError, "the server answered 304 for \(excerpt(told)), what is stored is \(excerpt(stored))",
            isTransient: true)
    }

    /// 416 to a part: either nothing is missing, which the length and the same strong validator or the listed digest
    /// must show, or the part is of no use (RFC 9110 section 15.5.17).
    private func concludeUnsatisfiable(_ headers: HTTPHeaders) throws(TransferFailure) -> AttemptResult {
        let total = headers["Content-Range"].flatMap(ContentRange.init)?.total
        let isSame = headers["ETag"].map { .etag($0) == part?.note?.validator } ?? false
        if let total, total == offset, isSame || work.expectedContent.sha256 != nil {
            try checkBody()
            // The rest of the reply is about an error.
            reply = HTTPHeaders()
            hasVary = false
            resumed = part?.note?.validator
            return .complete
        }
        // It can't come again, and the server is well: what follows is no second try.
        try restart()
        return redirected()
    }

    /// What a header field says, as the detail of a failure may tell it.
    private func excerpt(_ field: String) -> String { context.job.trust.secrets.excerpt(field, 100) }

    /// A placeholder is not worth asking for.
    private func checkPlace() throws(TransferFailure) {
        guard context.job.source.placeholders.contains(where: { $0.matches(route.url) }) else { return }
        throw TransferFailure(
            .unavailable,
            "the site shows a placeholder instead: \(context.job.trust.secrets.excerpt(route.url.text, 200))",
            isLasting: true)
    }

    /// A reply with a range must bring all of it. What it leaves out at the end is asked for next, which is no second try
    /// (RFC 9110 section 15.3.7: a server may answer with less than was asked for).
    ///
    /// - Returns: nil where nothing is left to ask for.
    private func checkRangeEnd() throws(TransferFailure) -> AttemptResult? {
        guard let rangeEnd, let part else { return nil }
        if part.size < rangeEnd {
            throw TransferFailure(
                .truncated, "\(part.size - offset) of the \(rangeEnd - offset) bytes of the reply's range came",
                isTransient: true)
        }
        if part.note?.totalLength == rangeEnd { return nil }
        // A server that gives away a file by crumbs would be asked for ever.
        if rangeEnd - offset < Self.worthKeeping, !route.mayRepeat() {
            throw TransferFailure(
                .truncated, "the reply's range ends after \(rangeEnd - offset) bytes, before the file does",
                isTransient: true)
        }
        return redirected()
    }

    /// Whether something besides the protocol shows that the body, which has come, is whole.
    private var isChecked: Bool {
        digests != nil || work.expectedContent.sha256 != nil || work.expectedContent.size != nil
            || bodyIntake.type != nil
    }

    private func checkBody() throws(TransferFailure) {
        let size = part?.size ?? 0
        if let total = part?.note?.totalLength, offset > 0, size != total {
            try restart()
            throw TransferFailure(.truncated, "\(size) bytes came where \(total) were announced", isTransient: true)
        }
        if let listed = work.expectedContent.size, listed != size {
            throw TransferFailure(.checksum, "the list promises \(listed) bytes, \(size) came")
        }
        if let failure = typeFailure { throw failure }
    }
}
