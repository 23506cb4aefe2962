import Files
import Media

/// What a complete body must keep of what the server and the list promise and the job expects. Taken from a transfer on its
/// loop's thread and used on the one that has hashed the body.
struct BodyCheck: Sendable {
    let digests: ReplyDigests?
    /// By the list.
    let promised: SHA256Digest?
    /// Whether an earlier reply brought the beginning.
    let isResumed: Bool
    /// The type whose structure it must have; nil where the job expects nothing of it.
    let type: MediaType?
    let output: OutputDirectory

    /// What is wrong with a body; it may be read again, which blocks.
    func fault(of body: SealedPart) -> TransferFailure? {
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
