import Glibc
package import HTTP
package import Jobs
import Model

/// What a job's transfers have in common, as the network wants it.
package enum JobProfile {
    /// - Parameter bandwidth: bytes a second at first; nil for no limit.
    /// - Throws: `HTTPFailure` for settings that the network refuses, such as a proxy's URL.
    package static func make(_ job: Job, bandwidth: Int64?, runnerVersion: String) throws -> HTTPProfile {
        let policy = job.transfer
        var configuration = HTTPProfile.Configuration(
            userAgent: policy.userAgent ?? "runner/\(runnerVersion) libcurl/\(curlVersionText)")
        configuration.connectTimeout = policy.connectTimeout.microseconds
        configuration.stallTimeout = policy.stallTimeout.microseconds
        configuration.totalTimeout = policy.totalTimeout.microseconds
        configuration.caFile = policy.caFile
        // The network's thread would wait for somebody to write to a pipe.
        var information = stat()
        if let file = policy.caFile, stat(file, &information) == 0, information.st_mode & S_IFMT != S_IFREG {
            throw HTTPFailure(
                kind: .invalid, detail: "transfer.ca_file: \(file) is not a regular file", isTransient: false)
        }
        configuration.routes = policy.connectTo.map {
            HTTPRoute(host: $0.host, port: $0.port, targetHost: $0.targetHost, targetPort: $0.targetPort)
        }
        configuration.bandwidth = HTTPBandwidth(bytesPerSecond: bandwidth)
        configuration.proxy =
            switch policy.proxy {
            case .some(.none): .none
            case .some(.url(let url)): .url(url)
            case nil: .environment
            }
        return try HTTPProfile(configuration)
    }
}
