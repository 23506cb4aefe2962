extension Command {
    /// The exit codes and what they mean, smallest first.
    var exits: [(code: String, meaning: String)] {
        let usage = ("64", "usage error")
        return switch self {
        case .run:
            [
                (
                    "0",
                    "every selected item is stored or evicted, except for what known_failures and allow_failed tolerate"
                ),
                ("1", "some items failed, or the deadline or the key q cut the run"),
                (
                    "2",
                    "the list could not be begun or ended early; a disk, catalog or output fault; with --keep-going, "
                        + "an invalid job file"
                ), usage,
                ("75", "another run holds the job's lock"),
                ("78", "a job file is invalid or missing; nothing ran"),
                ("129, 130, 143", "stopped by SIGHUP, SIGINT, SIGTERM"),
            ]
        case .adopt:
            [
                ("0", "the list was read; the next run fetches the items without files"),
                ("2", "the list could not be begun or ended early; a disk, catalog or output fault"), usage,
                ("75", "another run holds the job's lock"), ("78", "a job file is invalid or missing"),
                ("129, 130, 143", "stopped by SIGHUP, SIGINT, SIGTERM"),
            ]
        case .`init`: [("0", "written"), ("2", "the file is there already, or could not be written"), usage]
        case .check: [("0", "every job is valid"), usage, ("78", "a job file is invalid or missing")]
        case .plan:
            [
                ("0", "the whole list was read"), ("2", "the list could not be begun or ended early; a catalog fault"),
                usage,
                ("78", "the job file is invalid or missing"),
            ]
        case .status:
            [
                ("0", "printed"), ("2", "the catalog is missing, newer or unreadable"),
                ("64", "usage error, or a job that the catalog does not know"),
                ("69", "a JOB has no run under way"), ("78", "the job file is invalid or missing"),
            ]
        case .control:
            [
                ("0", "the change has taken effect"),
                ("2", "the catalog is missing or unreadable, or the run failed to do it"),
                ("64", "usage error, or a job, collection or item that the catalog does not know"),
                ("69", "no such run is under way, or its state does not allow it"),
                ("78", "the job file is invalid or missing"),
            ]
        case .schedule:
            [
                ("0", "printed or written"),
                ("2", "a file could not be written, or exists and was not written by schedule"), usage,
                ("78", "a job file is invalid or missing"),
            ]
        case .report:
            [
                ("0", "the report was written"), ("1", "a condition of --fail-if holds"),
                ("2", "the catalog is missing, newer or unreadable"),
                ("64", "usage error, or a job or run that the catalog does not know"),
            ]
        case .export:
            [
                ("0", "written"), ("2", "the catalog is missing, newer or unreadable; the file can't be written"),
                ("64", "usage error, or a job that the catalog does not know"),
            ]
        case .show:
            [
                ("0", "printed"), ("2", "the catalog is missing, newer or unreadable"),
                ("64", "usage error, or a job or key that the catalog does not know"),
                ("78", "the job file is invalid or missing"),
            ]
        case .search, .recents, .favourites, .remove, .restore: itemExits
        case .verify:
            [
                ("0", "every stored file matches the catalog"), ("1", "some do not"),
                ("2", "the catalog or an output directory is missing or unreadable"),
                ("64", "usage error, or a job that the catalog does not know"),
                ("75", "with --repair: a run holds a job's lock"), ("78", "the job file is invalid or missing"),
            ]
        case .reset:
            [
                ("0", "deleted"), ("1", "not confirmed; nothing was deleted"), ("2", "a disk or catalog fault"),
                ("64", "usage error, or a job or collection that the catalog does not know"),
                ("75", "a run holds the job's lock"), ("78", "the job file is invalid or missing"),
            ]
        case .prune: [("0", "pruned"), ("2", "the catalog is missing or can't be written"), usage]
        case .gc:
            [
                ("0", "everything due was deleted"),
                ("1", "the limit of a job is unknown, because its job file can't be read"),
                ("2", "a disk or catalog fault, or an output directory is missing"),
                ("64", "usage error, or a job that the catalog does not know"),
                ("75", "a run holds a job's lock"), ("78", "the job file is invalid or missing"),
            ]
        case .thumbnails:
            [
                ("0", "every picture exists"), ("1", "some could not be made"),
                ("2", "none can be made; a disk or catalog fault"), usage,
                ("75", "a run holds the job's lock"), ("78", "a job file is invalid or missing"),
            ]
        case .web:
            [
                ("2", "the address is taken, or the catalog can't be read"), usage,
                ("78", "a job file or folder is missing"), ("129, 130, 143", "stopped by SIGHUP, SIGINT, SIGTERM"),
            ]
        case .shards:
            [
                ("0", "the shards were written, or nothing needs a request"),
                ("2", "the list could not be begun or ended early; a disk or catalog fault; DIR has other shards"),
                usage,
                ("75", "another run holds the job's lock"), ("78", "the job file is invalid or missing"),
            ]
        case .shard:
            [
                ("0", "every item of the shard has its row, also those that failed"),
                ("1", "cut by the deadline or a signal: start it again"),
                ("2", "a disk, directory or catalog fault: start it again, perhaps elsewhere"),
                ("64", "usage error, or FILE is not a shard: never retry"),
                ("75", "not now: the shard can't be read yet"),
                ("78", "the job file in the shard is invalid here, for lack of a variable for example: never retry"),
            ]
        case .merge:
            [
                ("0", "every shard is merged, and no more items failed than allow_failed tolerates"),
                ("1", "shards are missing, or items failed"), ("2", "a disk or catalog fault"), usage,
            ]
        case .submit:
            [
                ("0", "handed over; with --wait, and with parallel: the exit code of runner merge"),
                ("1", "with --wait, and with parallel: shards are missing, or items failed"),
                ("2", "a list, disk or catalog fault, or the engine refused"), usage,
                ("75", "another run holds the job's lock"), ("78", "the job file is invalid or missing"),
            ]
        case .sources: [("0", "printed"), ("2", "the script writes no valid spec"), usage]
        case .source:
            [
                ("0", "the script follows every rule"), ("1", "it breaks one"), ("2", "it could not be tried"), usage,
                ("78", "the file of --options is not a mapping"),
            ]
        case .completions, .man, .help: [("0", "printed"), usage]
        case .doctor: [("0", "no problem, perhaps warnings"), ("1", "a problem"), usage]
        }
    }
}
