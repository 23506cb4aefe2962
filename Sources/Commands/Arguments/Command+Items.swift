/// The help of the commands that list items, or change some of them.
extension Command {
    private static let itemLines =
        "Prints an item a line: job, key, title, state, file. Into a pipe or a file the fields are separated by tabs, without a "
        + "heading."

    var itemDetails: [String] {
        switch self {
        case .search:
            [
                "Prints the items whose titles have all of the words, or parts of words, in any order: upper and lower case, accents "
                    + "and other marks make no difference. \(Self.itemLines)"
            ]
        case .recents:
            ["The last 20 items that runner show or the page has shown, newest first. \(Self.itemLines)"]
        case .favourites:
            [
                "Without an action it lists all favourites in alphabetical order. \(Self.itemLines)",
                "add KEY... marks items as favourites, remove KEY... unmarks them. KEY is an item's key, URL, title or path; "
                    + "if several jobs have such an item, choose one with --job.",
            ]
        case .remove:
            [
                "JOB is a job's name or its file, KEY the key, URL, title or path of an item. The file and the pictures "
                    + "made from it are deleted, and no run fetches the item again until runner restore. A file that was modified since "
                    + "it was stored stays, and is named. Nothing is removed while a run of the job is under way."
            ]
        case .restore:
            [
                "JOB is a job's name or its file, KEY the key, URL, title or path of an item that was removed. The next run fetches "
                    + "it again if its list has it. Nothing is restored while a run of the job is at work."
            ]
        default: []
        }
    }

    var itemExamples: [(line: String, meaning: String)] {
        switch self {
        case .search:
            [
                ("runner search ha noi", "Finds Hà Nội, too."),
                ("runner search tower --job photos | cut -f 5", "The files of a job's items."),
            ]
        case .favourites: [("runner favourites add de --job flags", "Marks the item de of the job flags.")]
        case .remove: [("runner remove flags de fr", "Deletes two files; no run fetches them again.")]
        default: []
        }
    }

    var itemExits: [(code: String, meaning: String)] {
        switch self {
        case .search, .recents:
            [
                ("0", "printed, even if there is no such item"),
                ("2", "the catalog is missing, newer or unreadable"),
                ("64", "usage error, or a job that the catalog does not know"),
                ("78", "a job file is invalid or missing"),
            ]
        case .favourites:
            [
                ("0", "listed or changed"), ("2", "the catalog is missing, newer, or can't be written"),
                ("64", "usage error, or a job or item that the catalog does not know"),
                ("78", "a job file is invalid or missing"),
            ]
        case .remove, .restore:
            [
                ("0", "done, or already done before"), ("2", "a disk or catalog fault"),
                ("64", "usage error, or a job or item that the catalog does not know"),
                ("75", "a run holds the job's lock"), ("78", "the job file is invalid or missing"),
            ]
        default: []
        }
    }
}
