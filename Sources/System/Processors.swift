internal import CLinux

/// How many processors this process may run on, at least 1.
package func processorCount() -> Int {
    max(1, Int(clinux_processor_count()))
}
