internal import CCurl

/// What each of libcurl's codes means for a transfer: the one place that decides.
///
/// Codes of other protocols, of uploads and of options that are not used cannot occur; were one to, it would be a
/// permanent protocol failure, as any code that is not listed. Where the loop knows more than the code (which
/// clock ran out, who refused an address, that the exchange ended the transfer), it says so instead.
package var curlFailureTable: [(code: Int, name: String, kind: HTTPFailure.Kind, isTransient: Bool)] {
    failures.map { (Int($0.code.rawValue), $0.name, $0.kind, $0.isTransient) }
}

/// The failure that libcurl's code and message tell of.
func makeFailure(_ code: CURLcode, detail: String) -> HTTPFailure {
    let entry = failures.first { $0.code == code }
    let detail = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
    return HTTPFailure(
        kind: entry?.kind ?? .protocolError, detail: detail, isTransient: entry?.isTransient ?? false)
}

private struct Entry {
    let code: CURLcode
    let name: String
    let kind: HTTPFailure.Kind
    let isTransient: Bool

    init(_ code: CURLcode, _ name: String, _ kind: HTTPFailure.Kind, transient: Bool? = nil) {
        self.code = code
        self.name = name
        self.kind = kind
        isTransient = transient ?? kind.isUsuallyTransient
    }
}

private let failures: [Entry] = [
    // The reply has no status line and HTTP/0.9 is off, or a proxy names an unknown protocol.
    Entry(CURLE_UNSUPPORTED_PROTOCOL, "CURLE_UNSUPPORTED_PROTOCOL", .protocolError),
    Entry(CURLE_FAILED_INIT, "CURLE_FAILED_INIT", .resource),
    Entry(CURLE_URL_MALFORMAT, "CURLE_URL_MALFORMAT", .invalid),
    Entry(CURLE_NOT_BUILT_IN, "CURLE_NOT_BUILT_IN", .invalid),
    Entry(CURLE_COULDNT_RESOLVE_PROXY, "CURLE_COULDNT_RESOLVE_PROXY", .proxy),
    Entry(CURLE_COULDNT_RESOLVE_HOST, "CURLE_COULDNT_RESOLVE_HOST", .dns),
    Entry(CURLE_COULDNT_CONNECT, "CURLE_COULDNT_CONNECT", .connect),
    Entry(CURLE_WEIRD_SERVER_REPLY, "CURLE_WEIRD_SERVER_REPLY", .protocolError),
    // The HTTP/2 connection or stream was broken off (GOAWAY, RST_STREAM): what a reset is to TCP.
    Entry(CURLE_HTTP2, "CURLE_HTTP2", .reset),
    Entry(CURLE_HTTP2_STREAM, "CURLE_HTTP2_STREAM", .reset),
    Entry(CURLE_PARTIAL_FILE, "CURLE_PARTIAL_FILE", .truncated),
    // A callback of the loop refused and gave no reason of its own.
    Entry(CURLE_WRITE_ERROR, "CURLE_WRITE_ERROR", .rejected),
    Entry(CURLE_ABORTED_BY_CALLBACK, "CURLE_ABORTED_BY_CALLBACK", .rejected),
    Entry(CURLE_OUT_OF_MEMORY, "CURLE_OUT_OF_MEMORY", .resource),
    Entry(CURLE_OPERATION_TIMEDOUT, "CURLE_OPERATION_TIMEDOUT", .timeout),
    Entry(CURLE_BAD_FUNCTION_ARGUMENT, "CURLE_BAD_FUNCTION_ARGUMENT", .invalid),
    Entry(CURLE_INTERFACE_FAILED, "CURLE_INTERFACE_FAILED", .connect),
    Entry(CURLE_UNKNOWN_OPTION, "CURLE_UNKNOWN_OPTION", .invalid),
    Entry(CURLE_SETOPT_OPTION_SYNTAX, "CURLE_SETOPT_OPTION_SYNTAX", .invalid),
    Entry(CURLE_GOT_NOTHING, "CURLE_GOT_NOTHING", .reset),
    Entry(CURLE_SEND_ERROR, "CURLE_SEND_ERROR", .reset),
    Entry(CURLE_RECV_ERROR, "CURLE_RECV_ERROR", .reset),
    // The handshake broke off: a busy server as well as one without a common version.
    Entry(CURLE_SSL_CONNECT_ERROR, "CURLE_SSL_CONNECT_ERROR", .tls),
    Entry(CURLE_SSL_ENGINE_NOTFOUND, "CURLE_SSL_ENGINE_NOTFOUND", .tls, transient: false),
    Entry(CURLE_SSL_ENGINE_SETFAILED, "CURLE_SSL_ENGINE_SETFAILED", .tls, transient: false),
    Entry(CURLE_SSL_ENGINE_INITFAILED, "CURLE_SSL_ENGINE_INITFAILED", .tls, transient: false),
    Entry(CURLE_SSL_CERTPROBLEM, "CURLE_SSL_CERTPROBLEM", .tls, transient: false),
    Entry(CURLE_SSL_CIPHER, "CURLE_SSL_CIPHER", .tls, transient: false),
    // Verification does not pass by trying again: the wrong name, issuer or date stays wrong.
    Entry(CURLE_PEER_FAILED_VERIFICATION, "CURLE_PEER_FAILED_VERIFICATION", .tls, transient: false),
    Entry(CURLE_SSL_CACERT_BADFILE, "CURLE_SSL_CACERT_BADFILE", .tls, transient: false),
    Entry(CURLE_SSL_CRL_BADFILE, "CURLE_SSL_CRL_BADFILE", .tls, transient: false),
    Entry(CURLE_SSL_ISSUER_ERROR, "CURLE_SSL_ISSUER_ERROR", .tls, transient: false),
    Entry(CURLE_SSL_PINNEDPUBKEYNOTMATCH, "CURLE_SSL_PINNEDPUBKEYNOTMATCH", .tls, transient: false),
    Entry(CURLE_SSL_INVALIDCERTSTATUS, "CURLE_SSL_INVALIDCERTSTATUS", .tls, transient: false),
    Entry(CURLE_SSL_CLIENTCERT, "CURLE_SSL_CLIENTCERT", .tls, transient: false),
    Entry(CURLE_SSL_SHUTDOWN_FAILED, "CURLE_SSL_SHUTDOWN_FAILED", .tls),
    Entry(CURLE_BAD_CONTENT_ENCODING, "CURLE_BAD_CONTENT_ENCODING", .encoding),
    Entry(CURLE_FILESIZE_EXCEEDED, "CURLE_FILESIZE_EXCEEDED", .tooLarge),
    Entry(CURLE_LOGIN_DENIED, "CURLE_LOGIN_DENIED", .protocolError),
    Entry(CURLE_AUTH_ERROR, "CURLE_AUTH_ERROR", .protocolError),
    Entry(CURLE_NO_CONNECTION_AVAILABLE, "CURLE_NO_CONNECTION_AVAILABLE", .connect),
    Entry(CURLE_PROXY, "CURLE_PROXY", .proxy),
    Entry(CURLE_UNRECOVERABLE_POLL, "CURLE_UNRECOVERABLE_POLL", .resource),
]
