extension Command {
    /// Command lines worth showing, with what each does.
    var examples: [(line: String, meaning: String)] {
        switch self {
        case .run:
            [
                ("runner jobs/flags.yaml", "Fetches what the job lists; the second time only what has changed."),
                ("runner run jobs --quiet", "All jobs of a folder, for cron: prints nothing unless something failed."),
                ("runner jobs/flags.yaml --failed", "Retries what failed."),
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
        case .status: [("runner status --follow", "Follows the runs under way until they end.")]
        case .control:
            [
                ("runner control flags concurrency 4", "Four items in flight from now on."),
                ("runner control flags stop", "Ends the run as Ctrl-C does, from another terminal."),
            ]
        case .schedule:
            [
                ("runner schedule /etc/runner/flags.yaml --daily 04:17", "Shows the units of a nightly run."),
                (
                    "runner schedule flags.yaml --every 15m --install /etc/systemd/system",
                    "Writes the units of a run every 15 minutes."
                ),
                ("runner schedule jobs/flags.yaml --cron '17 4 * * 1-5' --format crontab", "A line for crontab -e."),
            ]
        case .report:
            [
                ("runner report", "The last run of every job, one line each."),
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
        case .adopt: [("runner adopt photos.yaml", "Takes over the files of photos.yaml that are there already.")]
        case .gc:
            [
                ("runner gc --dry-run", "What would be deleted, of all jobs."),
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
        case .merge: [("runner merge /shared/photos.shards --follow", "Until every shard is merged.")]
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
                ("runner sources ./albums.py", "The options of a script of your own."),
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
}
