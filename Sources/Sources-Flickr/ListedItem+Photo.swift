import Model

extension ListedItem {
    /// A photo as an item of its subject's collection.
    convenience init(_ photo: Photo, _ subject: PhotoSubject, _ options: FlickrOptions) {
        let description = photo.description.map { plainText(ofHTML: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        let url = photo.address.url(options.size, host: options.imageHost)
        self.init(
            collection: subject.collection.key, key: "\(subject.collection.key)/\(photo.id)", url: url ?? "",
            title: photo.title ?? description.map { Self.title(from: $0) } ?? "Unknown", description: description,
            metadata: photo.metadata, thumbnailURL: photo.address.url(.thumbnail, host: options.imageHost),
            fields: ["photo_id": photo.id, "owner": photo.ownerName ?? photo.owner ?? ""],
            invalid: url == nil ? "Flickr gives no address for this photo" : nil)
    }

    /// A description on one line, cut at a word where it is long.
    private static func title(from description: String) -> String {
        let words = description.split(whereSeparator: \.isWhitespace)
        var title = ""
        for word in words {
            guard title.count + word.count < 200 else { return title.isEmpty ? "\(word.prefix(199))…" : "\(title)…" }
            if !title.isEmpty { title += " " }
            title += word
        }
        return title
    }
}

extension Photo {
    /// What is kept for attribution and for looking through the photos.
    fileprivate var metadata: [String: MetadataValue] {
        var values: [String: MetadataValue] = ["photo_id": .text(id)]
        values["owner"] = owner.map { .text($0) }
        values["owner_name"] = ownerName.map { .text($0) }
        values["page_url"] = page.map { .text($0) }
        if let license {
            values["license"] = .integer(Int64(license))
            values["license_name"] = License(license).map { .text($0.name) }
            values["license_url"] = License(license)?.url.map { .text($0) }
        }
        values["latitude"] = coordinates.map { .number($0.latitude) }
        values["longitude"] = coordinates.map { .number($0.longitude) }
        values["place_id"] = placeID.map { .text($0) }
        values["uploaded_at"] = uploadedAt.flatMap { Int64(exactly: $0)?.multipliedReportingOverflow(by: 1_000_000) }
            .flatMap { $0.overflow ? nil : .integer($0.partialValue) }
        values["taken_at"] = takenAt.map { .text($0) }
        values["views"] = views.map { .integer(Int64($0)) }
        values["tags"] = tags.isEmpty ? nil : .list(tags)
        values["media"] = media.map { .text($0) }
        return values
    }
}
