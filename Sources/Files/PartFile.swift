/// A body that is being received: counted, hashed, and kept in `.runner/parts` until it is published.
///
/// A body of up to 64 KiB stays in memory until `OutputDirectory.store`: it costs one open, one write and one close, and
/// none at all when it is discarded. Up to 256 KiB it is hashed on the calling thread, beyond that by the hash worker unless
/// the calling thread is to hash all of it.
///
/// Used on one thread at a time. It ends with exactly one of `seal`, `keep` and `discard`; after an error only
/// `discard` and `restart` make sense.
package final class PartFile {
    /// A body that ends within so much is written at once.
    static let bufferLimit = 64 * 1024
    /// Pieces from so much on are written where they are, without a detour through the buffer.
    static let directWriteSize = 16 * 1024
    /// A body that is longer is hashed by the worker, which gets so much at a time.
    package static let inlineHashLimit: Int64 = 256 * 1024
    /// From so much on a part is worth resuming after a crash.
    static let noteThreshold: Int64 = 1024 * 1024

    private enum State { case open, ended }

    /// Its file in `.runner/parts`.
    package let name: String
    /// Bytes received, those of a resumed prefix included.
    package private(set) var size: Int64
    /// What makes the part resumable; nil, as at first, where nothing does. Set before the first byte, in a resumed part
    /// to what `resumable` returned. It is stored once the part has 1 MiB, and by `keep`.
    package var note: PartNote? {
        didSet { if oldValue != nil, note != oldValue { noteIsCurrent = false } }
    }

    private let directory: OutputDirectory
    private let worker: HashWorker
    private let hashesAll: Bool
    private var state = State.open
    private var buffer = ByteBuffer()
    /// Bytes in the file.
    private var written: Int64
    /// Nil until the first bytes are written.
    private var file: OpenPart?
    /// Whether there is a note beside the file, and whether it says what `note` does.
    private var noteIsStored: Bool
    private var noteIsCurrent: Bool
    /// Has taken the first `written` bytes, until the worker takes over.
    private var hasher: SHA256?
    private var follower: HashFollower?
    /// How far the worker has to go.
    private var announced: Int64 = 0

    /// Begins a part; opens nothing yet.
    /// - Parameters:
    ///   - directory: where it is kept, and later published.
    ///   - name: one or more of a-z, 0-9 and `-`. What is stored under it gives way, unless it is resumed.
    ///   - worker: hashes what is too long to be hashed at once.
    ///   - resumingAt: 0, or the size that `OutputDirectory.resumable` returned: the body continues from there.
    ///   - expecting: how many bytes are to come, where that was said; it may be wrong.
    ///   - hashesAll: whether the calling thread hashes a long body, too: where no processor is free for the worker, reading
    ///     what was just written would only add to the work. What is resumed is the worker's in any case.
    package init(
        in directory: OutputDirectory, name: String, hasher worker: HashWorker, resumingAt: Int64 = 0,
        expecting: Int64? = nil, hashesAll: Bool = false
    ) {
        self.directory = directory
        self.name = name
        self.worker = worker
        self.hashesAll = hashesAll
        size = resumingAt
        written = resumingAt
        noteIsStored = resumingAt > 0
        noteIsCurrent = noteIsStored
        if let expecting { buffer.reserve(min(Int(clamping: max(0, expecting)), Self.bufferLimit)) }
    }

    deinit {
        follower?.cancel()
    }

    /// Takes the next bytes of the body.
    /// - Throws: `FileError`, `isDiskFull` among them.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        precondition(state == .open, "a part was appended to after its end")
        guard !bytes.isEmpty else { return }
        size += Int64(bytes.count)
        let fits = buffer.bytes.count + bytes.count <= Self.bufferLimit
        if fits, written == 0 || bytes.count < Self.directWriteSize {
            buffer.append(bytes)
        } else {
            try spill(bytes)
        }
    }

    /// Ends the body. `completion` is called once: within this call for a short body, on the worker's thread for a long
    /// one. A part that cannot be sealed is removed.
    package func seal(_ completion: @escaping @Sendable (Result<SealedPart, FileError>) -> Void) {
        precondition(state == .open, "a part was sealed after its end")
        state = .ended
        do throws(FileError) {
            if file == nil, written == 0 {
                updateInline(buffer.bytes)
                let held = HeldBody(exchange(&buffer, with: ByteBuffer()))
                let digest = finalizeInline()
                return completion(
                    .success(SealedPart(name: name, size: size, digest: digest, hasNote: false, held: held)))
            }
            let file = try openFile()
            if !buffer.bytes.isEmpty { try spill(UnsafeRawBufferPointer(start: nil, count: 0)) }
            buffer = ByteBuffer()
            if let follower {
                finish(follower, file, completion)
            } else {
                try file.close()
                let digest = finalizeInline()
                completion(.success(SealedPart(name: name, size: size, digest: digest, hasNote: noteIsStored)))
            }
        } catch {
            drop()
            completion(.failure(error))
        }
    }

    /// Starts over with an empty body and without a note: the server sent it from the start.
    package func restart() throws(FileError) {
        precondition(state == .open, "a part was restarted after its end")
        let wasStored = file != nil || written > 0
        abandon()
        size = 0
        written = 0
        note = nil
        if wasStored { try directory.removePart(name) }
        noteIsStored = false
        noteIsCurrent = false
    }

    /// Ends the part and removes what is stored of it.
    package func discard() {
        precondition(state == .open, "a part was discarded after its end")
        state = .ended
        drop()
    }

    /// Ends the part and leaves it to be resumed in a later run, its bytes flushed. A part without a note could not be
    /// resumed and is discarded.
    package func keep() throws(FileError) {
        precondition(state == .open, "a part was kept after its end")
        guard let note, size > 0 else { return discard() }
        state = .ended
        defer { abandon() }
        let file = try openFile()
        try file.write(buffer.bytes, at: written)
        // Flushed, so closing has nothing left to report; the worker may be reading still.
        try file.flush()
        let saved = SavedNote(note: note, boot: SavedNote.currentBoot, flushed: written + Int64(buffer.bytes.count))
        if try !directory.saveNote(saved, of: name, durably: true) { try directory.removePart(name) }
    }

    /// Writes what is buffered and then `bytes`, and has both hashed.
    private func spill(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        let file = try openFile()
        let start = written
        try file.write(buffer.bytes, at: start)
        try file.write(bytes, at: start + Int64(buffer.bytes.count))
        written = start + Int64(buffer.bytes.count + bytes.count)
        if follower == nil, hashesAll || written <= Self.inlineHashLimit {
            updateInline(buffer.bytes)
            updateInline(bytes)
        } else {
            follow(file, from: start)
        }
        buffer.removeAll()
        if let note, !noteIsCurrent, written >= Self.noteThreshold {
            let saved = SavedNote(note: note, boot: SavedNote.currentBoot, flushed: 0)
            noteIsStored = try directory.saveNote(saved, of: name, durably: false)
            noteIsCurrent = true
        }
    }

    private func openFile() throws(FileError) -> OpenPart {
        if let file { return file }
        guard written > 0 else {
            let created = try directory.createPart(name)
            file = created
            return created
        }
        let reopened = try directory.reopenPart(name, size: written)
        file = reopened
        // The bytes that were there come first, and are the worker's as all that follow.
        follow(reopened, from: 0)
        return reopened
    }

    private func updateInline(_ bytes: UnsafeRawBufferPointer) {
        if hasher == nil { hasher = SHA256() }
        hasher?.update(bytes)
    }

    private func finalizeInline() -> SHA256Digest {
        (hasher.take() ?? SHA256()).finalize()
    }

    /// Lets the worker hash the file, from `start` on when it takes over.
    private func follow(_ file: OpenPart, from start: Int64) {
        let follower =
            follower ?? HashFollower(file, hasher: hasher.take() ?? SHA256(), hashed: start, worker: worker)
        if self.follower == nil {
            self.follower = follower
            announced = start
        }
        guard written - announced >= Self.inlineHashLimit else { return }
        announced = written
        follower.follow(to: written)
    }

    private func finish(
        _ follower: HashFollower, _ file: OpenPart,
        _ completion: @escaping @Sendable (Result<SealedPart, FileError>) -> Void
    ) {
        self.follower = nil
        let (name, size, hasNote, directory) = (name, size, noteIsStored, directory)
        follower.finish(at: size) { result in
            do throws(FileError) {
                let digest = try result.get()
                try file.close()
                completion(.success(SealedPart(name: name, size: size, digest: digest, hasNote: hasNote)))
            } catch {
                try? directory.removePart(name)
                completion(.failure(error))
            }
        }
    }

    /// Lets go of all that is held; what is stored stays.
    private func abandon() {
        follower?.cancel()
        follower = nil
        hasher = nil
        // The file closes when the worker, too, has let go of it.
        file = nil
        buffer = ByteBuffer()
        announced = 0
    }

    private func drop() {
        let wasStored = file != nil || written > 0
        abandon()
        // What cannot be removed has no note that is valid for a later body, and gives way to one of its name.
        if wasStored { try? directory.removePart(name) }
    }
}
