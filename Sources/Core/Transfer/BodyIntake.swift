import Files
import HTTP
import Media

/// Judges a complete body and stores it in its part. Taken from a transfer on its loop's thread and used on the one that has
/// hashed the body.
struct BodyIntake: Sendable {
    let digests: ReplyDigests?
    /// By the list.
    let promised: SHA256Digest?
    /// Whether an earlier reply brought the beginning.
    let isResumed: Bool
    /// The type whose structure it must have; nil where the job expects nothing of it.
    let type: MediaType?
    /// The file that the item has.
    let stored: StoredFile?
    /// The date that the file is to show, as the server writes it.
    let lastModified: String?
    let output: OutputDirectory

    /// What a body comes to: new, and in its part, or the same as is stored, which stays as it is. The file is read for that:
    /// its row tells what it was, and it may have rotted on the disk since.
    ///
    /// - Throws: what is wrong with it, or why it can't be stored. No part is left then.
    func take(_ body: SealedPart) throws(TransferFailure) -> Engine.Ending {
        if let fault = fault(of: body) {
            try? body.discard(in: output)
            throw fault
        }
        if let stored, body.digest == stored.sha256, output.has(body, at: stored.path) {
            try? body.discard(in: output)
            return .sameBody(body.size)
        }
        do throws(FileError) {
            return .body(try output.store(body, modified: lastModified.flatMap { parseHTTPDate($0) }))
        } catch {
            throw TransferFailure(error)
        }
    }

    /// What is wrong with a body; it may be read again, which blocks.
    private func fault(of body: SealedPart) -> TransferFailure? {
        do throws(FileError) {
            if let fault = try digests?.fault(of: body, in: output) { return fault }
        } catch {
            return TransferFailure(error)
        }
        if let promised, promised != body.digest {
            // What was resumed may have been wrong from its beginning; it is fetched anew.
            return TransferFailure(
                .checksum, "the list promises SHA-256 \(promised.hex), the body has \(body.digest.hex)",
                isTransient: isResumed)
        }
        guard let type else { return nil }
        do throws(TransferFailure) {
            try body.checkStructure(as: type, in: output)
            return nil
        } catch {
            return error
        }
    }
}
