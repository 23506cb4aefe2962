internal import CCurl
internal import Glibc

/// The URL of a handle's request, taken apart.
///
/// Given the text alone, libcurl takes it apart and puts it together again for each request. URLs of one list mostly
/// differ in their path, which is all that is exchanged here.
struct RequestTarget: ~Copyable {
    let raw: OpaquePointer
    /// What it is of; nil after a failure.
    private var url: WebURL?

    init() throws(HTTPFailure) {
        guard let raw = curl_url() else { throw HTTPFailure(.resource, "out of memory") }
        self.raw = raw
    }

    deinit { curl_url_cleanup(raw) }

    mutating func set(_ new: WebURL) throws(HTTPFailure) {
        let isNear = url.take()?.isRoot(of: new.text) == true
        let code = new.text.withCString { text in
            guard isNear, strchr(text, Int32(UInt8(ascii: "?"))) == nil else {
                return curl_url_set(raw, CURLUPART_URL, text, 0)
            }
            let code = curl_url_set(raw, CURLUPART_QUERY, nil, 0)
            return code == CURLUE_OK ? curl_url_set(raw, CURLUPART_PATH, text + new.rootLength, 0) : code
        }
        guard code == CURLUE_OK else { throw HTTPFailure(.invalid, String(cString: curl_url_strerror(code))) }
        url = new
    }
}
