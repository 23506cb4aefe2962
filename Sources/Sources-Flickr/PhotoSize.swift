/// `size`: how large a picture is fetched.
enum PhotoSize: String, CaseIterable, Sendable {
    case square, thumbnail, small, medium, large, original

    /// The extras that have it, by their letters: those of its own size, then the smaller ones. The letters of extras are
    /// not those of addresses: `url_s` is `_m`.
    var letters: [String] {
        switch self {
        case .square: ["sq", "q"]
        case .thumbnail: ["t"] + Self.square.letters
        case .small: ["n", "s"] + Self.thumbnail.letters
        case .medium: ["m"] + Self.small.letters
        case .large: ["l", "c", "z"] + Self.medium.letters
        case .original: ["o", "k", "h"] + Self.large.letters
        }
    }

    /// What tells an address of this size from others with the same secret. The original has another.
    var suffix: String {
        switch self {
        case .square: "_s"
        case .thumbnail: "_t"
        case .small: "_m"
        case .medium: ""
        case .large, .original: "_b"
        }
    }

    /// What the pictures of the letters are called.
    static let names = [
        "sq": "square", "q": "large square", "t": "thumbnail", "s": "small", "n": "small 320", "m": "medium",
        "z": "medium 640", "c": "medium 800", "l": "large", "h": "large 1600", "k": "large 2048", "o": "original",
    ]

    static let allLetters = original.letters
    /// What to ask a list for besides what every photo has.
    static let extras = allLetters.map { "url_\($0)" }
}
