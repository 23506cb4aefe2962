/// A licence by Flickr's number (flickr.photos.licenses.getInfo).
struct License: Hashable, Sendable {
    let name: String
    /// The page that has its words.
    let url: String?

    /// Nil for a number that came after those that are known here.
    init?(_ number: Int) {
        switch number {
        case 0: self.init("All Rights Reserved", nil)
        case 1: self.init(commons: "by-nc-sa")
        case 2: self.init(commons: "by-nc")
        case 3: self.init(commons: "by-nc-nd")
        case 4: self.init(commons: "by")
        case 5: self.init(commons: "by-sa")
        case 6: self.init(commons: "by-nd")
        case 7: self.init("No known copyright restrictions", "https://www.flickr.com/commons/usage/")
        case 8: self.init("United States Government Work", "https://www.usa.gov/government-copyright")
        case 9: self.init("CC0 1.0", "https://creativecommons.org/publicdomain/zero/1.0/")
        case 10: self.init("Public Domain Mark 1.0", "https://creativecommons.org/publicdomain/mark/1.0/")
        case 11: self.init(commons: "by", version: "4.0")
        case 12: self.init(commons: "by-sa", version: "4.0")
        case 13: self.init(commons: "by-nd", version: "4.0")
        case 14: self.init(commons: "by-nc", version: "4.0")
        case 15: self.init(commons: "by-nc-sa", version: "4.0")
        case 16: self.init(commons: "by-nc-nd", version: "4.0")
        default: return nil
        }
    }

    private init(_ name: String, _ url: String?) {
        self.name = name
        self.url = url
    }

    private init(commons terms: String, version: String = "2.0") {
        self.init("CC \(terms.uppercased()) \(version)", "https://creativecommons.org/licenses/\(terms)/\(version)/")
    }
}
