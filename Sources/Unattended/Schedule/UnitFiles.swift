import Reports

/// Units of systemd for a job: a service with as few rights as the job needs, its timer, and what hears of failures.
package enum UnitFiles {
    package static func make(_ job: ScheduledJob) -> [ScheduleFile] {
        [
            ScheduleFile(name: "runner-\(job.name).service", text: service(job)),
            ScheduleFile(name: "runner-\(job.name).timer", text: timer(job)),
            ScheduleFile(name: "runner-failed@.service", text: failed(job)),
        ]
    }

    private static func header(_ job: ScheduledJob) -> String {
        "\(ScheduleFile.mark); own changes: systemctl \(job.user == nil ? "--user " : "")edit"
    }

    /// The same for a file that is one job's alone.
    private static func header(_ job: ScheduledJob, _ name: String) -> [String] {
        ["\(header(job)) \(name)", ScheduleFile.ownerLine(job)]
    }

    // MARK: The service

    private static func service(_ job: ScheduledJob) -> String {
        var lines =
            header(job, "runner-\(job.name).service") + [
                "[Unit]", "Description=Fetch what the job \(job.name) lists",
                "Wants=network-online.target", "After=network-online.target", "OnFailure=runner-failed@%N.service", "",
                "[Service]", "Type=oneshot",
            ]
        if let user = job.user {
            lines += ["User=\(user)", "StateDirectory=runner", "StateDirectoryMode=0700"]
        }
        // No RuntimeDirectory=: under PrivateUsers= nobody could read from the process where its control socket is, which
        // otherwise is beside the catalog.
        lines += ["UMask=0027", "NotifyAccess=main"]
        for (name, value) in job.environment { lines.append("Environment=\(quoted("\(name)=\(value)"))") }
        if !job.variables.isEmpty {
            let folder = job.user == nil ? "%h/.config/runner" : "/etc/runner"
            lines += [
                "# \(job.variables.joined(separator: ", ")): a line NAME=value each, mode 0600.",
                "EnvironmentFile=\(folder)/\(job.name).env",
            ]
        }
        if let user = job.user {
            // With full rights, since it may be anywhere.
            for folder in job.writes {
                let word = shellWord(folder)
                let script = "test -d \(word) || install -d -o \(user) -g \"$(id -g \(user))\" \(word)"
                lines.append("ExecStartPre=+/bin/sh -c \(quoted(script, keepsDollars: false))")
            }
        }
        lines.append(
            "ExecStart="
                + job.words(hasJitter: false, log: true).map { quoted($0, keepsDollars: false) }.joined(separator: " "))
        lines += [
            "# Another run holds the job: it is being done.", "SuccessExitStatus=75",
            "# A run that gets on has more time, five minutes at a time.",
            "TimeoutStartSec=\(job.deadline.map { "\(min($0 / 1_000_000, 1 << 40) + 900)" } ?? "1h")",
            "TimeoutStopSec=2min",
            "LimitNOFILE=16384",
        ]
        return (lines + restrictions(job)).joined(separator: "\n") + "\n"
    }

    /// Everything that the job can do without.
    private static func restrictions(_ job: ScheduledJob) -> [String] {
        var lines: [String] = []
        // The service manager of a user has no right to make name spaces for its units on every system.
        if job.user != nil {
            let seesHomes = job.isAnyPath(below: ["/home", "/root", "/run/user"])
            let seesTemporary = job.isAnyPath(below: ["/tmp", "/var/tmp"])
            for folder in job.writes + (job.database.map { [self.folder(of: $0)] } ?? []) {
                lines.append("ReadWritePaths=\(quoted("-" + folder))")
            }
            lines += [
                "ProtectSystem=strict", "ProtectHome=\(seesHomes ? "read-only" : "true")",
                "PrivateTmp=\(seesTemporary ? "false" : "true")", "PrivateDevices=true", "PrivateUsers=true",
                "ProtectClock=true", "ProtectControlGroups=true", "ProtectHostname=true", "ProtectKernelLogs=true",
                "ProtectKernelModules=true", "ProtectKernelTunables=true", "ProtectProc=invisible", "ProcSubset=pid",
                "RemoveIPC=true", "KeyringMode=private", "CapabilityBoundingSet=",
            ]
        }
        lines += ["NoNewPrivileges=true", "LockPersonality=true"]
        // orc, which scales pictures, and languages that scripts are written in make code while they run.
        if !job.hasMedia, !job.hasPrograms { lines.append("MemoryDenyWriteExecute=true") }
        lines += [
            "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK", "RestrictNamespaces=true",
            "RestrictRealtime=true", "RestrictSUIDSGID=true", "SystemCallArchitectures=native",
            "SystemCallFilter=@system-service", "SystemCallFilter=~@privileged",
            "# With these runner-media gives up the rights that it has left.",
            "SystemCallFilter=\(systemCallsOfSandbox)", "SystemCallErrorNumber=EPERM",
        ]
        return lines
    }

    /// landlock_* and seccomp are of no group of systemd 252; capset is of `@privileged`, and only takes away here.
    private static let systemCallsOfSandbox =
        "capset landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp"

    private static func folder(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    // MARK: The timer

    private static func timer(_ job: ScheduledJob) -> String {
        let events = job.cadence.calendarEvents
        var lines =
            header(job, "runner-\(job.name).timer") + [
                "[Unit]",
                "Description=Run the job \(job.name) \(job.cadence.words.replacing("%", with: "%%"))", "", "[Timer]",
            ]
        if case .every(let minutes) = job.cadence, events.isEmpty {
            lines += [
                "# No time of the day comes every \(minutes) minutes.", "OnBootSec=5min",
                "OnUnitActiveSec=\(minutes)min",
            ]
        } else if events.isEmpty {
            lines.append("OnBootSec=1min")
        } else {
            lines += events.map { "OnCalendar=\($0)" }
            lines += ["# What was missed while the machine was off is made up for once.", "Persistent=true"]
        }
        if job.jitter > 0 {
            lines += [
                "# The same delay each time, another one on other machines.", "RandomizedDelaySec=\(job.jitter)",
                "FixedRandomDelay=true",
            ]
        }
        return (lines + ["", "[Install]", "WantedBy=timers.target"]).joined(separator: "\n") + "\n"
    }

    // MARK: Failures

    private static func failed(_ job: ScheduledJob) -> String {
        let journal = job.user == nil ? "journalctl --user" : "journalctl"
        let invocation = job.user == nil ? "USER_INVOCATION_ID" : "_SYSTEMD_INVOCATION_ID"
        // The variables are set by systemd for what OnFailure= starts, from version 251.
        let script =
            "text=$$(\(journal) --no-pager --output=cat --lines=1000 \(invocation)=\\\"$$MONITOR_INVOCATION_ID\\\"); "
            + "printf '%%s\\\\n' \\\"$$text\\\" | systemd-cat -t runner-failed -p err; "
            + "if command -v mail >/dev/null; then printf '%%s\\\\n' \\\"$$text\\\" | "
            + "mail -s \\\"%i failed on %H: $$MONITOR_EXIT_STATUS\\\" root; fi"
        var lines = [
            "\(header(job)) runner-failed@.service", "[Unit]", "Description=Report the failure of %i", "", "[Service]",
            "Type=oneshot", "ExecStart=/bin/sh -c \"\(script)\"", "TimeoutStartSec=5min",
        ]
        // With these the mailers of a user, which have rights of their own, could not write their queues.
        if job.user != nil { lines += restrictionsOfHandler }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What reads the journal and hands mail to a local queue can do without. Mailers run with rights of their own: they
    /// change to their users, and write below /var.
    private static let restrictionsOfHandler = [
        "UMask=0077", "ProtectSystem=strict", "# Queues, mailboxes and logs of mail.",
        "ReadWritePaths=-/var/spool -/var/mail -/var/log", "ProtectHome=read-only", "PrivateTmp=true",
        "PrivateDevices=true", "PrivateMounts=true",
        "# Mail goes to a queue of this machine. For a program that sends itself, such as msmtp, in systemctl edit:",
        "# PrivateNetwork=no, IPAddressDeny=, RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX.",
        "PrivateNetwork=true", "IPAddressDeny=any", "RestrictAddressFamilies=AF_UNIX", "ProtectClock=true",
        "ProtectControlGroups=true", "ProtectHostname=true", "ProtectKernelLogs=true", "ProtectKernelModules=true",
        "ProtectKernelTunables=true", "ProtectProc=invisible", "ProcSubset=pid", "LockPersonality=true",
        "MemoryDenyWriteExecute=true", "RemoveIPC=true", "KeyringMode=private", "RestrictNamespaces=true",
        "RestrictRealtime=true", "RestrictSUIDSGID=true",
        "CapabilityBoundingSet=CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_SETGID CAP_SETUID",
        "SystemCallArchitectures=native", "SystemCallFilter=@system-service", "SystemCallErrorNumber=EPERM",
    ]

    // MARK: Words

    /// A word as unit files quote it: `%` is theirs, and so is `$` in command lines.
    static func quoted(_ word: String, keepsDollars: Bool = true) -> String {
        var result = ""
        var isPlain = !word.isEmpty
        for scalar in word.unicodeScalars {
            switch scalar {
            case "%": result += "%%"
            case "$" where !keepsDollars: result += "$$"
            case "\"", "\\":
                result += "\\\(scalar)"
                isPlain = false
            case "'", " ", ";", "#":
                result.unicodeScalars.append(scalar)
                isPlain = false
            default: result.unicodeScalars.append(scalar)
            }
        }
        return isPlain ? result : "\"\(result)\""
    }
}
