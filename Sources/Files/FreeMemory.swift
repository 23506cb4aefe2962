internal import CLinux

/// Gives memory that is allocated no more back to the system. It takes some milliseconds.
///
/// What one thread allocates another frees here, page by page of a long list, and the C library keeps the holes: for
/// work that goes on for long.
package func releaseFreeMemory() {
    clinux_release_free_memory()
}
