import Archive
import Model
import YAML

/// The options of the source `manifest`.
package struct ManifestOptions: Sendable {
    var url: ManifestLocation?
    /// Patterns for the names of a ZIP file's entries.
    var include = OneOrMany(["*.json"])
    var maximumEntries = ArchiveLimits().entries
    var maximumEntrySize = ByteCount(bytes: ArchiveLimits().entryBytes)
    var maximumTotalSize = ByteCount(bytes: ArchiveLimits().totalBytes)
    var maximumRatio = Int(ArchiveLimits().ratio)

    var limits: ArchiveLimits {
        var limits = ArchiveLimits()
        limits.entries = maximumEntries
        limits.entryBytes = maximumEntrySize.bytes
        limits.totalBytes = maximumTotalSize.bytes
        limits.ratio = Int64(maximumRatio)
        return limits
    }

    static let fields = FieldTable<ManifestOptions>([
        .required(
            "url", \.url,
            help: "a list, or a ZIP file of lists: an http or https URL, or a file, relative to the job file",
            example: "https://example.org/lists.zip"),
        .optional(
            "include", \.include, default: "\"*.json\"",
            help: "which entries of a ZIP file are lists; a pattern without a slash is for the last part of a name",
            example: "[\"*.json\", \"2024/*.csv\"]", check: { $0.values.isEmpty ? "must have a pattern" : nil }),
        .optional(
            "max_entries", \.maximumEntries, default: "10000", help: "entries that a ZIP file may have",
            check: { (1...65_535_000).contains($0) ? nil : "must be 1 to 65535000" }),
        .optional(
            "max_entry_size", \.maximumEntrySize, default: "256MiB", help: "bytes of one list", check: positive),
        .optional(
            "max_total_size", \.maximumTotalSize, default: "1GiB",
            help: "bytes of what is downloaded, and of a ZIP file's lists together", check: positive),
        .optional(
            "max_ratio", \.maximumRatio, default: "200",
            help: "how many times its packed size a ZIP file's list over 1 MiB may have",
            check: { (1...2_000).contains($0) ? nil : "must be 1 to 2000" }),
    ])

    private static let positive: @Sendable (ByteCount) -> String? = { $0.bytes > 0 ? nil : "must be over 0" }
}
