/// A queue whose front is taken in constant time.
struct FIFO<Element: Sendable>: Sendable {
    private var storage: [Element] = []
    private var head = 0

    var count: Int { storage.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : storage[head] }

    mutating func append(_ element: Element) {
        storage.append(element)
    }

    mutating func append(contentsOf elements: some Sequence<Element>) {
        storage.append(contentsOf: elements)
    }

    /// Puts elements before all others.
    mutating func prepend(_ elements: [Element]) {
        storage.replaceSubrange(..<head, with: elements)
        head = 0
    }

    mutating func popFirst() -> Element? {
        guard head < storage.count else { return nil }
        let element = storage[head]
        head += 1
        // Moving the rest when half is used up costs constant time an element.
        if head > 64, head * 2 > storage.count {
            storage.removeFirst(head)
            head = 0
        }
        return element
    }

    mutating func popFirst(_ count: Int) -> [Element] {
        var result: [Element] = []
        result.reserveCapacity(min(count, self.count))
        while result.count < count, let element = popFirst() { result.append(element) }
        return result
    }

    mutating func removeAll() -> [Element] {
        defer { self = FIFO() }
        return Array(storage[head...])
    }

    mutating func removeAll(where matches: (Element) -> Bool) {
        storage = storage[head...].filter { !matches($0) }
        head = 0
    }
}
