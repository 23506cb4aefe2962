internal import CCurl

/// Owns one libcurl easy handle and the memory that libcurl writes its error message to.
///
/// It must be out of its multi handle before it goes.
struct EasyHandle: ~Copyable {
    let raw: UnsafeMutableRawPointer
    private let message: UnsafeMutablePointer<CChar>

    init() throws(HTTPFailure) {
        guard prepareCurl() == CURLE_OK, let raw = curl_easy_init() else {
            throw HTTPFailure(.resource, "libcurl could not make a handle")
        }
        self.raw = raw
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(raw)
        message.deallocate()
    }

    func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
        try ccurl_set_long(raw, option, value).check()
    }

    /// libcurl copies the text; nil restores the option's default.
    func set(_ option: CURLoption, _ text: String?) throws(CurlError) {
        guard let text else { return try ccurl_set_string(raw, option, nil).check() }
        try text.withCString { ccurl_set_string(raw, option, $0) }.check()
    }

    /// libcurl copies the bytes, whose number was set before.
    func setCopied(_ option: CURLoption, _ bytes: [UInt8]) throws(CurlError) {
        var bytes = bytes
        try bytes.withUnsafeMutableBytes { ccurl_set_pointer(raw, option, $0.baseAddress) }.check()
    }

    /// libcurl keeps the pointer: the list must outlive its use.
    func set(_ option: CURLoption, _ list: UnsafeMutablePointer<curl_slist>?) throws(CurlError) {
        try ccurl_set_list(raw, option, list).check()
    }

    /// libcurl keeps the pointer, and goes by it rather than by the text of `CURLOPT_URL`.
    func set(_ target: borrowing RequestTarget) throws(CurlError) {
        try ccurl_set_pointer(raw, CURLOPT_CURLU, UnsafeMutableRawPointer(target.raw)).check()
    }

    /// Gives the handle its context, for `context(of:)`, and its place for error messages.
    func setContext(_ context: UnsafeMutableRawPointer) throws(CurlError) {
        try ccurl_set_pointer(raw, CURLOPT_PRIVATE, context).check()
        try ccurl_set_pointer(raw, CURLOPT_ERRORBUFFER, message).check()
    }

    /// What `setContext` gave to a handle that libcurl names.
    static func context(of raw: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        var context: UnsafeMutableRawPointer?
        ccurl_get_pointer(raw, CURLINFO_PRIVATE, &context)
        return context
    }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        ccurl_get_long(raw, info, &value)
        return value
    }

    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        ccurl_get_offset(raw, info, &value)
        return Int64(value)
    }

    func text(_ info: CURLINFO) -> String? {
        var value: UnsafePointer<CChar>?
        ccurl_get_string(raw, info, &value)
        return value.map { String(cString: $0) }
    }

    /// The socket of the transfer's connection, -1 for none.
    var socket: Int32 {
        var socket: curl_socket_t = -1
        ccurl_get_socket(raw, CURLINFO_ACTIVESOCKET, &socket)
        return socket
    }

    /// libcurl's message about the last failure; empty when it left none.
    var errorMessage: String { String(cString: message) }

    func clearErrorMessage() { message.pointee = 0 }
}
