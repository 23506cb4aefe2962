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
        case .status: "show the runs under way and their progress"
        case .control: "steer a run under way: pause, limits, stop, retry"
        case .schedule: "write systemd units, or a crontab, that run a job at set times"
        case .report: "read the catalog: runs, timings, sizes, failures"
        case .export: "write items, transfers or runs as CSV or JSON Lines"
        case .show: "show everything about one item"
        case .search: "find items by words of their titles"
        case .recents: "list the items viewed last"
        case .favourites: "list favourites, add some or remove some"
        case .remove: "delete items' files; no run fetches them again"
        case .restore: "have the next run fetch removed items again"
        case .verify: "check stored files against the catalog"
        case .reset: "delete what a job, one of its collections or an item stored"
        case .prune: "delete old runs; their sums by day stay"
        case .adopt: "take over files that are in the output directory already"
        case .gc: "evict what is over output.max_bytes, remove leftovers"
        case .thumbnails: "make missing pictures of stored files"
        case .web: "serve a page to look at jobs and pictures, and to run jobs"
        case .shards: "list a job once and divide its downloads among machines"
        case .shard: "fetch the items of one shard, on one machine"
        case .merge: "merge the results of the machines into the catalog"
        case .submit: "hand the shards of a job to Slurm, Kubernetes or GNU parallel"
        case .sources: "list the source modules, or the options of one"
        case .source: "test a script of your own against the rules for scripts"
        case .doctor: "check this machine: versions, paths, limits"
        case .completions: "print the completion script for a shell"
        case .man: "print a manual page: runner (default) or runner-job"
        case .help: "show the help of a command"
        }
    }

    /// What the command line has beside flags.
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
                "A second run sends no request for files that are still fresh. On the first SIGINT, SIGTERM or SIGHUP the transfers "
                    + "in flight may finish; the second stops at once. The next run continues from there.",
            ]
        case .`init`:
            [
                "SOURCE is a source such as flags, or a list of URLs: a file or an http or https URL. Writes FILE, or a file "
                    + "named after SOURCE in the current folder; an existing file is never replaced.",
                "The file has every key with an explanation; those with a default are commented out.",
            ]
        case .check:
            [
                "Reports every error in every file with its line, and the name of each valid job. "
                    + "JOB is a YAML file, or a folder of *.yaml files."
            ]
        case .plan:
            [
                "Asks the source for its list and prints an item a line: key, title, path, action, URL. The action is "
                    + "fetch, ask (the server is asked whether the file has changed), fresh, evicted, duplicate, not-asked or invalid. "
                    + "No item is downloaded, and the catalog stays as it is. Into a pipe or a file the fields are separated by tabs, without a heading."
            ]
        case .status:
            [
                "JOB is a job's name or its file; without one, every run under way in this catalog, or if there is none the "
                    + "last run of each job. With --follow a line whenever something changes, until the runs have "
                    + "ended.",
                "With --format json the response of the run's control socket, see docs/control.md; with --follow one event "
                    + "a line.",
            ]
        case .control:
            [
                "JOB is a job's name or its file. Returns when the change has taken effect. ACTION is one of:",
                "pause [COLLECTION...], resume [COLLECTION...]: starts no new transfers, or continues. Transfers in flight have "
                    + "ten seconds to finish; after that they are interrupted, and resumed later.",
                "stop: ends the run once the transfers in flight have finished; with --now, at once.",
                "concurrency N, per-host N, bandwidth RATE|none: changes a limit of the job file for this run. "
                    + "Transfers in flight are not interrupted.",
                "cancel KEY...: cancels items, by key, URL, title or path, or collections, by key. The next run "
                    + "fetches them.",
                "retry [KEY...]: retries what failed in this run, or these items.",
            ]
        case .schedule:
            [
                "JOB is a job file, or a folder of job files. Prints what runs it at set times: a systemd service with its "
                    + "timer and a service that reports failures, or with --format crontab the lines of a crontab. With --install they "
                    + "are written to a folder, and the commands that enable them are printed.",
                "The service is sandboxed: it can write only to the output directory and the catalog. A missed run is caught up, "
                    + "each machine has a delay of its own, and a run that is still under way is not disturbed. The service runs "
                    + "as the user runner, or with --user as you.",
            ]
        case .report:
            [
                "JOB is a job's name or its file; without one, every job of the catalog. "
                    + "Shows the last run of each job unless --run or --since says otherwise. Several jobs or runs get one "
                    + "line each, failed ones first.",
                "For one run, without a table, it shows which transfers were slow, what failed and what to do about it. On a terminal "
                    + "the text fits the width, and goes through $PAGER if it is longer than the screen.",
                "csv and jsonl have a row for each transfer, with the columns of the view v_transfer. prometheus is a file for "
                    + "node_exporter's textfile collector, har opens in the network panel of a browser, trace in Perfetto.",
            ]
        case .export:
            [
                "FORMAT is csv or jsonl. JOB is a job's name or its file; without one, every job of the catalog. The columns are "
                    + "those of the views v_item and v_transfer, or of the table run. Rows are streamed, "
                    + "so that memory does not grow with their number.",
                "A cell of CSV that begins with = + - @, a tab or a carriage return is a formula to a spreadsheet: --safe-csv "
                    + "puts an apostrophe before it. Without it texts are written as they are in the catalog.",
            ]
        case .show:
            [
                "JOB is a job's name or its file, ITEM an item's key, URL, title or path. Shows where its file is, its pictures, its metadata, its "
                    + "transfer in every run with the phases, and a curl command line that requests it as the job does. "
                    + "Secrets are shown as ${NAME}. The item counts as viewed now: under output.max_bytes it is evicted last."
            ]
        case .search, .recents, .favourites, .remove, .restore: itemDetails
        case .verify:
            [
                "JOB is a job's name or its file; without one, every job of the catalog. Prints a line for each file that "
                    + "is missing, truncated, changed or unreadable: fault, job, key, path, detail. Into a pipe or a file "
                    + "the fields are separated by tabs.",
                "With --repair the next run fetches these files in full and replaces them; until then they stay as they are.",
            ]
        case .reset:
            [
                "JOB is a job's name or its file, COLLECTION the key or title of one of its collections, ITEM the key, URL, "
                    + "title or path of an item. Deletes the files that the catalog records for the job, folders that this leaves empty, and the job's rows with its runs. "
                    + "Other files stay. Asks first, unless --yes, and offers to stop a run of the job that is under way."
            ]
        case .prune:
            [
                "Deletes the runs that are older, and the timings of their transfers. Items keep their files and states, "
                    + "and the table day keeps the sums. A run that is under way stays."
            ]
        case .gc:
            [
                "JOB is a job's name or its file; without one, every job of the catalog. Deletes the files of a job that were "
                    + "least recently used, that is, stored or viewed, until the rest is within output.max_bytes of the job file, or "
                    + "--max-bytes. Their items are evicted: no run fetches them again except with --refresh. Pictures made from "
                    + "them stay.",
                "With --gone it also deletes the files of delisted items, with their metadata files and pictures. If such an item "
                    + "is listed again, it is fetched again. Nothing else deletes these files.",
                "Below .runner in the output directory it deletes what no row refers to: pictures, parts, unfinished lists. Prints a "
                    + "line for each file: evict, gone, remove, or changed (modified since it was stored, and kept), job, key, path, "
                    + "bytes. Into a pipe or a file the fields are separated by tabs.",
            ]
        case .adopt:
            [
                "JOB is a job file, or a folder of job files. The source is asked for its list, and each item takes over the file "
                    + "at its path in the output directory, whatever its extension, or the file with the SHA-256 that the list gives. "
                    + "Files are read for sizes and digests; none is moved, changed or downloaded, and files that match no item stay.",
                "The next run asks the servers whether these files have changed since their modification times, and fetches the "
                    + "items without a file.",
            ]
        case .thumbnails:
            [
                "JOB is a job file that has media:, or a folder of job files. No network is used. Pictures are "
                    + "made again only if a file or the settings have changed, or with --refresh."
            ]
        case .web:
            [
                "Prints one line, a link, and serves a page until a signal. JOB is a job file, or a folder of *.yaml files, that can "
                    + "be run from the page; other jobs in the catalog can only be viewed. A run started there is a process of its "
                    + "own and continues when the page is stopped.",
                "The link signs a browser in; without it there is no access. The page is reachable from this machine only, unless "
                    + "--listen says otherwise, and uses no network.",
            ]
        case .shards:
            [
                "Begins a run: asks the source for its list, records what needs no request, and writes the rest into "
                    + "DIR/0000.shard and so on, for runner shard run on as many machines. Prints what each has to do, and the "
                    + "least time that takes, judged by the last run.",
                "A host is on one machine, with all its limits. One with more than half a shard's work may be divided: each "
                    + "part has its share of per_host and of the rate. transfer.bandwidth is divided by the shards.",
                "The run is over when runner merge has merged every shard. Shards in DIR that belong to a finished run are replaced.",
            ]
        case .shard:
            [
                "FILE is DIR/0000.shard or another that runner shards made; DIR is a folder that all machines have, and so is "
                    + "the job's output directory. The work is done on a copy in $TMPDIR, a local disk; DIR/0000.part, written "
                    + "from time to time, is a checkpoint, DIR/0000.done the result. Started again, on any machine, it continues "
                    + "from there; running twice at once does no harm. Variables of the job file are taken from this machine's "
                    + "environment.",
                "Prints one line of JSON at the end. Pictures are not made: run runner thumbnails after the merge.",
            ]
        case .merge:
            [
                "DIR is what runner shards wrote. May run while machines are still fetching, repeatedly, and twice at once. When every "
                    + "shard is merged the run gets its outcome; until then the missing shards are named, with the command that "
                    + "starts them again."
            ]
        case .submit:
            [
                "As runner shards, into DIR or a folder beside the job file that is named after it, and then a file for the engine "
                    + "in it. slurm: an array, which is handed to sbatch, and the merge as a task after it where this machine is a "
                    + "node; tasks that are cut off or fail are requeued up to three times. kubernetes: an indexed Job, for kubectl. parallel: "
                    + "GNU parallel, here or on the machines of the file in $RUNNER_HOSTS, with the merge at its end.",
                "The catalog stays on a local disk of this machine. With --print nothing is listed or started.",
            ]
        case .sources:
            [
                "With TYPE: every option of that module, its type, its default, and the fields of its path templates. "
                    + "With CMD, a script such as ./albums.py, the options that the script declares."
            ]
        case .source:
            [
                "CMD is a script that lists, and its arguments; a path with a slash. It is started several times, as a run "
                    + "would start it, and each rule gets a line: ok, FAIL with the reason, or skip. Its requests are "
                    + "sent as in a run; no item is downloaded, and nothing is stored.",
                "Arguments of the script that begin with - go after --.",
            ]
        case .doctor:
            ["Each line is ok, a warning or a problem with what to do about it."]
        case .completions:
            [
                "SHELL is bash or zsh. With `-- WORD...` after it, prints what may complete the last word: first which "
                    + "files, then a line for each candidate, a tab and its meaning. The completion script calls this."
            ]
        case .man:
            [
                "Prints the page's source, in the man macros of roff; on a terminal man(1) shows it. "
                    + "runner-job describes the job file: every key, and every option of every source."
            ]
        case .help:
            []
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
