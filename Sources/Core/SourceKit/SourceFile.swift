package import Files

/// A file that a source reads: downloaded for it, or beside the job. It is closed with its last owner.
package final class SourceFile: Sendable {
    private let file: ReadableFile

    package init(_ file: ReadableFile) {
        self.file = file
    }

    /// Open for reading while the object is held; its position belongs to whoever reads it.
    package var descriptor: Int32 { file.descriptor }

    /// Length in bytes.
    package var size: Int64 { file.size }
}
