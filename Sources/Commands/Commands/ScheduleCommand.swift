import Catalog
import Glibc
import Jobs
import Model
import Reports
import SourceKit
import System
import Unattended

/// `runner schedule`: what runs a job by itself.
struct ScheduleCommand {
    let options: Options
    let context: CommandContext

    private var console: Console { context.console }
    private var isCrontab: Bool { options.scheduleFormat == .crontab }

    func run() async -> ExitCode {
        guard options.format == .text else {
            return refuse("--format must be systemd or crontab, not '\(options.format.rawValue)'")
        }
        guard let cadence = options.cadence else { return refuse("schedule needs --every, --daily or --cron") }
        guard options.cadenceFlags.count == 1 else {
            return refuse(
                "\(options.cadenceFlags.joined(separator: " and ")) each say when: give one of them; several times are one "
                    + "--cron '17 4,16 * * *'")
        }
        let loaded = await context.loadJobs(options, asking: .description)
        guard !loaded.hasErrors, !loaded.jobs.isEmpty else { return .invalidJob }
        do {
            let job = try scheduled(loaded.jobs, cadence)
            guard let files = files(of: job) else {
                return refuse(
                    "cron has no times \(cadence.words): a time that divides an hour or a day such as 30m or 4h, or "
                        + "--format systemd")
            }
            let code = try deliver(files)
            if code == .success { await advise(job, files) }
            return code
        } catch let error as ScheduleFault {
            console.complain(error.message)
            return .failed
        } catch {
            console.complain("\(error)")
            return .failed
        }
    }

    private struct ScheduleFault: Error {
        let message: String
    }

    private func refuse(_ message: String) -> ExitCode {
        context.refuse(message, usage: Command.schedule.usage)
    }

    // MARK: What is to run

    private func scheduled(_ jobs: [Job], _ cadence: Cadence) throws -> ScheduledJob {
        let operand = FilePath.absolute(options.operands[0])
        var job = ScheduledJob(
            name: jobs.count == 1 ? jobs[0].name : Self.name(of: operand), executable: try Self.executable(),
            operand: operand, cadence: cadence, jitter: options.jitter.map { $0 / 1_000_000 } ?? cadence.usualJitter)
        job.deadline = options.deadline
        job.wait = options.lockWait
        if options.database != nil || context.environment["RUNNER_DATABASE"] != nil {
            job.database = FilePath.absolute(
                try CatalogLocation.path(flag: options.database, environment: context.environment))
        }
        job.user = options.isForUser && !isCrontab ? nil : options.isForUser ? Self.ownName() : "runner"
        for found in jobs {
            job.writes.append(found.output.directory)
            if let file = found.notify.metricsFile(of: found.name) { job.writes.append(FilePath.folder(of: file)) }
            job.reads += [found.file] + [found.transfer.caFile].compactMap(\.self)
            job.reads += found.source.files.map { $0.path.hasPrefix("/") ? $0.path : "\(found.folder)/\($0.path)" }
            job.hasMedia = job.hasMedia || found.media != nil
            job.hasPrograms = job.hasPrograms || found.source.type == "command" || found.notify.command != nil
            job.variables += found.variables
        }
        job.variables = Set(job.variables).sorted()
        job.writes = Set(job.writes).sorted()
        if let media = context.environment["RUNNER_MEDIA"], job.hasMedia {
            job.environment = [("RUNNER_MEDIA", media)]
        }
        let texts = job.writes + job.reads + [operand, job.executable, job.database ?? ""]
        if let path = texts.first(where: { $0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f } }) {
            throw ScheduleFault(message: "\(displayable(path)) has a control character in its name")
        }
        return job
    }

    /// Of several jobs: that of their file or folder, as units and files of cron may be called.
    private static func name(of path: String) -> String {
        var name = path.split(separator: "/").last.map(String.init) ?? "jobs"
        if let dot = name.lastIndex(of: "."), dot > name.startIndex { name = String(name[..<dot]) }
        let safe = name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "-" }
        return String(String(safe).prefix(64))
    }

    private static func executable() throws -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { throw ScheduleFault(message: "the program's own path is not known: /proc is missing") }
        return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func ownName() -> String {
        getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(getuid())"
    }

    private func files(of job: ScheduledJob) -> [ScheduleFile]? {
        guard isCrontab else { return UnitFiles.make(job) }
        return Crontab.make(job, isSystem: options.installFolder != nil).map { [$0] }
    }

    // MARK: Where it goes

    private func deliver(_ files: [ScheduleFile]) throws -> ExitCode {
        guard let folder = options.installFolder else {
            let usual = options.isForUser ? "~/.config/systemd/user" : "/etc/systemd/system"
            let texts = files.map { isCrontab ? $0.text : "# \(usual)/\($0.name)\n\($0.text)" }
            return console.deliver { try console.output.write(texts.joined(separator: "\n")) }
        }
        let places = files.map { (file: $0, path: "\(folder)/\($0.name)") }
        for (file, path) in places {
            guard let found = Self.text(of: path) else { continue }
            guard found.hasPrefix(ScheduleFile.mark) else {
                throw ScheduleFault(
                    message: "\(path) is there and was not written by runner schedule; it stays as it is")
            }
            guard let old = ScheduleFile.owner(of: found), let new = file.owner, Self.isAnother(old, than: new) else {
                continue
            }
            throw ScheduleFault(
                message: "\(path) runs \(displayable(old)), whose job has the same name: give one of the two another "
                    + "name, or remove \(path) where \(displayable(new)) is to take its place")
        }
        for (file, path) in places {
            try WholeFile.write(to: path, permissions: 0o644, isRegularOnly: true) { try $0.write(file.text) }
        }
        return console.deliver { try console.output.write(places.map { $0.path + "\n" }.joined()) }
    }

    /// Whether a path leads to another file, which is there.
    private static func isAnother(_ old: String, than new: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(old, &first) == 0, stat(new, &second) == 0 else { return false }
        return first.st_dev != second.st_dev || first.st_ino != second.st_ino
    }

    /// The beginning of a file; nil where there is none.
    private static func text(of path: String) -> String? {
        do throws(SystemCallFailure) {
            return String(decoding: try readFile(path, limit: 65_536), as: UTF8.self)
        } catch {
            return error.errno == ENOENT ? nil : ""
        }
    }

    // MARK: What comes next, on stderr

    private func advise(_ job: ScheduledJob, _ files: [ScheduleFile]) async {
        if let user = job.user, !options.isForUser, getpwnam(user) == nil {
            console.tell(
                "there is no user \(user) on this machine: useradd --system --home-dir /var/lib/runner \(user)")
        }
        if options.installFolder != nil, !isCrontab {
            let manager = options.isForUser ? "systemctl --user" : "systemctl"
            console.tell("next: \(manager) daemon-reload; \(manager) enable --now \(files[1].name)")
            if options.isForUser { console.tell("to run while you are not logged in: loginctl enable-linger") }
        }
        guard !isCrontab, !job.cadence.calendarEvents.isEmpty else { return }
        let words = ["systemd-analyze", "calendar", "--iterations=5"] + job.cadence.calendarEvents
        let environment = context.environment
        let end = await offPool { HookCommand(words, in: "/", environment: environment).run(input: []) }
        // Best effort: a machine without systemd may make units for another one.
        if end.problem == nil { console.tell(end.output) }
    }
}
