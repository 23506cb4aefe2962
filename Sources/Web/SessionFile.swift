internal import Glibc

/// What a browser gets for the link, kept beside the catalog, so that one that is signed in stays so when `runner web` is
/// started again. The link itself has a new token each time.
enum SessionFile {
    /// After so many seconds a new one is made.
    private static let age = 30 * 24 * 3_600

    /// The kept session, or a new one; that is not kept where the folder may not be written.
    static func session(beside database: String) -> String {
        let path = database + ".session"
        if let kept = read(path) { return kept }
        let session = Access.randomToken()
        // Another name first, so that nobody reads half of it; for its owner only.
        let new = "\(path).\(getpid())"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return session }
        let count = write(descriptor, session, session.utf8.count)
        close(descriptor)
        if count != session.utf8.count || rename(new, path) != 0 { unlink(new) }
        return session
    }

    /// Nil for what is not this user's alone, too old, or no session.
    private static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG,
            information.st_uid == geteuid(), information.st_mode & 0o077 == 0,
            time(nil) - information.st_mtim.tv_sec < age
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        let isSession =
            text.utf8.count == 43 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
        return isSession ? text : nil
    }
}
