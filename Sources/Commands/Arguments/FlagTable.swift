import Shards

/// The flags of all commands. A name means the same wherever it is taken, but for `--wait`: a run waits so long for another,
/// submit waits for the engine.
enum FlagTable {
    static let help = Flag(
        switch: "help", letter: "h", in: .general, of: Command.allCases, help: "show this help and exit"
    ) { _ in }

    static let version = Flag(
        switch: "version", letter: "V", in: .general, of: Command.allCases, help: "show the versions and exit"
    ) { _ in }

    static let all: [Flag] =
        selection + settings + times + page + upkeep + shards + scripts + sections + output + [help, version]

    private static let selection = [
        Flag(
            "only", "GLOB", in: .selection, isRepeatable: true, of: [.run, .plan, .shards, .submit],
            help: "items whose key matches GLOB; may be given several times",
            details: "`*` matches any characters, also `/`; `?` one character; `[a-z]` one of a set. An item's URL, "
                + "title or path, as it is, selects it as well."
        ) { text, options throws(UnwantedValue) in options.only.append(try OptionValue.text(text, wanted: "a pattern"))
        },
        Flag(
            "limit", "N", in: .selection, of: [.run, .plan, .search, .shards, .submit],
            help: "the first N items of the list, after --only"
        ) { text, options throws(UnwantedValue) in options.limit = try OptionValue.count(text) },
        Flag(
            "job", "JOB", in: .selection, of: [.run, .search, .favourites],
            help: "only this job: of the jobs in the files, or of the catalog",
            details: "By its name; search and favourites take its file as well."
        ) { text, options throws(UnwantedValue) in options.job = try OptionValue.text(text, wanted: "a job") },
        Flag(
            "failed", "REASON,...", in: .selection, isValueOptional: true, of: [.run, .shards, .submit],
            help: "items whose latest transfer failed or was cancelled, or that have none",
            details:
                "The source is not asked for its list. With reasons such as dns,timeout, only those that failed for "
                + "one of them."
        ) { text, options throws(UnwantedValue) in
            options.isFailedOnly = true
            if !text.isEmpty { options.failureReasons = try OptionValue.reasons(text) }
        },
        Flag(
            switch: "refresh", in: .selection, of: [.run, .thumbnails, .shards, .submit],
            help: "fetch every selected item in full, or make every picture, whatever is stored"
        ) { $0.isRefreshing = true },
        Flag(
            "run", "ID|last|all", in: .selection, of: [.report], help: "one run, the last of each job, or all",
            details: "Default: last; with --since, all."
        ) { text, options throws(UnwantedValue) in options.run = try OptionValue.run(text) },
        Flag(
            "since", "AGE", in: .selection, of: [.report], help: "runs that began at most AGE ago",
            details: "AGE is a duration such as 90m, 12h or 7d."
        ) { text, options throws(UnwantedValue) in options.since = try OptionValue.duration(text) },
        Flag(
            "runs-older-than", "AGE", in: .selection, of: [.prune], help: "runs that began more than AGE ago",
            details: "AGE is a duration such as 12h or 90d."
        ) { text, options throws(UnwantedValue) in options.pruneAge = try OptionValue.duration(text) },
    ]

    private static let settings = [
        Flag(
            "set", "KEY=VALUE", in: .settings, isRepeatable: true,
            of: [.run, .check, .plan, .thumbnails, .adopt, .shards, .submit],
            help: "change a value of the job files; may be given several times",
            details: "KEY is a dotted path such as transfer.rate, VALUE is YAML."
        ) { text, options throws(UnwantedValue) in options.overrides.append(text) },
        Flag(
            switch: "keep-going", in: .settings, of: [.run],
            help: "run the other jobs when a job file is invalid or missing",
            details: "Without it nothing runs. The command then ends with exit code 2 at best."
        ) { $0.keepsGoing = true },
        Flag(
            "concurrency", "N", in: .settings, of: [.run], help: "items in flight at a time, instead of the job file's"
        ) { text, options throws(UnwantedValue) in options.concurrency = try OptionValue.count(text, upTo: 1024) },
        Flag(
            "deadline", "DURATION", in: .settings, of: [.run, .schedule, .shard],
            help: "end the run after DURATION, as 30s, 5m or 2h",
            details: "Transfers in flight get a short time to end; exit code 1."
        ) { text, options throws(UnwantedValue) in options.deadline = try OptionValue.duration(text) },
        Flag(
            "wait", "DURATION", in: .settings, of: [.run, .schedule],
            help: "wait for another run of the same job to end",
            details: "Exit code 75 only when it has not ended after DURATION. --deadline counts this time, too."
        ) { text, options throws(UnwantedValue) in options.lockWait = try OptionValue.duration(text) },
        Flag(
            "jitter", "DURATION", in: .settings, of: [.run, .schedule],
            help: "begin after a delay of at most DURATION, always the same for a job on a machine",
            details: "So that many machines, or many jobs, do not ask at the same second."
        ) { text, options throws(UnwantedValue) in options.jitter = try OptionValue.duration(text) },
        Flag(
            "database", "FILE", in: .settings,
            of: [
                .run, .schedule, .plan, .status, .control, .web, .report, .export, .show, .search, .recents,
                .favourites,
                .remove, .restore, .verify, .reset, .prune, .gc, .adopt, .thumbnails, .doctor, .shards, .merge, .submit,
            ],
            help: "the catalog's file",
            details: "Default: $RUNNER_DATABASE, $STATE_DIRECTORY/runner.sqlite, "
                + "$XDG_STATE_HOME/runner/runner.sqlite, else ~/.local/state/runner/runner.sqlite."
        ) { text, options throws(UnwantedValue) in options.database = try OptionValue.text(text, wanted: "a file name")
        },
    ]

    private static let times = [
        Flag(
            "every", "DURATION", in: .times, of: [.schedule], help: "again and again, as 15m, 4h or 1d",
            details:
                "Times of the clock where DURATION divides an hour or a day; else, with systemd alone, so long after "
                + "the run before."
        ) { text, options throws(UnwantedValue) in try options.addCadence("--every", OptionValue.interval(text)) },
        Flag("daily", "HH:MM", in: .times, of: [.schedule], help: "each day at this time, in the machine's time zone") {
            text, options throws(UnwantedValue) in try options.addCadence("--daily", OptionValue.timeOfDay(text))
        },
        Flag(
            "cron", "FIELDS", in: .times, of: [.schedule],
            help: "at the times of five fields of a crontab, as '17 4 * * 1-5'",
            details: "Also @daily, @hourly, @reboot and the like. For systemd they are translated."
        ) { text, options throws(UnwantedValue) in try options.addCadence("--cron", OptionValue.cron(text)) },
        Flag(
            switch: "user", in: .settings, of: [.schedule],
            help: "for your own service manager or crontab, not the machine's"
        ) { $0.isForUser = true },
        Flag(
            "install", "DIR", in: .output, of: [.schedule], help: "write the files to DIR, as /etc/systemd/system",
            details: "For a crontab a file for /etc/cron.d. A file that schedule has not written is not replaced."
        ) { text, options throws(UnwantedValue) in
            options.installFolder = try OptionValue.text(text, wanted: "a folder")
        },
    ]

    private static let page = [
        Flag(
            "listen", "ADDRESS:PORT", in: .settings, of: [.web], help: "where to serve the page",
            details: "Default: 127.0.0.1:0, a free port of this machine alone."
        ) { text, options throws(UnwantedValue) in options.listen = try OptionValue.text(text, wanted: "an address") },
        Flag(
            "host", "NAME", in: .settings, isRepeatable: true, of: [.web],
            help: "a further name under which the page may be reached; may be given several times",
            details: "For a proxy or another address of this machine. With a port only that one; 127.0.0.1, [::1] and "
                + "localhost are there."
        ) { text, options throws(UnwantedValue) in
            options.hosts.append(try OptionValue.text(text, wanted: "a name, perhaps with a port"))
        },
        Flag(switch: "open", in: .settings, of: [.web], help: "open the page in $BROWSER, or what xdg-open takes") {
            $0.opensBrowser = true
        },
    ]

    private static let upkeep = [
        Flag(
            switch: "repair", in: .settings, of: [.verify], help: "have the next run fetch faulty files in full"
        ) { $0.isRepairing = true },
        Flag(switch: "yes", letter: "y", in: .settings, of: [.reset], help: "delete without asking") {
            $0.isConfirmed = true
        },
        Flag(
            "max-bytes", "SIZE", in: .settings, of: [.gc],
            help: "bytes of items' files to keep of each job, instead of its output.max_bytes",
            details: "SIZE is as in job files, such as 500MB or 2GiB; 0 keeps none."
        ) { text, options throws(UnwantedValue) in options.maximumBytes = try OptionValue.size(text) },
        Flag(switch: "now", in: .settings, of: [.control], help: "with stop: break off what is in flight") {
            $0.isNow = true
        },
        Flag(
            switch: "gone", in: .settings, of: [.gc], help: "remove the files of items that are no longer listed"
        ) { $0.isRemovingGone = true },
        Flag(switch: "dry-run", in: .settings, of: [.gc], help: "print what would go, and change nothing") {
            $0.isDryRun = true
        },
    ]

    private static let shards = [
        Flag("count", "N", in: .settings, of: [.shards, .submit], help: "how many shards") {
            text, options throws(UnwantedValue) in
            options.shardCount = try OptionValue.count(text, upTo: ShardFolder.mostShards)
        },
        Flag(
            "hours", "H", in: .settings, of: [.shards, .submit],
            help: "as many shards as it takes for each to need at most H hours, instead of --count"
        ) { text, options throws(UnwantedValue) in options.shardTime = try OptionValue.hours(text) },
        Flag(
            "dns", "FILE", in: .settings, of: [.doctor],
            help: "look up hosts of a list, as a run does, and say how the resolver does",
            details:
                "FILE has URLs, in any format that a job reads, or a host in each line; \(HostSample.most) of its hosts are "
                + "looked up, twice. Nothing else of doctor asks the network."
        ) { text, options throws(UnwantedValue) in
            options.hostList = try OptionValue.text(text, wanted: "a file name")
        },
        Flag(
            "to", "DIR", in: .settings, of: [.shards, .submit],
            help: "the folder for the shards, which all machines have"
        ) {
            text, options throws(UnwantedValue) in
            options.shardFolder = try OptionValue.text(text, wanted: "a folder")
        },
        Flag(
            "engine", "slurm|kubernetes|parallel", in: .settings, of: [.submit], help: "what runs the shards"
        ) { text, options throws(UnwantedValue) in options.engine = try OptionValue.choice(text) },
        Flag(
            "max-parallel", "P", in: .settings, of: [.submit], help: "how many shards run at a time"
        ) { text, options throws(UnwantedValue) in
            options.mostAtOnce = try OptionValue.count(text, upTo: ShardFolder.mostShards)
        },
        Flag(switch: "wait", in: .settings, of: [.submit], help: "wait for the engine, merge, and end as the run does")
        {
            $0.waits = true
        },
        Flag(
            switch: "print", in: .output, of: [.submit],
            help: "print the engine's files for --count shards, and begin nothing"
        ) { $0.printsOnly = true },
        Flag(
            "image", "IMAGE", in: .settings, of: [.submit], help: "of Kubernetes: the image with the program"
        ) { text, options throws(UnwantedValue) in options.image = try OptionValue.text(text, wanted: "an image") },
        Flag(
            "volume", "CLAIM:PATH", in: .settings, of: [.submit],
            help: "of Kubernetes: the claim of the volume that all machines have, and where it is mounted"
        ) { text, options throws(UnwantedValue) in options.volume = try OptionValue.volume(text) },
        Flag(
            "checkpoint", "DURATION", in: .settings, of: [.shard],
            help: "how often to leave in DIR how far it is (default: 60s)",
            details: "A machine that is lost costs at most so much."
        ) { text, options throws(UnwantedValue) in options.checkpoint = try OptionValue.duration(text) },
    ]

    private static let scripts = [
        Flag(
            "options", "FILE", in: .settings, of: [.source],
            help: "the script's options, a mapping in YAML or JSON as below source.options of a job file"
        ) { text, options throws(UnwantedValue) in
            options.scriptOptions = try OptionValue.text(text, wanted: "a file name")
        }
    ]

    private static let sections = [
        Flag(
            switch: "items", in: .sections, of: [.report], help: "every item: title, size, time taken, outcome",
            details: "For an item that the run did not download, the time of its last download."
        ) { $0.showsItems = true },
        Flag(
            switch: "collections", in: .sections, of: [.report], help: "every collection: counts by outcome, bytes"
        ) { $0.showsCollections = true },
        Flag(
            switch: "failures", in: .sections, of: [.report], help: "what failed, and why"
        ) { $0.showsFailures = true },
        Flag(
            switch: "new", in: .sections, of: [.report],
            help: "items and failures that the runs before did not have"
        ) { $0.showsNews = true },
        Flag(
            switch: "hosts", in: .sections, of: [.report],
            help: "every host: transfers, failures, throttling, reused connections, times, bytes",
            details: "Percentiles are of downloads only; p90 needs 10 of them, p99 100."
        ) { $0.showsHosts = true },
        Flag(
            switch: "shards", in: .sections, of: [.report],
            help: "every shard and every node of a run that many machines shared",
            details: "Percentiles are of downloads: a slow machine shows."
        ) { $0.showsShards = true },
        Flag(
            "slowest", "N", in: .sections, of: [.report], help: "the N slowest transfers, with their phases"
        ) { text, options throws(UnwantedValue) in options.slowest = try OptionValue.count(text) },
    ]

    private static let output = [
        Flag(
            "progress", "auto|bar|plain|json|none", in: .output, of: [.run], help: "how to show the work",
            details:
                "auto: a live screen on a terminal, else nothing. bar: the live screen, or plain where there is no "
                + "terminal. plain: a line on stderr every few seconds. json: one event a line on stdout. Keys of the "
                + "live screen: p pauses and resumes, + and - change the concurrency, q stops, ? shows them."
        ) { text, options throws(UnwantedValue) in options.progress = try OptionValue.choice(text) },
        Flag(
            switch: "quiet", letter: "q", in: .output, of: [.run, .adopt, .thumbnails],
            help: "print only when something failed"
        ) { $0.verbosity = .quiet },
        Flag(
            switch: "verbose", letter: "v", in: .output, of: [.run, .adopt, .thumbnails],
            help: "print a line for each item"
        ) { $0.verbosity = .verbose },
        Flag(
            "log", "FILE|journal", in: .output, of: [.run, .adopt], help: "append a line for each event to FILE",
            details:
                "journal: entries of systemd's journal, with the fields RUNNER_JOB and RUNNER_RUN. A file of that name "
                + "is ./journal. A log that cannot be written is reported, and the run goes on."
        ) { text, options throws(UnwantedValue) in options.log = try OptionValue.text(text, wanted: "a file name") },
        Flag(
            "log-level", "info|debug", in: .output, of: [.run, .adopt],
            help: "what --log has: runs, failures and warnings, or every step of every item",
            details:
                "debug: listed, queued, begun, headers, body, judged, retry-at, published, recorded, each with the "
                + "number of its item."
        ) { text, options throws(UnwantedValue) in options.logLevel = try OptionValue.choice(text) },
        Flag(
            "log-format", "text|json", in: .output, of: [.run, .adopt], help: "lines for people (default), or objects"
        ) { text, options throws(UnwantedValue) in options.logFormat = try OptionValue.choice(text) },
        Flag(
            "format", "text|json|html|csv|jsonl|prometheus|har|trace|systemd|crontab", in: .output,
            of: [.status, .report, .search, .recents, .favourites, .schedule],
            help:
                "for people (default) or for other programs; report has all but systemd and crontab, which are schedule's",
            details: "The other commands have text and json, as have the tables of report --items and the like."
        ) { text, options throws(UnwantedValue) in
            options.scheduleFormat = ScheduleFormat(rawValue: text)
            options.format = .text
            guard options.scheduleFormat == nil else { return }
            guard let format = ReportFormat(rawValue: text) else {
                let names = ReportFormat.allCases.map(\.rawValue) + ScheduleFormat.allCases.map(\.rawValue)
                throw UnwantedValue(wanted: names.dropLast().joined(separator: ", ") + " or " + (names.last ?? ""))
            }
            options.format = format
        },
        Flag(
            switch: "follow", letter: "f", in: .output, of: [.status, .merge],
            help: "go on until the runs have ended, or every shard is home"
        ) { $0.follows = true },
        Flag(
            "compare", "previous|RUN|median:N", in: .sections, of: [.report],
            help: "compare with the run before, a run, or the last N like it",
            details:
                "median:N needs five runs that were complete, with the same selection and settings and about as many "
                + "items, and says what regressed: over the median by four deviations, by a quarter and by 50 ms."
        ) { text, options throws(UnwantedValue) in options.baseline = try OptionValue.baseline(text) },
        Flag(
            "fail-if", "CONDITION", in: .sections, isRepeatable: true, of: [.report],
            help: "exit with 1 when CONDITION holds, and say so; may be given several times",
            details: "CONDITION is 'METRIC OP VALUE' or regression. METRIC is failed, failed%, items, bytes, duration, "
                + "throughput, reused%, or a percentile of downloads such as 'p90 wait' or 'p99 total'."
        ) { text, options throws(UnwantedValue) in
            options.failConditions.append(try OptionValue.condition(text))
        },
        Flag(
            switch: "gallery", in: .output, of: [.report], help: "with --format html: thumbnails, at most 200 of a run"
        ) { $0.hasGallery = true },
        Flag(
            switch: "safe-csv", in: .output, of: [.report, .export],
            help: "put an apostrophe before what a spreadsheet would take for a formula"
        ) { $0.defusesFormulas = true },
        Flag(
            "table", "item|transfer|run", in: .output, of: [.export], help: "items (default), transfers or runs"
        ) { text, options throws(UnwantedValue) in options.table = try OptionValue.choice(text) },
        Flag(
            "output", "FILE", in: .output, of: [.report, .export, .shard],
            help: "write to FILE, whole or not at all; shard: a folder for the files, instead of the job's"
        ) { text, options throws(UnwantedValue) in options.output = try OptionValue.text(text, wanted: "a file name") },
    ]
}
