internal import CCurl

/// The version of the libcurl in use, such as "7.88.1".
package var curlVersionText: String { curlFeatures().version }

/// What the libcurl in use can do.
package struct CurlFeatures: Hashable, Sendable {
    package let version: String
    /// Name and version of the TLS library; nil without TLS.
    package let tlsLibrary: String?
    package let hasHTTP2: Bool
    /// Whether host names outside ASCII are understood.
    package let hasInternationalNames: Bool
    /// The file and folder of trusted certificates that the library was built with.
    package let caFile: String?
    package let caDirectory: String?
}

/// What the libcurl in use can do.
package func curlFeatures() -> CurlFeatures { features }

/// Whether a kept connection on which HTTP/2 was spoken in clear from the first byte can be used again: before
/// libcurl 8.0 the second request on it fails with CURLE_HTTP2.
let keepsPriorKnowledgeConnections = ccurl_version_info().pointee.version_num >= 0x08_00_00

private let features: CurlFeatures = {
    prepareCurl()
    let info = ccurl_version_info().pointee
    func text(_ value: UnsafePointer<CChar>?) -> String? { value.map { String(cString: $0) } }
    func has(_ feature: Int32) -> Bool { info.features & feature != 0 }
    return CurlFeatures(
        version: text(info.version) ?? "", tlsLibrary: text(info.ssl_version), hasHTTP2: has(CURL_VERSION_HTTP2),
        hasInternationalNames: has(CURL_VERSION_IDN), caFile: text(info.cainfo), caDirectory: text(info.capath))
}()

/// Initialises libcurl, once in the process. Everything that makes a handle calls it first.
@discardableResult
func prepareCurl() -> CURLcode { initialization }

// A global is initialised once and safely for threads, which `curl_global_init` itself is not everywhere.
private let initialization = curl_global_init(Int(CURL_GLOBAL_SSL))
