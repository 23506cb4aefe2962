extension ResultCode {
    /// What a person can do about an error that is not the program's: about the file `path`, its folder or its disk. nil for
    /// an error of another kind.
    func wayOut(for path: String) -> String? {
        switch primary {
        case .full: "the disk is full: free some space on it, or keep the catalog elsewhere with --database FILE"
        case .busy, .locked:
            "another process keeps it locked: try again once that one is done (fuser \(path) names it)"
        case .readOnly, .permission:
            "it can't be written: give this user write permission for it and its folder, or work on a copy with "
                + "--database FILE"
        case .cannotOpen:
            "it can't be opened: give this user permission for it and its folder, or another file with --database FILE"
        case .corrupt:
            "it is damaged: put a backup in its place, or save what can be read with sqlite3 \(path) .recover"
        case .notADatabase: "it is no SQLite database: give the catalog's file with --database FILE"
        case .inputOutput: "its disk failed to read or write: see the kernel's log (dmesg), and put back a backup"
        default: nil
        }
    }
}
