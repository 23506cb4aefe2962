/// The entries of a ZIP file, from its central directory, with everything checked that can be without inflating.
struct CentralDirectory {
    let entries: [ArchiveEntry]

    /// - Throws: a fault that makes the whole file suspect; the fault of one entry is in the entry.
    init(of file: FileReader, limits: ArchiveLimits) throws(ArchiveError) {
        let end = try EndRecord(of: file, limits: limits)
        var bytes = LittleEndian(try file.bytes(Int(end.size), at: end.offset)[...])
        var records: [DirectoryRecord] = []
        for number in 0..<end.entries { records.append(try DirectoryRecord(&bytes, number: number + 1)) }
        guard bytes.rest.isEmpty else {
            throw ArchiveError(
                .damagedDirectory, "\(bytes.rest.count) bytes follow the directory's \(end.entries) records")
        }

        let order = records.indices.sorted { records[$0].headerOffset < records[$1].headerOffset }
        var ranks = Array(repeating: 0, count: records.count)
        var headers: [LocalHeader?] = Array(repeating: nil, count: records.count)
        var previousEnd: Int64 = 0
        for (rank, index) in order.enumerated() {
            let record = records[index]
            guard record.headerOffset >= previousEnd else {
                throw ArchiveError(
                    .overlapping, "entry '\(record.fullName)' begins at \(record.headerOffset), within another one",
                    entry: record.fullName)
            }
            let header = try LocalHeader(of: record, in: file, before: end.offset)
            previousEnd = header.dataEnd
            headers[index] = header
            ranks[index] = rank
        }

        var counts: [String: Int] = [:]
        for record in records where !record.isFolder { counts[record.fullName, default: 0] += 1 }
        entries = records.indices.map { index in
            let record = records[index]
            // The text that people see and that keys are made of has no NUL.
            let name = String(
                String.UnicodeScalarView(record.fullName.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
            let fault = Self.fault(
                of: record, name, headers[index]?.contradiction, isDuplicate: counts[record.fullName, default: 0] > 1,
                limits)
            return ArchiveEntry(
                name: name, size: record.size, packedSize: record.packedSize, isFolder: record.isFolder, fault: fault,
                oddities: NameOddity.all(in: record.fullName, isRenamed: headers[index]?.isRenamed == true),
                rank: ranks[index])
        }
    }

    private static func fault(
        of record: DirectoryRecord, _ name: String, _ contradiction: String?, isDuplicate: Bool, _ limits: ArchiveLimits
    ) -> ArchiveError? {
        func fault(_ kind: ArchiveError.Kind, _ detail: String) -> ArchiveError {
            ArchiveError(kind, "entry '\(name)' \(detail)", entry: name)
        }
        if record.isFolder { return nil }
        if record.isEncrypted { return fault(.encrypted, "needs a password") }
        if let contradiction { return fault(.inconsistent, "is doubtful: \(contradiction)") }
        if isDuplicate { return fault(.duplicateName, "is there more than once") }
        if record.isSymbolicLink { return fault(.symbolicLink, "is a link to another file") }
        // The others, LZMA above all, may ask for gigabytes of memory; programs write them only on request.
        if record.method != 0, record.method != 8 {
            return fault(.unsupportedMethod, "is packed with method \(record.method); stored and deflated can be read")
        }
        if record.method == 0, record.size != record.packedSize {
            return fault(.inconsistent, "is stored, yet has \(record.packedSize) bytes for \(record.size)")
        }
        if record.size > limits.entryBytes {
            return fault(.entryTooLarge, "has \(record.size) bytes, at most \(limits.entryBytes) are allowed")
        }
        if record.size > ArchiveLimits.ratioFloor, record.size / max(1, limits.ratio) > record.packedSize {
            return fault(
                .ratio, "inflates \(record.packedSize) bytes to \(record.size), at most \(limits.ratio)-fold is allowed"
            )
        }
        return nil
    }
}
