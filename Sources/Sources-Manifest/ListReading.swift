import Core
import HTTP

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
    private var keys = RepeatedKeys()
    private var lastURL: WebURL?

    /// - Parameters:
    ///   - key: the list's name.
    ///   - hasPaths: whether items tell their paths.
    init(key: String, elements: ListElements, hasPaths: Bool) {
        self.init(key: key, elements, hasPaths: hasPaths, fault: nil)
    }

    /// A list that can't be read: one item says why.
    init(key: String, fault: String) {
        self.init(key: key, nil, hasPaths: true, fault: fault)
    }

    private init(key: String, _ elements: ListElements?, hasPaths: Bool, fault: String?) {
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
    /// - Throws: why a list that is a file by itself can't be read on. Of a ZIP file's list that is an item.
    mutating func next() throws -> ListedItem? {
        if let fault {
            self.fault = nil
            isIncomplete = true
            return invalid(0, written: key, "\(key) can't be read: \(fault)")
        }
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
            return invalid(index, written: "", "\(place) of \(key): \(fault)")
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
            url = try WebURL(element.url, near: lastURL)
            lastURL = url
        } catch {
            return invalid(index, written: element.url, "\(place) of \(key): \(error.reason)")
        }
        if let complaint = element.complaint {
            return invalid(index, written: element.url, "\(place) of \(key): \(complaint)")
        }
        let name = url.lastPathSegment
        return ListedItem(
            collection: key, key: prefix + keys.unique(Secrets.withoutUserinfo(element.url)), url: element.url,
            webURL: url, title: element.title ?? (name.isEmpty ? url.host : name),
            fields: hasPaths ? ["path": element.path ?? url.decodedPath] : [:], size: element.size,
            sha256: element.sha256,
            headers: element.headers.sorted { $0.key < $1.key }.map { ListedHeader(name: $0.key, value: $0.value) })
    }

    private func invalid(_ index: Int, written: String, _ reason: String) -> ListedItem {
        let name = "\(key)#@\(index)"
        return ListedItem(
            collection: key, key: name, url: written, title: name, fields: ["path": name],
            invalid: reason)
    }
}

extension ListElement {
    /// What is wrong with what it says beside its URL.
    fileprivate var complaint: String? {
        if let size, size < 0 { return "its size is negative" }
        if let sha256, sha256.utf8.count != 64 || !sha256.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
            return "its sha256 is not of 64 hexadecimal digits"
        }
        if let path, path.utf8.count > 1_000 { return "its path is over 1000 bytes" }
        if let header = headers.first(where: { !HTTPHeader($0.key, $0.value).isValid }) {
            return "its header '\(header.key.prefix(60))' can't be sent"
        }
        return nil
    }
}
