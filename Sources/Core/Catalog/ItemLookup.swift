package import SQLite
import System

/// Finds items by what people and tables call them.
package enum ItemLookup {
    /// What an item may be called: what it matches first is meant.
    private static let columns = ["key", "url", "path", "title"]

    /// Items of one name that are listed.
    private static let limit = 20

    package struct Item: Sendable {
        package let id: Int64
        package let key: String
    }

    /// The keys of the items that ``items(_:of:on:)`` finds.
    package static func keys(_ name: String, of job: String, on catalog: Connection) throws -> [String] {
        try items(name, of: job, on: catalog).map(\.key)
    }

    /// The items of a job that `name` is the key, the URL, the path or the title of, as it is or as lists show it; mostly one.
    ///
    /// - Parameter name: a path may be relative to the output directory or to the current folder, or absolute.
    package static func items(_ name: String, of job: String, on catalog: Connection) throws -> [Item] {
        let directory = try CatalogJob.directory(of: job, on: catalog) ?? ""
        let absolute = FilePath.absolute(name.hasPrefix("./") ? String(name.dropFirst(2)) : name)
        let inside = absolute.hasPrefix("\(directory)/") ? String(absolute.dropFirst(directory.count + 1)) : nil
        for column in columns {
            for name in column == "path" ? [name, inside].compactMap({ $0 }) : [name] {
                let items = try catalog.rows(
                    "SELECT id, key FROM item WHERE job = ? AND \(column) = ? ORDER BY position, id LIMIT \(limit)",
                    job, name
                ) { Item(id: try $0[0], key: try $0[1]) }
                if !items.isEmpty { return items }
            }
        }
        return try shown(name, of: job, on: catalog)
    }

    /// What stands in lines for people in place of a character that would control the terminal.
    private static let replacement: Unicode.Scalar = "\u{fffd}"

    /// The items whose names are shown as `name`, with characters replaced that no terminal should get.
    private static func shown(_ name: String, of job: String, on catalog: Connection) throws -> [Item] {
        guard name.unicodeScalars.contains(replacement) else { return [] }
        for column in columns {
            var items: [Item] = []
            // GLOB ends at a NUL, which a name may have.
            try catalog.forEach(
                "SELECT id, key, \(column) FROM item WHERE job = ? AND \(column) IS NOT NULL ORDER BY position, id", job
            ) { row in
                guard items.count < limit, isShown(try row[2], as: name) else { return }
                items.append(Item(id: try row[0], key: try row[1]))
            }
            if !items.isEmpty { return items }
        }
        return []
    }

    /// Whether a text is `name`, as it is or as lists show it.
    package static func isCalled(_ text: String, _ name: String) -> Bool {
        text == name || name.unicodeScalars.contains(replacement) && isShown(text, as: name)
    }

    private static func isShown(_ text: String, as shown: String) -> Bool {
        let controls: [Unicode.GeneralCategory] = [.control, .format, .lineSeparator, .paragraphSeparator]
        return text.unicodeScalars.elementsEqual(shown.unicodeScalars) { scalar, shown in
            scalar == shown || shown == replacement && controls.contains(scalar.properties.generalCategory)
        }
    }
}
