/// Gives each of several spans of time the lowest lane that is free when it begins, as a browser's waterfall does.
struct Lanes {
    /// Ends of the spans in their lanes, the earliest first: a binary heap.
    private var busy: [(end: Int64, lane: Int)] = []
    /// Lanes that became free, the lowest first.
    private var free: [Int] = []
    /// How many lanes there are.
    private(set) var count = 0

    /// Spans come in the order in which they begin.
    mutating func lane(from start: Int64, to end: Int64) -> Int {
        while let first = busy.first, first.end <= start {
            Self.removeFirst(&busy) { $0.end < $1.end }
            Self.insert(first.lane, into: &free, by: <)
        }
        let lane: Int
        if let lowest = free.first {
            Self.removeFirst(&free, by: <)
            lane = lowest
        } else {
            lane = count
            count += 1
        }
        // A span without length takes its lane all the same, lest those of one moment lie on one another.
        Self.insert((max(end, start + 1), lane), into: &busy) { $0.end < $1.end }
        return lane
    }

    private static func insert<Element>(
        _ element: Element, into heap: inout [Element], by precedes: (Element, Element) -> Bool
    ) {
        heap.append(element)
        var child = heap.count - 1
        while child > 0, precedes(heap[child], heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private static func removeFirst<Element>(
        _ heap: inout [Element], by precedes: (Element, Element) -> Bool
    ) {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var first = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && precedes(heap[child], heap[first])
            {
                first = child
            }
            guard first != parent else { return }
            heap.swapAt(first, parent)
            parent = first
        }
    }
}
