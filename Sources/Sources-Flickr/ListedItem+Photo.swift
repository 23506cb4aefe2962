import Model

extension ListedItem {
    /// A photo as an item of a collection.
    convenience init(_ photo: Photo, in collection: String, _ options: FlickrOptions) {
        let description = photo.description.map { plainText(ofHTML: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        let picture = photo.address.picture(options.size, host: options.imageHost)
        self.init(
            collection: collection, key: "\(collection)/\(photo.id)", url: picture?.url ?? "",
            title: photo.title ?? description.map { Self.title(from: $0) } ?? "Unknown", description: description,
            metadata: photo.metadata(picture), thumbnailURL: photo.address.url(.thumbnail, host: options.imageHost),
            fields: [
                "photo_id": photo.id, "owner": photo.ownerName ?? photo.owner ?? "", "taken": photo.takenAt ?? "",
                "uploaded": photo.uploadedAt.map { "\($0)" } ?? "",
            ],
            invalid: picture == nil ? "Flickr gives no address for this photo" : nil)
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
    ///
    /// - Parameter picture: what is fetched of it.
    fileprivate func metadata(_ picture: PhotoAddress.Picture?) -> [String: MetadataValue] {
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
        values["uploaded_at"] = uploadedAt.flatMap(Self.microseconds)
        values["updated_at"] = updatedAt.flatMap(Self.microseconds)
        values["taken_at"] = takenAt.map { .text($0) }
        values["views"] = views.map { .integer(Int64($0)) }
        values["tags"] = tags.isEmpty ? nil : .list(tags)
        values["machine_tags"] = machineTags.isEmpty ? nil : .list(machineTags)
        values["path_alias"] = pathAlias.map { .text($0) }
        values["media"] = media.map { .text($0) }
        values["original_format"] = address.format.map { .text($0) }
        values["original_width"] = address.originalDimensions.map { .integer(Int64($0.width)) }
        values["original_height"] = address.originalDimensions.map { .integer(Int64($0.height)) }
        values["size"] = picture.map { .text($0.size) }
        values["width"] = picture?.dimensions.map { .integer(Int64($0.width)) }
        values["height"] = picture?.dimensions.map { .integer(Int64($0.height)) }
        return values
    }

    /// Of seconds; nil for more than there is a time of.
    private static func microseconds(_ seconds: Int) -> MetadataValue? {
        let (product, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000)
        return overflow ? nil : .integer(product)
    }
}
