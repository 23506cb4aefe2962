internal import Glibc
import System

// Pictures that were made of files: `.runner/pictures`, each under the SHA-256 of its bytes.
extension OutputDirectory {
    /// Where a picture of these bytes is, relative to the directory.
    static func picturePath(_ digest: SHA256Digest, extension: String) -> String {
        "\(privateName)/pictures/\(digest.hex).\(`extension`)"
    }

    /// Whether a path is that of a picture.
    package static func isPicture(_ path: RelativePath) -> Bool {
        path.parent?.text == "\(privateName)/pictures"
    }

    /// Gives a picture its name, in place of equal bytes that may have it.
    ///
    /// The name is durable after the next ``flushFolders()``, the bytes after the ``flushData()`` before.
    package func publish(_ picture: PendingPicture) throws(FileError) {
        let folder = try requiredPicturesFolder()
        let name = "\(picture.digest.hex).\(picture.extension)"
        guard renameat(folder.raw, picture.temporaryName, folder.raw, name) == 0 else {
            throw .last("publish", picturesPath(name))
        }
        touch(folder)
    }

    /// Removes a picture by the last component of its path, or an unfinished one. One that is not there is removed.
    package func removePicture(_ name: String) throws(FileError) {
        precondition(!name.contains("/"), "a picture's name is one component")
        guard let folder = try picturesFolder(creating: false) else { return }
        guard unlinkat(folder.raw, name, 0) == 0 || errno == ENOENT else { throw .last("remove", picturesPath(name)) }
        touch(folder)
    }

    /// Removes what a run left that did not end. Only while no other run writes here.
    package func removeUnfinishedPictures() throws(FileError) {
        for name in try pictureNames() where name.hasPrefix(PictureWriter.prefix) { try removePicture(name) }
    }

    /// The names of all pictures, and of unfinished ones.
    package func pictureNames() throws(FileError) -> [String] {
        guard let folder = try picturesFolder(creating: false) else { return [] }
        return try entries(of: folder, shownAs: picturesPath(""))
    }

    /// The length of a picture in bytes, by its name; nil for what is no file.
    package func sizeOfPicture(_ name: String) -> Int64? {
        guard let folder = try? picturesFolder(creating: false),
            let found = FileInformation(of: name, in: folder.raw), found.isRegular
        else { return nil }
        return found.size
    }

    /// Whether a name in the folder of pictures is one that this program gives: an unfinished picture's, or a digest with
    /// an extension.
    package static func isPictureName(_ name: String) -> Bool {
        if name.hasPrefix(PictureWriter.prefix) { return isPartName(name) }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return parts.count == 2 && SHA256Digest(hex: parts[0]) != nil && isPartName(parts[1])
    }

    /// Opens a published file.
    package func readableFile(at path: RelativePath) throws(FileError) -> ReadableFile {
        let folder = try folder(path.parent, creating: false)
        return try ReadableFile(path.last, in: folder.raw, shownAs: fullPath(path))
    }

    /// Opens a picture, by its name, to send it. The caller closes the descriptor.
    package func openPictureToSend(_ name: String) throws(FileError) -> (descriptor: Int32, size: Int64) {
        precondition(!name.contains("/"), "a picture's name is one component")
        guard let folder = try picturesFolder(creating: false) else {
            throw FileError(operation: "read", path: picturesPath(name), errno: ENOENT)
        }
        return try openToSend(name, in: folder, shownAs: picturesPath(name))
    }

    fileprivate func requiredPicturesFolder() throws(FileError) -> Folder {
        guard let folder = try picturesFolder(creating: true) else { throw .last("open", picturesPath("")) }
        return folder
    }

    private func picturesFolder(creating: Bool) throws(FileError) -> Folder? {
        if let folder = folders.folder(.pictures) { return folder }
        guard let above = try privateFolder(creating: creating) else { return nil }
        let shown = Self.privateName + "/pictures"
        let folder = try privateFolder("pictures", in: above, shownAs: shown, creating: creating)
        if let folder { folders.set(folder, as: .pictures) }
        return folder
    }

    fileprivate func picturesPath(_ name: String) -> String { fullPath(Self.privateName + "/pictures/" + name) }
}

/// A picture that is written and has no name yet.
package struct PendingPicture: Hashable, Sendable {
    package let digest: SHA256Digest
    /// Length in bytes.
    package let size: Int64
    package let `extension`: String
    let temporaryName: String

    /// Relative to the output directory.
    package var path: String { OutputDirectory.picturePath(digest, extension: `extension`) }

    /// Removes it: it is not to be published.
    package func discard(in directory: OutputDirectory) {
        try? directory.removePicture(temporaryName)
    }
}

/// A picture on its way into `.runner/pictures`, hashed as it comes. Used on one thread at a time.
package final class PictureWriter {
    /// What names of unfinished pictures begin with; those of others are hexadecimal digits.
    static let prefix = "new-"

    private let directory: OutputDirectory
    private let name: String
    private let fileExtension: String
    private let file: Descriptor
    private var hasher = SHA256()
    /// Bytes so far.
    package private(set) var size: Int64 = 0
    private var isFinished = false

    /// Begins a picture.
    ///
    /// - Parameters:
    ///   - number: tells pictures apart that are written at the same time.
    ///   - fileExtension: letters and digits.
    package init(in directory: OutputDirectory, number: Int, extension fileExtension: String) throws(FileError) {
        precondition(isPartName(fileExtension), "an extension has letters and digits")
        let folder = try directory.requiredPicturesFolder()
        let name = Self.prefix + String(number)
        let flags = O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
        let raw = uninterrupted { openat(folder.raw, name, flags, 0o600) }
        guard raw >= 0 else { throw directory.linkAware(.last("write", directory.picturesPath(name))) }
        self.directory = directory
        self.name = name
        self.fileExtension = fileExtension
        file = Descriptor(owning: raw)
    }

    deinit {
        if !isFinished { try? directory.removePicture(name) }
    }

    package func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        let code = writeAll(bytes, to: file.raw, at: size)
        guard code == 0 else {
            throw FileError(operation: "write", path: directory.picturesPath(name), errno: code)
        }
        hasher.update(bytes)
        size += Int64(bytes.count)
    }

    /// Ends the picture, which is to be published or discarded.
    package func finish() -> PendingPicture {
        isFinished = true
        let digest = exchange(&hasher, with: SHA256()).finalize()
        return PendingPicture(digest: digest, size: size, extension: fileExtension, temporaryName: name)
    }
}
