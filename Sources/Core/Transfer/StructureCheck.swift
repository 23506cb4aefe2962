import Files
import Media
import Model

extension SealedPart {
    /// Looks whether a body has all of its structure; what is in no memory is read, which blocks.
    ///
    /// - Parameter isBrokenOff: asked before each piece that is read; true ends the look, as cancelled.
    func checkStructure(
        as type: MediaType, in output: OutputDirectory, isBrokenOff: @escaping () -> Bool
    ) throws(TransferFailure) {
        do {
            let isHeld = try withHeldBytes { _ = try type.checkStructure(of: MemoryBytes($0)) } != nil
            guard !isHeld else { return }
            let file = try output.readableFile(of: self)
            let window = ByteWindow(size: file.size) { offset, buffer in
                if isBrokenOff() { throw TransferCoordinator.stopped }
                return try file.read(at: offset, into: buffer)
            }
            try type.checkStructure(of: window)
        } catch let fault as MediaFault {
            throw TransferFailure(.corrupt, fault.description)
        } catch let error as FileError {
            throw TransferFailure(error)
        } catch let failure as TransferFailure {
            throw failure
        } catch {
            throw TransferFailure(.disk, String(describing: error))
        }
    }
}
