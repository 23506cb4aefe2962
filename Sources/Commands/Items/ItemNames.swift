import Catalog
import Reports
import SQLite

/// Words of a command line that do not name one item each.
struct ItemNameError: Error {
    let message: String
}

/// Finds the items that words of a command line stand for: each a key, a URL, a path or a title.
enum ItemNames {
    /// - Parameter jobs: where to look; of several jobs that have an item of a name the caller has to choose one.
    /// - Returns: ids in the order of the words, none twice.
    /// - Throws: ``ItemNameError``; what the catalog throws.
    static func find(_ words: [String], in jobs: [String], on catalog: Connection) throws -> [Int64] {
        var ids: [Int64] = []
        for word in words {
            let id = try find(word, in: jobs, on: catalog)
            if !ids.contains(id) { ids.append(id) }
        }
        return ids
    }

    private static func find(_ word: String, in jobs: [String], on catalog: Connection) throws -> Int64 {
        var found: [(job: String, items: [ItemLookup.Item])] = []
        for job in jobs {
            let items = try ItemLookup.items(word, of: job, on: catalog)
            if !items.isEmpty { found.append((job, items)) }
        }
        guard let first = found.first, let item = first.items.first else {
            let place = jobs.count == 1 ? jobs[0] : "the catalog"
            throw ItemNameError(message: "\(place) has no item '\(word)'; runner search WORDS finds titles")
        }
        guard found.count == 1 else {
            let names = found.map(\.job).joined(separator: ", ")
            throw ItemNameError(message: "several jobs have an item '\(word)': \(names); give --job NAME")
        }
        guard first.items.count == 1 else {
            let keys = first.items.map { displayable($0.key) }.joined(separator: ", ")
            throw ItemNameError(message: "several of '\(first.job)' are called '\(word)'; give a key: \(keys)")
        }
        return item.id
    }
}

extension CommandContext {
    /// The jobs of `--job`, which is a name or a job file; without it all of the catalog. Nil after words on stderr.
    ///
    /// - Throws: `UpkeepError` for one that the catalog does not know; what the catalog throws.
    func jobs(_ options: Options, on catalog: Connection) throws -> [String]? {
        let known = try CatalogJob.names(on: catalog)
        guard let operand = options.job else { return known }
        guard let names = jobNames([operand], options) else { return nil }
        for name in names where !known.contains(name) { throw UpkeepError.unknownJob(name, known: known) }
        return names
    }
}
