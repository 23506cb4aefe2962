/// A template of paths.
struct ModelTemplate: Sendable {
    let text: String

    static let all = [
        "{collection}/{title}.{extension}", "{title}.{extension}", "flat/{stem}.{extension}", "{collection}/{title}",
        "{name}", "p/{position}.{extension}",
    ].map(ModelTemplate.init)

    /// Stands for the extension, which only the bytes tell.
    private static let mark: Character = "\u{1}"

    func stem(title: String, collection: String, position: Int, urlPath: String) -> String {
        let name = urlPath.split(separator: "/").last.map(String.init) ?? ""
        let digits = String(position)
        let values = [
            "{collection}": collection, "{title}": title, "{extension}": String(Self.mark), "{name}": name,
            "{stem}": name.hasSuffix(".png") ? String(name.dropLast(4)) : name,
            "{position}": String(repeating: "0", count: 4 - digits.count) + digits,
        ]
        var result = text
        for (field, value) in values {
            result = result.split(separator: field, omittingEmptySubsequences: false).joined(separator: value)
        }
        return result
    }

    static func path(_ stem: String, _ extension: String) -> String {
        stem.split(separator: mark, omittingEmptySubsequences: false).joined(separator: `extension`)
    }

    /// With a number before the extension.
    static func numbered(_ stem: String, _ number: Int) -> String {
        for end in [".\(mark)", ".png"] where stem.hasSuffix(end) {
            return "\(stem.dropLast(end.count)) (\(number))\(end)"
        }
        return "\(stem) (\(number))"
    }

    /// From the bytes, else from the URL, else `bin`.
    static func `extension`(of resource: ModelSite.Resource) -> String {
        resource.body.kind == .other && resource.path.hasSuffix(".png") ? "png" : resource.body.extension
    }

    /// The same for a file.
    static func `extension`(of bytes: [UInt8], url: String) -> String {
        if bytes.starts(with: [0x89, 0x50]) { return "png" }
        return bytes.starts(with: [0xFF, 0xD8]) ? "jpg" : url.hasSuffix(".png") ? "png" : "bin"
    }
}
