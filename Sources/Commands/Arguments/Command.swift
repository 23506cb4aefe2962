/// A word that may follow `runner`. The table of commands: help, usage lines and documentation come from here.
enum Command: String, CaseIterable, Sendable {
    case run, `init`, check, plan, status, control, schedule, web, report, export, show, search, recents, favourites,
        remove, restore, verify, reset, prune, gc, adopt, thumbnails
    case shards, shard, merge, submit
    case sources, source, doctor, completions, man, help

    /// One line for the list of commands.
    var summary: String {
        switch self {
        case .run: "fetch what job files list; `run` may be left out"
        case .`init`: "write a job file to begin with"
        case .check: "validate job files, without the network"
        case .plan: "list what a run would fetch and where it would put it"
        case .status: "which runs are at work, and how far they are"
        case .control: "steer a run that is at work: pause, limits, stop, retry"
        case .schedule: "units of systemd, or a crontab, that run a job by themselves"
        case .report: "read the catalog: runs, timings, sizes, failures"
        case .export: "write items, transfers or runs as CSV or JSON Lines"
        case .show: "everything that is known of one item"
        case .search: "find items by words of their titles"
        case .recents: "the items that were looked at last"
        case .favourites: "list favourites, add some or remove some"
        case .remove: "delete items' files; no run fetches them again"
        case .restore: "have the next run fetch removed items again"
        case .verify: "check stored files against the catalog"
        case .reset: "delete what a job stored, or one collection of it"
        case .prune: "delete old runs; their sums by day stay"
        case .adopt: "take what a folder has already as a job's files, and fetch nothing"
        case .gc: "evict what is over output.max_bytes, remove leftovers"
        case .thumbnails: "make the pictures that are missing of what is stored"
        case .web: "a page to look at jobs and pictures, and to run them"
        case .shards: "list a job once, and divide what is to be fetched among machines"
        case .shard: "fetch what one shard has, on one machine"
        case .merge: "bring what machines did home into the catalog"
        case .submit: "hand the shards of a job to Slurm, Kubernetes or GNU parallel"
        case .sources: "the source modules, and the options of one"
        case .source: "test a script of your own against the rules for scripts"
        case .doctor: "say what is wrong with this machine"
        case .completions: "the script that completes command lines in a shell"
        case .man: "a manual page: runner (default) or runner-job"
        case .help: "the help of a command"
        }
    }

    /// What stands on the command line beside flags.
    var operands: Operands {
        switch self {
        case .run, .check, .thumbnails, .adopt: Operands(text: "JOB...", count: 1...Int.max)
        case .`init`: Operands(text: "SOURCE [FILE]", count: 1...2, words: ["a source, or a list of URLs"])
        case .plan, .schedule, .shards, .submit: Operands(text: "JOB", count: 1...1)
        case .shard:
            Operands(text: "run FILE", count: 2...2, words: ["the word run", "a shard, such as DIR/0000.shard"])
        case .merge: Operands(text: "DIR", count: 1...1, words: ["the folder with the shards"])
        case .control:
            Operands(
                text: "JOB ACTION [KEY...]", count: 2...Int.max,
                words: [
                    "a job, by name or file",
                    "an action: " + ControlAction.allCases.map(\.rawValue).joined(separator: ", "),
                ])
        case .status, .report, .verify, .gc: Operands(text: "[JOB...]", count: 0...Int.max)
        case .export:
            Operands(text: "FORMAT [JOB...]", count: 1...Int.max, words: ["a format: csv or jsonl"])
        case .show:
            Operands(
                text: "JOB ITEM", count: 2...2,
                words: ["a job, by name or file", "an item of the job: its key, URL, title or path"])
        case .search: Operands(text: "WORD...", count: 1...Int.max, words: ["a word of a title"])
        case .recents: Operands(text: "", count: 0...0)
        case .favourites: Operands(text: "[add|remove KEY...]", count: 0...Int.max)
        case .remove, .restore:
            Operands(
                text: "JOB KEY...", count: 2...Int.max,
                words: ["a job, by name or file", "an item of the job: its key, URL, title or path"])
        case .reset: Operands(text: "JOB [COLLECTION|ITEM]", count: 1...2, words: ["a job, by name or file"])
        case .prune: Operands(text: "", count: 0...0)
        case .web: Operands(text: "[JOB...]", count: 0...Int.max)
        case .sources: Operands(text: "[TYPE|CMD]", count: 0...1)
        case .source:
            Operands(
                text: "test CMD...", count: 2...Int.max, words: ["the word test", "a script, and its arguments"])
        case .doctor: Operands(text: "", count: 0...0)
        case .completions: Operands(text: "SHELL", count: 1...Int.max, words: ["the name of a shell: bash or zsh"])
        case .man: Operands(text: "[PAGE]", count: 0...1)
        case .help: Operands(text: "[COMMAND]", count: 0...1)
        }
    }

    /// The paragraphs of `runner COMMAND --help` between the usage line and the flags.
    var details: [String] {
        switch self {
        case .run:
            [
                "JOB is a YAML file, or a folder whose *.yaml files all run, side by side. "
                    + "All job files are checked before anything runs.",
                "A second run asks for nothing that is still fresh. The first SIGINT, SIGTERM or SIGHUP lets transfers "
                    + "in flight end, the second stops at once; the next run goes on from there.",
            ]
        case .`init`:
            [
                "SOURCE is a source such as flags, or a list of URLs: a file or an http or https URL. Writes FILE, or a file "
                    + "named after SOURCE in the current folder; a file that is there is never replaced.",
                "Every key is in it, with what it does; those with a default are commented out.",
            ]
        case .check:
            [
                "Reports every fault of every file with its line, and the name of each job that is sound. "
                    + "JOB is a YAML file, or a folder of *.yaml files."
            ]
        case .plan:
            [
                "Asks the source for its list and prints an item a line: key, title, path, action, URL. The action is "
                    + "fetch, ask (the server is asked whether it changed), fresh, evicted, duplicate, not-asked or invalid. "
                    + "No item is downloaded, and the catalog stays as it is. Into a pipe or a file the fields are separated by tabs, without a heading."
            ]
        case .status:
            [
                "JOB is a job's name or its file; without one, every run that is at work with this catalog, and where there "
                    + "is none the last run of each job. With --follow a line whenever something changes, until the runs "
                    + "have ended.",
                "With --format json what the run's control socket answers, see docs/control.md; with --follow an event a "
                    + "line.",
            ]
        case .control:
            [
                "JOB is a job's name or its file. The answer comes when the change has taken effect. ACTION is one of:",
                "pause [COLLECTION...], resume [COLLECTION...]: begins nothing more, or goes on. What is in flight has ten "
                    + "seconds to end, then it is broken off, and goes on later where it was.",
                "stop: begins nothing more and ends the run; what is in flight may end, with --now not even that.",
                "concurrency N, per-host N, bandwidth RATE|none: changes a limit of the job file for this run. Nothing in "
                    + "flight is broken off.",
                "cancel KEY...: cancels items, by key, URL, title or path, or collections, by key. The next run fetches "
                    + "them.",
                "retry [KEY...]: tries again what failed in this run, or these items.",
            ]
        case .schedule:
            [
                "JOB is a job file, or a folder of job files. Prints what runs it by itself: a service and a timer of systemd, "
                    + "and what tells of failures, or with --format crontab the lines of a crontab. With --install they are "
                    + "written to a folder, and the commands that take them into use are printed.",
                "The service may do what the job needs and no more: it writes to the output directory and the catalog alone. "
                    + "A run that was missed is made up for, each machine has a delay of its own, and a run that still goes "
                    + "on is not disturbed. It is the user runner's, unless --user makes it yours.",
            ]
        case .report:
            [
                "JOB is a job's name or its file; without one, every job of the catalog. "
                    + "Shows the last run of each job unless --run or --since says otherwise. Of several jobs or runs it is a "
                    + "line each, of the last runs those that failed first.",
                "Of one run, without a table, it tells which transfers were slow, and what failed and what to do about it. A text on "
                    + "a terminal fits its width, and goes through $PAGER where it is longer than the screen.",
                "csv and jsonl have a row for each transfer, with the columns of the view v_transfer. prometheus is a file for "
                    + "node_exporter's textfile collector, har opens in the network panel of a browser, trace in Perfetto.",
            ]
        case .export:
            [
                "FORMAT is csv or jsonl. JOB is a job's name or its file; without one, every job of the catalog. The columns are "
                    + "those of the views v_item and v_transfer, or of the table run. Rows are read and written bit by bit, "
                    + "however many there are.",
                "A cell of CSV that begins with = + - @, a tab or a carriage return is a formula to a spreadsheet: --safe-csv "
                    + "puts an apostrophe before it. Without it texts are as the catalog has them.",
            ]
        case .show:
            [
                "JOB is a job's name or its file, ITEM an item's key, URL, title or path. Shows where its file is, its pictures, its metadata, its "
                    + "transfer in every run with the phases, and a curl command line that asks for it as the job does. "
                    + "Secrets are shown as ${NAME}. The item counts as viewed now: under output.max_bytes it goes last."
            ]
        case .search, .recents, .favourites, .remove, .restore: itemDetails
        case .verify:
            [
                "JOB is a job's name or its file; without one, every job of the catalog. Prints a line for each file that "
                    + "is missing, truncated, changed or unreadable: fault, job, key, path, detail. Into a pipe or a file "
                    + "the fields are separated by tabs.",
                "With --repair the next run fetches what is faulty in full and replaces it; until then it stays as it is.",
            ]
        case .reset:
            [
                "JOB is a job's name or its file, COLLECTION the key or title of one of its collections, ITEM the key, URL, "
                    + "title or path of an item. Deletes the files that the catalog knows as the job's, folders that are empty then, and the job's rows with its runs. "
                    + "Files that the job did not store stay. Asks before, unless --yes, and offers to stop a run of the job that is at work."
            ]
        case .prune:
            [
                "Deletes the runs that are older, and the timings of their transfers. Items keep their files and states, "
                    + "and the table day keeps the sums. A run that is under way stays."
            ]
        case .gc:
            [
                "JOB is a job's name or its file; without one, every job of the catalog. Of the files of a job's items those "
                    + "used least recently go, stored or viewed, until the rest is within output.max_bytes of its job file, or "
                    + "--max-bytes. Their items are evicted: no run fetches them again but with --refresh. Pictures that were "
                    + "made of them stay.",
                "With --gone the files of items that the last whole list did not have go as well, with their metadata files "
                    + "and pictures. Should they be listed again, they are fetched again. Nothing else removes them.",
                "Below .runner of the output directory goes what no row knows: pictures, parts, unfinished lists. Prints a "
                    + "line for each file: evict, gone, remove, or changed (it is not what was stored, and stays), job, key, path, "
                    + "bytes. Into a pipe or a file the fields are separated by tabs.",
            ]
        case .adopt:
            [
                "JOB is a job file, or a folder of job files. The source is asked for its list, and each item takes the file that is "
                    + "in the output directory at its path, whatever its extension, or that has the SHA-256 of the list. "
                    + "Sizes and digests are read; no file is moved, changed or downloaded, and what is nobody's stays.",
                "The next run asks whether these files have changed since their times of modification, and fetches what has "
                    + "no file.",
            ]
        case .thumbnails:
            [
                "JOB is a job file that has media:, or a folder of job files. Nothing is asked of the network. Pictures are "
                    + "made again only when a file or the settings have changed, or with --refresh."
            ]
        case .web:
            [
                "Prints one line, a link, and serves a page until a signal. JOB is a job file, or a folder of *.yaml files, that may "
                    + "be run from the page; jobs that only the catalog knows can be looked at. A run that is started there is a "
                    + "process of its own, and goes on when the page ends.",
                "The link signs a browser in; without it nobody sees anything. The page is for this machine unless --listen says "
                    + "otherwise, and asks nothing of the network.",
            ]
        case .shards:
            [
                "Begins a run: asks the source for its list, settles what is fresh or not to be asked, and writes the rest into "
                    + "DIR/0000.shard and so on, for runner shard run on as many machines. Prints what each will do, and "
                    + "how long that takes at least by the times of the last run.",
                "A host is on one machine, with all its limits. One with more than half a shard's work may be divided: each "
                    + "part has its share of per_host and of the rate. transfer.bandwidth is divided by the shards.",
                "The run goes on until runner merge has brought every shard home. Shards in DIR of a run that is over give way.",
            ]
        case .shard:
            [
                "FILE is DIR/0000.shard or another that runner shards made; DIR is a folder that all machines have, and so is "
                    + "the job's output directory. The work is done on a copy in $TMPDIR, a local disk; DIR/0000.part, written "
                    + "from time to time, is how far it is, DIR/0000.done its result. Begun again, on any machine, it goes on "
                    + "from there; twice at once it does no harm. Variables of the job file are taken from this machine's "
                    + "environment.",
                "Prints one line of JSON at the end. No picture is made: runner thumbnails does it after the merge.",
            ]
        case .merge:
            [
                "DIR is what runner shards wrote. May run while machines are at work, again, and twice at once. When every "
                    + "shard is home the run gets its outcome; else the shards that are missing are named, with the command that "
                    + "starts them again."
            ]
        case .submit:
            [
                "As runner shards, into DIR or a folder beside the job file that is named after it, and then a file for the engine "
                    + "in it. slurm: an array, which is handed to sbatch, and the merge as a task after it where this machine is a "
                    + "node; what is cut or fails is queued again three times. kubernetes: an indexed Job, for kubectl. parallel: "
                    + "GNU parallel, here or on the machines of the file in $RUNNER_HOSTS, with the merge at its end.",
                "The catalog stays on a disk of this machine. With --print nothing is listed and nothing begins.",
            ]
        case .sources:
            [
                "With TYPE: every option of that module, its type, its default, and the fields of its path templates. "
                    + "With CMD, a script such as ./albums.py, what the script says of itself."
            ]
        case .source:
            [
                "CMD is a script that lists, and its arguments; a path with a slash. It is started several times, as a run "
                    + "would start it, and each rule is a line: ok, FAIL with the reason, or skip. What it requests is "
                    + "requested as in a run; nothing is downloaded, and nothing is kept.",
                "Arguments of the script that begin with - come behind --.",
            ]
        case .doctor:
            ["Each line is ok, a warning or a problem with what to do about it."]
        case .completions:
            [
                "SHELL is bash or zsh. With `-- WORD...` behind it, says what may stand in place of the last word: first which "
                    + "files may, then a line for each text with its meaning behind a tab. The script asks this."
            ]
        case .man:
            [
                "Prints the page's source, in the man macros of roff; on a terminal man(1) shows it. "
                    + "runner-job is the page of the job file: every key, and every option of every source."
            ]
        case .help:
            []
        }
    }

    /// Command lines worth showing, with what each does.
    var examples: [(line: String, meaning: String)] {
        switch self {
        case .run:
            [
                ("runner jobs/flags.yaml", "Fetches what the job lists; the second time only what has changed."),
                ("runner run jobs --quiet", "All jobs of a folder, as cron wants it: no word unless something failed."),
                ("runner jobs/flags.yaml --failed", "Tries again what failed."),
                (
                    "runner jobs/flags.yaml --set transfer.rate=5/s --only 'd*'",
                    "Five requests a second, and only the items whose key begins with d."
                ),
            ]
        case .`init`:
            [
                ("runner init urls.txt", "Writes urls.yaml, a job that fetches what urls.txt lists."),
                ("runner init flags jobs/flags.yaml", "Writes a job of the source flags."),
            ]
        case .check: [("runner check jobs", "Checks all jobs of a folder.")]
        case .plan: [("runner plan jobs/flags.yaml | cut -f 4 | sort | uniq -c", "Counts what a run would do.")]
        case .status: [("runner status --follow", "How far the runs are that are at work, until they end.")]
        case .control:
            [
                ("runner control flags concurrency 4", "Four items in flight from now on."),
                ("runner control flags stop", "Ends the run as Ctrl-C does, from elsewhere."),
            ]
        case .schedule:
            [
                ("runner schedule /etc/runner/flags.yaml --daily 04:17", "Shows the units of a nightly run."),
                (
                    "runner schedule flags.yaml --every 15m --install /etc/systemd/system",
                    "Writes those of a run each quarter of an hour."
                ),
                ("runner schedule jobs/flags.yaml --cron '17 4 * * 1-5' --format crontab", "A line for crontab -e."),
            ]
        case .report:
            [
                ("runner report", "The last run of every job: times, what was slow, what failed and what to do."),
                ("runner report flags --items", "Every item of the job's last run."),
                ("runner report --since 7d --format json", "A week for another program."),
                ("runner report flags --format har --output flags.har", "The last run, for a browser's network panel."),
            ]
        case .export:
            [
                ("runner export csv --table item --output items.csv", "Every item of every job, for a spreadsheet."),
                ("runner export jsonl --table transfer flags | jq .total_us", "The transfers of all runs of a job."),
            ]
        case .search, .favourites, .remove: itemExamples
        case .adopt: [("runner adopt photos.yaml", "The files of photos.yaml that are there already.")]
        case .gc:
            [
                ("runner gc --dry-run", "What would go, of all jobs."),
                ("runner gc photos --gone --dry-run", "Which files of delisted items --gone would remove."),
                ("runner gc photos --max-bytes 2GB", "Keeps the two gigabytes that were used last."),
            ]
        case .web:
            [
                ("runner web jobs --open", "Opens the page in a browser; the jobs of a folder can be run from it."),
                (
                    "runner web jobs --listen 127.0.0.1:8080 --host photos.example.org",
                    "Behind a proxy that serves it under a name."
                ),
            ]
        case .shards:
            [
                (
                    "runner shards photos.yaml --count 64 --to /shared/photos.shards",
                    "Sixty-four parts of about the same size."
                ),
                ("runner shards photos.yaml --hours 4 --to /shared/photos.shards", "As many as take four hours each."),
            ]
        case .shard: [("runner shard run /shared/photos.shards/0003.shard", "The fourth of them, on this machine.")]
        case .merge: [("runner merge /shared/photos.shards --follow", "Until every shard is home.")]
        case .submit:
            [
                (
                    "runner submit photos.yaml --engine slurm --count 64 --wait",
                    "On a cluster, to the end."
                ),
                ("runner submit photos.yaml --engine kubernetes --count 64 --print", "The manifest."),
            ]
        case .sources:
            [
                ("runner sources flickr", "Every option of the source flickr."),
                ("runner sources ./albums.py", "What a script of your own takes."),
            ]
        case .source:
            [
                (
                    "runner source test ./albums.py --options options.yaml",
                    "Every rule, with what options.yaml has in place of source.options."
                )
            ]
        case .completions:
            [
                (
                    "runner completions bash > ~/.local/share/bash-completion/completions/runner",
                    "For bash with the package bash-completion; else source that file in ~/.bashrc."
                ),
                ("runner completions zsh > ~/.zfunc/_runner", "For zsh, with ~/.zfunc in fpath before compinit."),
            ]
        case .man: [("runner man runner-job", "The manual of the job file, without any installation.")]
        default: []
        }
    }

    /// The line of usage: `runner plan [FLAG...] JOB`.
    var usage: String {
        usage(flags: self == .help ? "" : "[FLAG...]")
    }

    /// The line of usage with one flag in it, the one that was given wrongly.
    func usage(flags: String) -> String {
        ["runner", rawValue, flags, operands.text].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Operands of a command: their form, and how many there may be.
    struct Operands: Sendable {
        let text: String
        let count: ClosedRange<Int>
        /// What each of them is, for whoever left it out.
        var words = ["a job file"]

        /// What is to follow so many operands: `a job file`, `an item's key, URL, title or path`.
        func missing(after count: Int) -> String {
            words[min(count, words.count - 1)]
        }
    }
}
