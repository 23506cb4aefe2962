import Glibc

/// Raises this process's limit of open files as far as it may go, but not over 65,536: the usual 1,024 is soon
/// used up by connections, and a vast limit slows down whoever walks all descriptors.
package func raiseOpenFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    let wanted = min(limit.rlim_max, 65_536)
    guard limit.rlim_cur < wanted else { return }
    limit.rlim_cur = wanted
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
