import Archive
import Glibc

/// Which entries of a ZIP file are lists, in natural order, and what they are called.
struct EntrySelection {
    /// Each with the name that the folder common to all is taken from.
    let lists: [(key: String, entry: ArchiveEntry)]
    private let include: [String]
    private let others: [String]

    init(_ entries: [ArchiveEntry], include: [String]) {
        self.include = include
        let visible = entries.filter { !$0.isFolder && !Self.isHidden($0.name) }
        var names: Set<String> = []
        // Two of one name have the fault that they are two; one of them is enough to say so.
        let chosen = visible.filter { entry in
            include.contains { Self.matches(entry.name, $0) } && names.insert(entry.name).inserted
        }
        others = visible.map(\.name).filter { !names.contains($0) }
        let folder = Self.commonFolder(of: chosen.map(\.name))
        lists = chosen.map { (String($0.name.dropFirst(folder)), $0) }.sorted { naturallyPrecedes($0.0, $1.0) }
    }

    /// What a person should know of the file.
    func warnings(_ name: String) -> [String] {
        var warnings: [String] = []
        if lists.isEmpty {
            let found = others.isEmpty ? "no other file" : others.prefix(5).joined(separator: ", ")
            warnings.append("\(name): no entry matches include (\(include.joined(separator: ", "))); it has \(found)")
        }
        for (_, entry) in lists where !entry.oddities.isEmpty {
            let oddities = entry.oddities.map(\.rawValue).joined(separator: ", ")
            warnings.append(
                "\(name): the name of entry '\(entry.name)' \(oddities); it is read, since names are no paths here")
        }
        return warnings
    }

    /// What systems add to ZIP files on their own: `__MACOSX`, `.DS_Store` and the like.
    private static func isHidden(_ name: String) -> Bool {
        name.split(separator: "/").contains { $0 == "__MACOSX" || ($0.hasPrefix(".") && $0 != ".." && $0 != ".") }
    }

    private static func matches(_ name: String, _ pattern: String) -> Bool {
        if fnmatch(pattern, name, 0) == 0 { return true }
        let last = name.split(separator: "/").last.map(String.init) ?? name
        return !pattern.contains("/") && fnmatch(pattern, last, 0) == 0
    }

    /// How many characters the folder has that all names begin with, its slash included.
    private static func commonFolder(of names: [String]) -> Int {
        guard let first = names.first, let slash = first.lastIndex(of: "/") else { return 0 }
        var folder = first[...slash]
        for name in names {
            while !name.hasPrefix(folder) {
                guard let slash = folder.dropLast().lastIndex(of: "/") else { return 0 }
                folder = folder[...slash]
            }
        }
        return folder.count
    }
}

/// The order in which people count: `images2` before `images10`; letters in any case.
func naturallyPrecedes(_ left: String, _ right: String) -> Bool {
    var (left, right) = (Array(left.utf8)[...], Array(right.utf8)[...])
    let (wholeLeft, wholeRight) = (left, right)
    while let a = left.first, let b = right.first {
        if isDigit(a), isDigit(b) {
            let (numberA, numberB) = (takeNumber(&left), takeNumber(&right))
            if numberA.count != numberB.count { return numberA.count < numberB.count }
            if !numberA.elementsEqual(numberB) { return numberA.lexicographicallyPrecedes(numberB) }
            continue
        }
        let (lowerA, lowerB) = (lowercase(a), lowercase(b))
        if lowerA != lowerB { return lowerA < lowerB }
        left = left.dropFirst()
        right = right.dropFirst()
    }
    if left.isEmpty != right.isEmpty { return left.isEmpty }
    return wholeLeft.lexicographicallyPrecedes(wholeRight)
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

private func lowercase(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}

/// The digits at the start, without leading zeros.
private func takeNumber(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let digits = bytes.prefix(while: isDigit)
    bytes = bytes[digits.endIndex...]
    return digits.drop { $0 == UInt8(ascii: "0") }
}
