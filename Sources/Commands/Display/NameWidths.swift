import Core

/// The widest names that were shown, in columns: columns that grow and never shrink keep the rows still.
struct NameWidths: Equatable, Sendable {
    private(set) var collection = 0
    private(set) var file = 0
    private(set) var host = 0
    /// Collections that are measured.
    private var measured = 0

    init() {}

    init(_ model: RunModel) {
        update(model)
    }

    mutating func update(_ model: RunModel) {
        for entry in model.collections.entries[measured...] {
            collection = max(collection, DisplayName(entry.title).width)
        }
        measured = model.collections.entries.count
        for case let shown? in model.files.places {
            file = max(file, DisplayName(shown.title).width)
            host = max(host, shown.host.count)
        }
    }
}
