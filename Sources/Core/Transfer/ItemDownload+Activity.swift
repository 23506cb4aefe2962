import Files
import HTTP
import Jobs
import Model

extension ItemDownload {
    /// How far the request in flight is; nil while there is none. On the loop's thread.
    var activity: ItemActivity? {
        guard ticket != nil else { return nil }
        let isReceiving = status != 0
        return ItemActivity(
            id: work.id, run: context.run, job: context.job.name, key: work.key, collection: work.collectionID,
            title: work.title, host: route.url.origin.shortText,
            stage: isReceiving ? .receiving : .waiting, attempt: attempts, received: part?.size ?? 0,
            total: isReceiving ? announcedLength : part?.note?.totalLength ?? work.expectedContent.size)
    }

    /// Bytes of the request in flight.
    var receivedNow: Int64 { ticket == nil ? 0 : max(0, (part?.size ?? 0) - offset) }

    /// The whole body's length by the reply in flight. A coded body's length says nothing of the file's.
    private var announcedLength: Int64? {
        if let total = part?.note?.totalLength { return total }
        guard reply["Content-Encoding"] == nil else { return nil }
        return length.map { offset + $0 } ?? work.expectedContent.size
    }
}

extension HTTPOrigin {
    /// The host, with its port where that is not the scheme's own.
    var shortText: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (scheme == "https" ? 443 : 80) ? name : "\(name):\(port)"
    }
}
