import HTTP

/// What a job's transfers have in common, as the network wants it.
enum JobProfile {
    /// - Throws: `HTTPFailure` for settings that the network refuses, such as a proxy's URL.
    static func make(_ job: Job, _ options: SessionOptions) throws -> HTTPProfile {
        let policy = job.transfer
        var configuration = HTTPProfile.Configuration(
            userAgent: policy.userAgent ?? "runner/\(options.runnerVersion) libcurl/\(curlVersionText)")
        configuration.connectTimeout = policy.connectTimeout.microseconds
        configuration.stallTimeout = policy.stallTimeout.microseconds
        configuration.totalTimeout = policy.totalTimeout.microseconds
        configuration.caFile = policy.caFile
        configuration.routes = policy.connectTo.map {
            HTTPRoute(host: $0.host, port: $0.port, targetHost: $0.targetHost, targetPort: $0.targetPort)
        }
        configuration.bandwidth = HTTPBandwidth(bytesPerSecond: policy.bandwidth?.bytesPerSecond)
        configuration.proxy =
            switch policy.proxy {
            case .some(.none): .none
            case .some(.url(let url)): .url(url)
            case nil: .environment
            }
        return try HTTPProfile(configuration)
    }
}
