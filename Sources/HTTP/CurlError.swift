internal import CCurl

/// A call that libcurl refused: a setting this build lacks, or no memory.
struct CurlError: Error {
    let code: CURLcode

    /// The failure of the transfer that needed the call.
    var failure: HTTPFailure {
        code == CURLE_OUT_OF_MEMORY
            ? HTTPFailure(.resource, "out of memory")
            : HTTPFailure(.invalid, "libcurl refused a setting: \(String(cString: curl_easy_strerror(code)))")
    }
}

extension CURLcode {
    /// Throws unless the call succeeded.
    @inline(__always)
    func check() throws(CurlError) {
        if self != CURLE_OK { throw CurlError(code: self) }
    }
}

extension CURLMcode {
    /// Throws unless the call succeeded.
    @inline(__always)
    func check() throws(HTTPFailure) {
        if self != CURLM_OK { throw HTTPFailure(.resource, String(cString: curl_multi_strerror(self))) }
    }
}
