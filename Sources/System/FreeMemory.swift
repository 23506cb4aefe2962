internal import CLinux

/// Gives memory that is allocated no more back to the system. It takes some milliseconds.
///
/// What one thread allocates another frees here, page by page of a long list, and the C library keeps the holes: for
/// work that goes on for long.
package func releaseFreeMemory() {
    clinux_release_free_memory()
}

/// Takes memory from the system 4 MiB at a time, and keeps 8 at hand. To be called before the work begins.
///
/// Bodies are allocated by one thread and freed by another, so that the end of a thread's memory is free one moment and
/// wanted the next. In the C library's small steps that was a fifteenth of all CPU time, in system calls and page faults.
package func takeMemoryInLargeSteps() {
    clinux_set_memory_step(4 << 20)
}
