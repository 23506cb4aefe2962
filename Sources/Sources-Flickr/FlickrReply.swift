import FoundationEssentials

/// A reply of Flickr's API, whose status code says little: failures come with 200.
enum FlickrReply<Content: Decodable> {
    case content(Content)
    /// `stat: fail`.
    case fault(FlickrFault)
    /// It is not what Flickr writes; with its beginning, of which messages show less.
    case unreadable(String)

    /// Reads the body of a reply. It takes the forms that Flickr is known to answer with whatever was asked for: the
    /// callback `jsonFlickrApi(…)`, and errors as XML.
    init(_ body: [UInt8]) {
        let json = Self.unwrapped(body)
        if let answer = try? JSONDecoder().decode(Answer.self, from: Data(json)) {
            if let fault = answer.fault {
                self = .fault(fault)
            } else if let content = answer.content {
                self = .content(content)
            } else {
                self = .unreadable(Self.beginning(of: body))
            }
        } else if let fault = FlickrFault(xml: String(decoding: body.prefix(1_024), as: UTF8.self)) {
            self = .fault(fault)
        } else {
            self = .unreadable(Self.beginning(of: body))
        }
    }

    private struct Answer: Decodable {
        var fault: FlickrFault?
        var content: Content?

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: FieldName.self)
            switch fields.text("stat") {
            case "ok": content = try Content(from: decoder)
            case "fail":
                fault = FlickrFault(
                    code: fields.integer("code") ?? 0, message: fields.text("message") ?? "no reason given")
            default: break
            }
        }
    }

    private static func unwrapped(_ body: [UInt8]) -> ArraySlice<UInt8> {
        // What surrounds the object: white space, and the comma or the callback of a careless gateway.
        var json = body.drop { $0 <= 0x20 }
        let callback = Array("jsonFlickrApi(".utf8)
        while let last = json.last, last <= 0x20 || last == UInt8(ascii: ",") || last == UInt8(ascii: ";") {
            json.removeLast()
        }
        if json.starts(with: callback), json.last == UInt8(ascii: ")") {
            json = json.dropFirst(callback.count).dropLast()
        }
        return json
    }

    private static func beginning(of body: [UInt8]) -> String {
        let text = String(decoding: body.prefix(4_096), as: UTF8.self).split(whereSeparator: \.isWhitespace)
        return text.joined(separator: " ")
    }
}

/// What Flickr says of a request that failed.
struct FlickrFault: Hashable, Sendable {
    /// Means one thing with one method and another with the next, below 90.
    var code: Int
    var message: String
}

extension FlickrFault {
    /// Reads `<err code="100" msg="…" />`.
    init?(xml text: String) {
        guard text.contains("stat=\"fail\""), let start = text.firstRange(of: "<err ")?.upperBound,
            let code = Self.attribute("code", in: text[start...]).flatMap({ Int($0) })
        else { return nil }
        self.init(code: code, message: plainText(ofHTML: Self.attribute("msg", in: text[start...]) ?? ""))
    }

    private static func attribute(_ name: String, in text: Substring) -> String? {
        guard let start = text.firstRange(of: "\(name)=\"")?.upperBound,
            let end = text[start...].firstIndex(of: "\"")
        else { return nil }
        return String(text[start..<end])
    }
}
