/// Reads any bytes as each of Flickr's replies, as scripts/fuzz compiles it together with the module's sources.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFlickr(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if case .content(let list) = FlickrReply<PhotoList>(bytes) {
        for photo in list.photos { read(photo) }
    }
    if case .content(let list) = FlickrReply<PlaceList>(bytes) {
        for place in list.entries.compactMap(\.place) { read(place) }
    }
    switch FlickrReply<PlaceDetailsReply>(bytes) {
    case .content(let reply):
        for type in PlaceType.allCases { _ = reply.details.level(type).map(read) }
    case .fault(let fault):
        _ = plainText(ofHTML: fault.message)
    case .unreadable(let beginning):
        // It is told on a line.
        precondition(beginning.utf8.count <= 3 * 4_096 && !beginning.contains("\n"), "the beginning is no line")
    }
    return 0
}

private func read(_ photo: Photo) {
    precondition(!photo.id.isEmpty, "a photo without a number")
    precondition(photo.title?.isEmpty != true, "a title of nothing")
    if let description = photo.description {
        let text = plainText(ofHTML: description)
        // Tags go and entities become one character; nothing grows.
        precondition(text.utf8.count <= description.utf8.count, "a text longer than its HTML")
    }
    for size in PhotoSize.allCases { _ = photo.address.url(size, host: "https://live.staticflickr.com/") }
    if let point = photo.coordinates { precondition((-90...90).contains(point.latitude), "no place on the map") }
}

private func read(_ place: Place) {
    let name = PlaceName(place.name)
    precondition(!name.title.isEmpty && !name.country.isEmpty, "a place without a name")
}
