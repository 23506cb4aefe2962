/// One entry of a ZIP file, as its directory has it.
package struct ArchiveEntry: Hashable, Sendable {
    /// The name as text. It comes from whoever made the file: it is no path, and may hold any character but NUL.
    package let name: String
    /// Bytes, inflated.
    package let size: Int64
    /// Bytes in the file.
    let packedSize: Int64
    /// A folder has no bytes of its own.
    package let isFolder: Bool
    /// Why the entry can't be read; the others can.
    package internal(set) var fault: ArchiveError?
    /// What is odd in the name and would lead a program astray that takes it for a path.
    package let oddities: [NameOddity]
    /// Its rank by the place of its data, which is the order in which entries are read.
    var rank = 0
}

/// What is odd in an entry's name.
package enum NameOddity: String, Hashable, Sendable, CaseIterable {
    case leadsOut = "leads out of its folder"
    case absolute = "is absolute"
    case driveLetter = "begins with a drive letter"
    case backslash = "has a backslash"
    case nul = "has a NUL"
    /// The name here is the directory's.
    case renamed = "is another one in the entry's own header"

    /// The oddities of a name, where NUL is not replaced yet.
    static func all(in name: String, isRenamed: Bool) -> [NameOddity] {
        let bytes = Array(name.utf8)
        let slash = UInt8(ascii: "/")
        let backslash = UInt8(ascii: "\\")
        let isLetter = bytes.first.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) } ?? false
        let leadsOut = bytes.split { $0 == slash || $0 == backslash }.contains { $0.elementsEqual("..".utf8) }
        return allCases.filter { oddity in
            switch oddity {
            case .leadsOut: leadsOut
            case .absolute: bytes.first == slash || bytes.first == backslash
            case .driveLetter: isLetter && bytes.dropFirst().first == UInt8(ascii: ":")
            case .backslash: bytes.contains(backslash)
            case .nul: bytes.contains(0)
            case .renamed: isRenamed
            }
        }
    }
}
