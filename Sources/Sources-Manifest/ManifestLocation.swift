import HTTP
import YAML

/// Where a manifest is: the values of `url`.
enum ManifestLocation: Hashable, Sendable {
    case web(WebURL, written: String)
    /// A path, relative to the job file unless it begins with a slash.
    case file(String)

    /// What it is called, for keys and messages: the last part of the URL's or the file's path.
    var name: String {
        switch self {
        case .web(let url, _): url.lastPathSegment.isEmpty ? url.host : url.lastPathSegment
        case .file(let path): path.split(separator: "/").last.map(String.init) ?? path
        }
    }
}

extension ManifestLocation: YAMLDecodable {
    /// `URL or file`.
    static var yamlType: String { "URL or file" }

    /// `a URL or a file`.
    static var yamlTypePhrase: String { "a URL or a file" }

    /// Text with `://` in it is a URL, other text a path.
    static func decode(_ node: Node, _ context: inout DecodingContext) -> ManifestLocation? {
        guard let text = String.decode(node, &context) else { return nil }
        guard !text.isEmpty else {
            context.error("\(context.name) must not be empty", at: node)
            return nil
        }
        guard let scheme = text.scheme(before: "://") else { return .file(text) }
        if scheme == "file" {
            context.error(
                "\(context.name) must be an http or https URL or a path", at: node, hint: "write the path alone")
            return nil
        }
        do throws(WebURLError) {
            return .web(try WebURL(text), written: text)
        } catch {
            context.error("\(context.name) can't be asked for: \(error.reason)", at: node)
            return nil
        }
    }
}

extension String {
    /// The text before the first `://`, in lower case, where that can be a scheme.
    fileprivate func scheme(before separator: String) -> String? {
        let scheme = prefix { $0 != ":" }
        guard self[scheme.endIndex...].hasPrefix(separator), !scheme.isEmpty,
            scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { return nil }
        return scheme.lowercased()
    }
}
