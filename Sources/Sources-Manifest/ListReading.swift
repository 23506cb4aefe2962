import HTTP
import Model

/// One list while it is read: makes items of its elements.
struct ListReading {
    let collection: ListedCollection
    private let key: String
    /// What the keys of its items begin with.
    private let prefix: String
    /// Whether items tell their paths.
    private let hasPaths: Bool
    /// nil at the end.
    private var elements: ListElements?
    /// Why there are no elements.
    private var fault: String?
    private var index = -1
    /// Whether there are elements that could not be read, how many and which nobody knows.
    private(set) var isIncomplete = false
    /// Items that were read to see whether this is a list at all, and what came at their end; nil before that.
    private var first: ArraySlice<ListedItem>?
    private var firstFault: (any Error)?
    /// Elements of them that are no URLs, and what is wrong with the first.
    private var foreign = 0
    private var firstForeign: String?
    /// Whether the list is a file by itself.
    private let isWhole: Bool
    private var keys = RepeatedKeys()
    private var lastURL: WebURL?

    /// So many elements show whether something is a list.
    private static let sample = 100
    /// Fewer elements that are no URLs are each reported, also where they are most of a short list.
    private static let leastForeign = 10

    /// - Parameters:
    ///   - key: the list's name.
    ///   - hasPaths: whether items tell their paths.
    ///   - isWhole: whether the list is a file by itself, not an entry of a ZIP file.
    init(key: String, elements: ListElements, hasPaths: Bool, isWhole: Bool) {
        self.init(key: key, elements, hasPaths: hasPaths, isWhole: isWhole, fault: nil)
    }

    /// A list that can't be read: one item says why.
    init(key: String, fault: String) {
        self.init(key: key, nil, hasPaths: true, isWhole: false, fault: fault)
    }

    private init(key: String, _ elements: ListElements?, hasPaths: Bool, isWhole: Bool, fault: String?) {
        self.isWhole = isWhole
        self.key = key
        prefix = "\(key)#"
        self.hasPaths = hasPaths
        self.elements = elements
        self.fault = fault
        let slash = key.lastIndex(of: "/").map(key.index(after:)) ?? key.startIndex
        let dot = key[slash...].dropFirst().lastIndex(of: ".")
        collection = ListedCollection(key: key, title: String(key[..<(dot ?? key.endIndex)]))
    }

    /// The next item; nil at the end of the list.
    ///
    /// - Throws: why a list that is a file by itself can't be read on, or is none. Of a ZIP file's list that is an item.
    mutating func next() throws -> ListedItem? {
        if let fault {
            self.fault = nil
            return unreadable(fault)
        }
        if first == nil, let fault = readFirst() {
            if isWhole { throw ManifestError("\(key): \(fault)") }
            return unreadable(fault)
        }
        if let item = first?.popFirst() { return item }
        if let firstFault {
            self.firstFault = nil
            throw firstFault
        }
        return try nextItem()
    }

    private mutating func unreadable(_ fault: String) -> ListedItem {
        isIncomplete = true
        elements = nil
        return invalid(0, written: key, "\(key) can't be read: \(fault)")
    }

    /// Reads the first elements.
    ///
    /// - Returns: why this is no list: most of them are no URLs.
    private mutating func readFirst() -> String? {
        var items: [ListedItem] = []
        do {
            while items.count < Self.sample, let item = try nextItem() { items.append(item) }
        } catch {
            firstFault = error
        }
        first = []
        guard foreign >= Self.leastForeign, foreign * 2 > items.count else {
            first = items[...]
            return nil
        }
        return "\(foreign) of its first \(items.count) elements are no URLs (the first: \(firstForeign ?? ""))"
    }

    private mutating func noteForeign(_ reason: String) {
        foreign += 1
        firstForeign = firstForeign ?? reason
    }

    private mutating func nextItem() throws -> ListedItem? {
        guard var elements = elements.take() else { return nil }
        index += 1
        do {
            guard let element = try elements.next() else { return nil }
            let place = elements.place
            self.elements = elements
            return item(element, at: place)
        } catch let fault as ElementFault {
            let place = elements.place
            self.elements = elements
            isIncomplete = isIncomplete || fault.losesOthers
            if fault.url == nil { noteForeign(fault.description) }
            return invalid(index, written: fault.url ?? "", "\(place) of \(key): \(fault)")
        } catch let error as ManifestError {
            throw error
        } catch {
            isIncomplete = true
            return invalid(index, written: "", "\(elements.place) of \(key): \(error)")
        }
    }

    private mutating func item(_ element: ListElement, at place: String) -> ListedItem {
        let url: WebURL
        do throws(WebURLError) {
            url = try WebURL(element.url, reusingOriginOf: lastURL)
            lastURL = url
        } catch {
            // A URL that is not for this program, as of FTP, is one.
            if !element.url.contains("://") { noteForeign(error.reason) }
            return invalid(index, written: element.url, "\(place) of \(key): \(error.reason)")
        }
        if let complaint = element.complaint {
            return invalid(index, written: element.url, "\(place) of \(key): \(complaint)")
        }
        let name = url.lastPathSegment
        return ListedItem(
            collection: key, key: prefix + keys.unique(Secrets.withoutUserinfo(element.url)), url: element.url,
            webURL: url, title: element.title ?? (name.isEmpty ? url.host : name),
            metadata: element.metadata,
            fields: hasPaths ? ["path": element.path ?? url.decodedPath] : [:], size: element.size,
            sha256: element.sha256,
            headers: element.headers.sorted { $0.key < $1.key }.map { ListedHeader(name: $0.key, value: $0.value) })
    }

    private func invalid(_ index: Int, written: String, _ reason: String) -> ListedItem {
        let name = "\(key)#@\(index)"
        return ListedItem(
            collection: key, key: name, url: written, title: name, invalid: reason)
    }
}

extension ListElement {
    /// What is wrong with what it says beside its URL.
    fileprivate var complaint: String? {
        if let size, !(0...1 << 53).contains(size) { return ElementFault.size }
        if let sha256, sha256.utf8.count != 64 || !sha256.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
            return "its sha256 is not of 64 hexadecimal digits"
        }
        if let path, path.utf8.count > 1_000 { return "its path is over 1000 bytes" }
        return HeaderRules.complaint(ofListed: headers)
    }
}
