import Files
import HTTP
import Media
import Model

/// Judges a complete body and stores it in its part. Taken from a transfer on its loop's thread and used on the one that has
/// hashed the body, or, where a long one is read again, on one that may take its time.
struct BodyIntake: Sendable {
    /// Bodies of more bytes are not read again on a loop.
    private static let longBody: Int64 = 1 << 20

    let digests: ReplyDigests?
    /// By the list.
    let promised: SHA256Digest?
    /// Whether an earlier reply brought the beginning.
    let isResumed: Bool
    /// The type whose structure it must have; nil where the job expects nothing of it.
    let type: MediaType?
    /// Whether nothing in the protocol shows that it is whole; see ``HTTPResult/hasUncertainEnd``.
    let hasUncertainEnd: Bool
    /// The file that the item has.
    let stored: StoredFile?
    /// The date that the file is to show, as the server writes it.
    let lastModified: String?
    let output: OutputDirectory

    /// Whether ``take(_:isBrokenOff:)`` may need so long for a body that a loop must not wait for it.
    func takesLong(_ body: SealedPart) -> Bool {
        body.size > Self.longBody && (type != nil || digests != nil || body.digest == stored?.sha256)
    }

    /// What a body comes to: new, and in its part, or the same as is stored, which stays as it is. The file is read for that:
    /// its row tells what it was, and it may have rotted on the disk since.
    ///
    /// - Parameter isBrokenOff: asked while a long body is read; true ends that, as cancelled.
    /// - Throws: what is wrong with it, or why it can't be stored. No part is left then, but one that was broken off and can
    ///   be resumed.
    func take(_ body: SealedPart, isBrokenOff: @escaping () -> Bool) throws(TransferFailure)
        -> AttemptResult
    {
        if let fault = fault(of: body, isBrokenOff) {
            if fault.word != .cancelled || !body.hasNote { try? body.discard(in: output) }
            throw fault
        }
        if let stored, body.digest == stored.sha256, output.has(body, at: stored.path) {
            try? body.discard(in: output)
            return .sameBody(body.size)
        }
        do throws(FileError) {
            return .stored(try output.store(body, modified: lastModified.flatMap { parseHTTPDate($0) }))
        } catch {
            throw TransferFailure(error)
        }
    }

    /// What is wrong with a body; it may be read again, which blocks.
    private func fault(of body: SealedPart, _ isBrokenOff: @escaping () -> Bool) -> TransferFailure? {
        do throws(TransferFailure) {
            if let fault = try digests?.fault(of: body, in: output, isBrokenOff: isBrokenOff) { return fault }
        } catch {
            return error
        }
        if let promised, promised != body.digest {
            // What was resumed may have been wrong from its beginning; it is fetched anew.
            return TransferFailure(
                .checksum, "the list promises SHA-256 \(promised.hex), the body has \(body.digest.hex)",
                isTransient: isResumed || hasUncertainEnd)
        }
        guard let type else { return nil }
        do throws(TransferFailure) {
            try body.checkStructure(as: type, in: output, isBrokenOff: isBrokenOff)
            return nil
        } catch  where hasUncertainEnd && error.word == .corrupt {
            return TransferFailure(
                .truncated, "\(error.detail); by HTTP/2 and without a length it may have been cut", isTransient: true)
        } catch {
            return error
        }
    }
}
