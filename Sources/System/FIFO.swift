/// A queue whose front is taken in constant time.
package struct FIFO<Element: Sendable>: Sendable {
    private var storage: [Element] = []
    private var head = 0

    package init() {}

    package var count: Int { storage.count - head }
    package var isEmpty: Bool { count == 0 }
    package var first: Element? { isEmpty ? nil : storage[head] }

    package mutating func append(_ element: Element) {
        storage.append(element)
    }

    package mutating func append(contentsOf elements: some Sequence<Element>) {
        storage.append(contentsOf: elements)
    }

    /// Puts elements before all others.
    package mutating func prepend(_ elements: [Element]) {
        storage.replaceSubrange(..<head, with: elements)
        head = 0
    }

    package mutating func popFirst() -> Element? {
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

    package mutating func popFirst(_ count: Int) -> [Element] {
        var result: [Element] = []
        result.reserveCapacity(min(count, self.count))
        while result.count < count, let element = popFirst() { result.append(element) }
        return result
    }

    package mutating func removeAll() -> [Element] {
        defer { self = FIFO() }
        return Array(storage[head...])
    }

    package mutating func removeAll(where matches: (Element) -> Bool) {
        storage = storage[head...].filter { !matches($0) }
        head = 0
    }
}
