import Glibc

/// Calls back with attributes for posix_spawn(3) that give a program its signals as from a shell.
///
/// Without them it would inherit those that the starting thread blocks: nearly all, on Dispatch's threads.
func withSpawnAttributes<Result>(_ body: (UnsafeMutablePointer<posix_spawnattr_t>) -> Result) -> Result {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    return withUnsafeMutablePointer(to: &attributes, body)
}
