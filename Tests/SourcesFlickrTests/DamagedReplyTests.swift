import TestSupport
import Testing

@testable import SourcesFlickr

@Suite("Damaged replies", .timeLimit(.minutes(1)))
struct DamagedReplyTests {
    private static let fragments = [
        "null", "{}", "[]", "\"\"", "-1", "1e999", "9223372036854775808", "true", "\\u0000", "\\ud800", "[[[[[[[[",
        "{\"a\":",
        "&#99999999;", "<", "]", "}", ",", "jsonFlickrApi(", "\u{FEFF}", "\"stat\":\"fail\",",
    ].map { Array($0.utf8) }

    @Test(
        "fifteen hundred damaged replies are read or refused",
        arguments: ["interestingness.getList.json", "places.getInfo.json", "places.getTopPlacesList.json"])
    func mutations(name: String) throws {
        let seed = Array(try Sample.text(name).utf8)
        var read = 0
        for number in 0..<500 {
            var generator = SplitMix(UInt64(number))
            var bytes = seed
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1:
                    bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &generator)))
                default:
                    let fragment = Self.fragments[Int.random(in: 0..<Self.fragments.count, using: &generator)]
                    bytes.insert(contentsOf: fragment, at: place)
                }
                if bytes.isEmpty { bytes = [0x7B] }
            }
            if isRead(bytes) { read += 1 }
        }
        // The damage leaves some whole, else this tests the outermost brace alone.
        #expect((1..<500).contains(read))
    }

    @Test("a list nested a hundred thousand deep is refused")
    func deep() {
        let body = Array("{\"stat\":\"ok\",\"photos\":".utf8) + [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        #expect(!isRead(body))
    }

    private func isRead(_ bytes: [UInt8]) -> Bool {
        var isRead = false
        if case .content(let list) = FlickrReply<PhotoList>(bytes) {
            isRead = true
            for photo in list.photos {
                _ = photo.description.map { plainText(ofHTML: $0) }
                _ = photo.address.url(.large, host: "https://live.staticflickr.com")
            }
        }
        if case .content(let list) = FlickrReply<PlaceList>(bytes) {
            isRead = true
            for entry in list.entries { _ = entry.place.map { PlaceName($0.name) } }
        }
        if case .content = FlickrReply<PlaceDetailsReply>(bytes) { isRead = true }
        return isRead
    }
}
