import Catalog
package import Files
package import SQLite

/// Recovers what a process that was killed between changing files and writing rows left, by the journal of an output
/// directory.
package enum CrashRecovery {
    package typealias Intents = [RelativePath: [PublishJournal.Intent]]

    /// What was left, and is to be done about it.
    package struct Findings {
        /// Files that were replaced, with the items whose rows describe the ones before.
        var replaced: [(item: Int64, intent: PublishJournal.Intent)] = []
        /// The same of metadata files, as they are now.
        var replacedSidecars: [Sidecar] = []
        /// Items whose metadata files were replaced by those of others, which no row claims.
        var withoutSidecar: [Int64] = []
        /// Files that had lost their rows or their names, and their lengths in bytes.
        var retired: [(path: RelativePath, size: Int64)] = []
        /// Files that no row claims and that the job may replace.
        var unclaimed: Intents = [:]
    }

    /// Brings rows up to files that were replaced, and removes files that had lost their rows or their names.
    ///
    /// - Returns: files that no row claims and that the job may replace.
    package static func recover(
        _ journal: PublishJournal, in output: OutputDirectory, job: String, on catalog: Connection
    ) throws -> Intents {
        let findings = try find(try journal.leftovers(), in: output, job: job, on: catalog)
        try apply(findings, in: output, on: catalog)
        return findings.unclaimed
    }

    /// Compares a journal with rows and files, and changes nothing.
    package static func find(
        _ intents: Intents, in output: OutputDirectory, job: String, on catalog: Connection
    ) throws -> Findings {
        var findings = Findings(unclaimed: intents)
        guard !intents.isEmpty else { return findings }
        for (path, claim) in try StoredFileRows.claims(ofJob: job, on: catalog, where: { intents[$0] != nil }) {
            guard let published = findings.unclaimed.removeValue(forKey: path)?.filter({ !$0.isRetirement }),
                let intent = intent(of: path, among: published, in: output), intent.digest.hex != claim.sha256
            else { continue }
            findings.replaced.append((claim.item, intent))
        }
        for sidecar in try SidecarRows.all(ofJob: job, on: catalog, where: { intents[$0] != nil }) {
            guard let intents = findings.unclaimed.removeValue(forKey: sidecar.path)?.filter({ !$0.isRetirement }),
                let intent = intent(of: sidecar.path, among: intents, in: output), intent.digest != sidecar.digest
            else { continue }
            if let owner = try SidecarOwner(of: sidecar.path, in: output, job: job, on: catalog),
                owner.item != sidecar.item
            {
                findings.withoutSidecar.append(sidecar.item)
                findings.unclaimed[sidecar.path] = intents
                continue
            }
            findings.replacedSidecars.append(
                Sidecar(item: sidecar.item, path: sidecar.path, size: intent.size, digest: intent.digest))
        }
        for (path, intents) in findings.unclaimed {
            let retired = intents.filter(\.isRetirement)
            if OutputDirectory.isPicture(path) {
                // Its name is the digest of its bytes.
                findings.unclaimed[path] = nil
                if let size = output.sizeOfPicture(path.last),
                    try !PictureRows.isClaimed(path.text, of: job, on: catalog)
                {
                    findings.retired.append((path, size))
                }
                continue
            }
            guard !retired.isEmpty, let intent = intent(of: path, among: retired, in: output) else { continue }
            findings.retired.append((path, intent.size))
            findings.unclaimed[path] = nil
        }
        return findings
    }

    package static func apply(_ findings: Findings, in output: OutputDirectory, on catalog: Connection) throws {
        for (item, intent) in findings.replaced {
            try StoredFileRows.adopt(intent.size, intent.digest, asItem: item, on: catalog)
        }
        for sidecar in findings.replacedSidecars { try SidecarRows.set(sidecar, on: catalog) }
        for item in findings.withoutSidecar { try SidecarRows.delete(ofItem: item, on: catalog) }
        for (path, _) in findings.retired {
            // The folder of pictures stays: whoever makes some has it open.
            guard !OutputDirectory.isPicture(path) else {
                try output.removePicture(path.last)
                continue
            }
            try output.remove(path)
            output.removeEmptyFolders(above: path)
        }
    }

    /// Which of the intents a file is what became of; nil when it is somebody else's, or not there.
    package static func intent(
        of path: RelativePath, among intents: [PublishJournal.Intent], in output: OutputDirectory
    ) -> PublishJournal.Intent? {
        guard let found = output.information(path), found.isRegular,
            intents.contains(where: { $0.size == found.size }), let digest = try? output.digest(of: path)
        else { return nil }
        return intents.first { $0.size == found.size && $0.digest == digest }
    }
}
