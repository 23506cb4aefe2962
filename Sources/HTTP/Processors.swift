internal import CLinux

/// How many processors this process may run on, at least 1.
package func processorCount() -> Int {
    max(1, Int(clinux_processor_count()))
}

/// A part of the processors that the process may run on.
package struct ProcessorShare: Sendable {
    /// Which of the parts, from 0 on.
    let index: Int
    /// Into how many equal parts they are divided.
    let count: Int

    package init(_ index: Int, of count: Int) {
        self.index = index
        self.count = count
    }

    /// Keeps the calling thread to this part, and the threads that it starts; a part without a processor is all of them.
    func claim() {
        _ = clinux_keep_to_processors(Int32(index), Int32(count))
    }
}

/// Lets the calling thread run wherever the process may.
///
/// Dispatch starts its threads from those that have work for it, so that a queue's thread may be the child of one that
/// claimed a ``ProcessorShare``.
package func useAllProcessors() {
    _ = clinux_keep_to_processors(0, 1)
}
