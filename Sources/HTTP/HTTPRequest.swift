/// One request, GET or POST. It is a single hop: a redirect is a reply like any other.
package struct HTTPRequest: Sendable {
    package var url: WebURL
    package var profile: HTTPProfile
    package var headers: HTTPHeaderList?
    /// Headers of this request alone, sent before `headers` and in place of those of the same names.
    package var extraHeaders: [HTTPHeader] = []
    /// The most body bytes to accept, coded and decoded alike; more is the failure `.tooLarge`.
    package var maximumBytes: Int64 = .max
    package var version: HTTPVersion = .automatic
    package var addresses: AddressPolicy = .globalOnly
    /// Microseconds for this request from start to end, 0 for no limit: the profile's total timeout, or what is left of
    /// it for one hop of several.
    package var timeLimit: Int64

    /// What a POST sends; nil for GET.
    package var body: [UInt8]?

    package init(
        url: WebURL, profile: HTTPProfile, headers: HTTPHeaderList? = nil, extraHeaders: [HTTPHeader] = [],
        maximumBytes: Int64 = .max, version: HTTPVersion = .automatic, addresses: AddressPolicy = .globalOnly
    ) {
        timeLimit = profile.configuration.totalTimeout
        self.url = url
        self.profile = profile
        self.headers = headers
        self.extraHeaders = extraHeaders
        self.maximumBytes = maximumBytes
        self.version = version
        self.addresses = addresses
    }
}
