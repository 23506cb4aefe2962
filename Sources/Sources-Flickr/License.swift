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
        default: return nil
        }
    }

    private init(_ name: String, _ url: String?) {
        self.name = name
        self.url = url
    }

    private init(commons terms: String) {
        self.init("CC \(terms.uppercased()) 2.0", "https://creativecommons.org/licenses/\(terms)/2.0/")
    }
}
