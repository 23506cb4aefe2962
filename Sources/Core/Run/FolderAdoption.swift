import Catalog
import Files
import FoundationEssentials
import Glibc
import HTTP
import Jobs
import Model
import SQLite
import System
import Transfer

/// The files of a folder that are nobody's yet, for `runner adopt`: found by their paths, and by their digests where the
/// list tells those. Nothing of them is changed.
final class FoundFiles {
    private let output: OutputDirectory
    private let paths: [String]
    /// Indices of `paths`, by what the name may be without its extension.
    private var byStem: [String: [Int]] = [:]
    /// Once a digest is wanted.
    private var bySize: [Int64: [Int]]?
    private var digests: [Int: SHA256Digest] = [:]

    /// Reads the names in a folder and its folders, without `.runner`.
    init(in output: OutputDirectory, directory: String) throws {
        self.output = output
        let own = ".runner/"
        let found: [String]
        do {
            found = try FileManager.default.subpathsOfDirectory(atPath: directory)
        } catch {
            throw SystemCallFailure(call: "reading \(directory)", errno: errno)
        }
        paths = found.filter { !$0.hasPrefix(own) && $0 != ".runner" }.sorted()
        for (index, path) in paths.enumerated() {
            byStem[path, default: []].append(index)
            let name = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
            for dot in path[name...].indices where path[dot] == "." && dot > name {
                byStem[String(path[..<dot]), default: []].append(index)
            }
        }
    }

    /// The files that may be an item's by their paths, then those that are by their bytes.
    func candidates(stem: String, _ expectedContent: ExpectedContent) -> [(path: RelativePath, extension: String?)] {
        let marks: Set<Character> = [PathTemplate.extensionMark, PathTemplate.keptDot]
        var base = String(stem.prefix { !marks.contains($0) })
        if base.count < stem.count, base.hasSuffix(".") { base.removeLast() }
        var found = (byStem[base] ?? []).filter { index in
            let path = paths[index]
            return PathTemplate.path(stem: stem, extension: Self.extension(of: path) ?? "") == path
        }
        if let digest = expectedContent.sha256, let size = expectedContent.size {
            found += files(of: size).filter { digests[$0] == digest }
        } else if let digest = expectedContent.sha256 {
            found += paths.indices.filter { self.digest($0) == digest }
        }
        return found.compactMap { index in
            (try? RelativePath(validating: paths[index])).map { ($0, Self.extension(of: paths[index])) }
        }
    }

    /// The files of a size, their digests known.
    private func files(of size: Int64) -> [Int] {
        let sizes =
            bySize
            ?? Dictionary(grouping: paths.indices) { index in
                (try? RelativePath(validating: paths[index])).flatMap(output.information)
                    .flatMap { $0.isRegular ? $0.size : nil } ?? -1
            }
        bySize = sizes
        let files = sizes[size] ?? []
        for index in files { _ = digest(index) }
        return files
    }

    private func digest(_ index: Int) -> SHA256Digest? {
        if let digest = digests[index] { return digest }
        guard let path = try? RelativePath(validating: paths[index]),
            output.information(path)?.isRegular == true, let digest = try? output.digest(of: path)
        else { return nil }
        digests[index] = digest
        return digest
    }

    private static func `extension`(of path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
        return String(name[name.index(after: dot)...])
    }
}

/// What becomes of a folder that a job takes over: `runner adopt`.
///
/// Confined to the catalog's queue, like the ledger.
final class FolderAdoption {
    private let context: RunContext
    /// What is in the folder, once it is wanted.
    private var found: FoundFiles?
    /// How many items took a file of it, and how many found none.
    private var adopted = 0
    private var missing = 0

    init(_ context: RunContext) {
        self.context = context
    }

    /// Has an item take a file that is there already, in place of a request; nil where there is none for it.
    func adopt(_ row: ItemRow, _ expectedContent: ExpectedContent, on catalog: Connection, now: Int64) throws
        -> ItemRow?
    {
        let files = try found ?? FoundFiles(in: context.output, directory: context.job.output.directory)
        found = files
        for (path, fileExtension) in files.candidates(stem: row.stem, expectedContent) {
            guard let information = context.output.information(path), information.isRegular,
                expectedContent.size ?? information.size == information.size,
                try !ItemRows.isClaimed(
                    path: path.text, besides: row.id, inJob: context.job.name, on: catalog),
                let digest = try? context.output.digest(of: path), expectedContent.sha256 ?? digest == digest
            else { continue }
            let file = AdoptedFile(
                path: path, extension: fileExtension, size: information.size, digest: digest,
                lastModified: formatHTTPDate(information.modified))
            try file.enter(as: row.id, run: context.run, on: catalog, now: now)
            adopted += 1
            var row = row
            (row.state, row.path, row.failure, row.isUnsettled) = (.stored, path.text, nil, false)
            return row
        }
        missing += 1
        return nil
    }

    /// What became of the folder, for people.
    var summary: String {
        func files(_ count: Int) -> String { count == 1 ? "1 file is" : "\(count) files are" }
        let rest = missing == 0 ? "" : "; \(missing) of the list have none, and the next run fetches them"
        return "\(files(adopted)) the job's now\(rest)"
    }
}

extension RunLedger {
    /// Ends an item that takes a file that is there already; nil where there is none for it.
    func adopt(
        _ row: ItemRow, _ expectedContent: ExpectedContent, _ collection: String, from adoption: FolderAdoption,
        on catalog: Connection, now: Int64
    ) throws -> RunEvent? {
        guard let adopted = try adoption.adopt(row, expectedContent, on: catalog, now: now) else { return nil }
        return try settle(adopted, TransferRecord(outcome: .fresh), collection, on: catalog, now: now)
    }
}
