import Archive
import Model
import SourceKit
import YAML

/// A manifest that is open: its lists, in order.
struct Manifest {
    /// What a person should know of it.
    private(set) var warnings: [String] = []
    private var lists: [Entry] = []
    private var next = 0
    private let archive: ZipArchive?
    private let file: SourceFile
    /// Whether the items' paths on disk have those of the list in them.
    private let hasPaths: Bool

    /// A list that is to be read.
    private struct Entry {
        let key: String
        /// nil for a list that is the file itself.
        let entry: ArchiveEntry?
    }

    init(_ options: ManifestOptions, _ context: SourceContext) async throws {
        hasPaths = context.usesField("path")
        // The table of the options lets no manifest without one come this far.
        guard let location = options.url else { throw ManifestError("no url is given") }
        switch location {
        case .web(_, let written):
            file = try await context.download(written, maximumBytes: options.maximumTotalSize.bytes)
        case .file(let path):
            file = try context.open(path)
        }
        let name = location.name
        guard try Self.isArchive(file, name) else {
            archive = nil
            guard file.size <= options.maximumEntrySize.bytes else {
                throw ManifestError("\(name) has \(file.size) bytes, over max_entry_size")
            }
            lists = [Entry(key: name, entry: nil)]
            return
        }
        do {
            let archive = try ZipArchive(descriptor: file.descriptor, limits: options.limits)
            self.archive = archive
            let selection = EntrySelection(archive.entries, include: options.include.values)
            let sum = selection.lists.reduce(Int64(0)) { sum, list in
                // A directory may say of each entry that it has 2^63 bytes.
                let (next, isOver) = sum.addingReportingOverflow(list.entry.size)
                return isOver ? Int64.max : next
            }
            guard sum <= options.maximumTotalSize.bytes else {
                throw ManifestError("the lists have \(sum) bytes together, over max_total_size")
            }
            lists = selection.lists.map { Entry(key: $0.key, entry: $0.entry) }
            warnings = selection.warnings(name)
        } catch {
            throw ManifestError("\(name): \(error)")
        }
    }

    /// Goes to the next list; nil when there is none.
    ///
    /// - Throws: why the file can't be read, or is no list where it should be one by itself.
    mutating func nextList() throws -> ListReading? {
        guard next < lists.count else { return nil }
        let list = lists[next]
        next += 1
        guard let entry = list.entry, let archive else {
            let reader = FileBytes(file)
            do {
                let elements = try ListElements(ByteStream { try reader.next() }, name: list.key)
                return ListReading(key: list.key, elements: elements, hasPaths: hasPaths, isWhole: true)
            } catch let fault as ElementFault {
                throw ManifestError("\(list.key): \(fault)")
            }
        }
        do {
            try archive.begin(entry)
            let elements = try ListElements(ByteStream { try archive.next() }, name: list.key)
            return ListReading(key: list.key, elements: elements, hasPaths: hasPaths, isWhole: false)
        } catch {
            // It fails its collection alone.
            return ListReading(key: list.key, fault: String(describing: error))
        }
    }

    /// By its first bytes; by its name where it has none of either kind, so that a broken ZIP file is called one.
    private static func isArchive(_ file: SourceFile, _ name: String) throws -> Bool {
        let bytes = try FileBytes(file).next() ?? []
        return bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6])
            || name.lowercased().hasSuffix(".zip")
    }
}

/// Why a manifest can't be listed.
struct ManifestError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
