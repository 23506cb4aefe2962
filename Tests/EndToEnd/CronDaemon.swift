import Glibc
import TestSupport

/// Debian's cron, with one crontab, in name spaces of its own: its mail is what it writes, and nothing of the machine's is
/// read or changed. Needs the rights of root.
final class CronDaemon: Sendable {
    private let program: RunningProgram

    static var isThere: Bool { geteuid() == 0 && access("/usr/sbin/cron", X_OK) == 0 }

    private static let script = """
        set -e
        mount -t tmpfs tmpfs /run
        mount -t tmpfs tmpfs /var/spool/cron
        mkdir -m 1730 /var/spool/cron/crontabs
        install -m 600 crontab /var/spool/cron/crontabs/root
        mount -t tmpfs tmpfs /etc/cron.d
        mount --bind /dev/null /etc/crontab
        mkdir programs
        cp /usr/sbin/cron programs
        mkfifo mail
        printf '#!/bin/sh\\nexec cat > %s/mail\\n' "$PWD" > programs/sendmail
        chmod +x programs/sendmail
        mount --bind programs /usr/sbin
        cron -f &
        exec cat mail
        """

    /// Starts it in a folder that has nothing else.
    init(_ crontab: String, in folder: String) throws {
        let file = fopen("\(folder)/crontab", "we")
        guard let file, fputs(crontab, file) >= 0, fclose(file) == 0 else { throw TestSupportError("no crontab") }
        program = try RunningProgram(
            [
                "/usr/bin/unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "/bin/sh", "-c",
                Self.script,
            ], environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], directory: folder)
    }

    /// The first mail.
    func mail() throws -> String { try program.wait().output }
}
