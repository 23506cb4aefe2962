import Model
import SourceKit

/// Why Flickr gives no list at all.
enum FlickrError: Error, Hashable, Sendable {
    /// No reply came: the network, a name, a certificate.
    case unreachable(String)
    /// Replies came, and none of them was of use.
    case busy(String)
    case unknownKey(String)
    case expiredKey
    case status(FlickrMethod, Int)
    case unreadable(FlickrMethod, String)
    /// A fault of all methods alike, with Flickr's words.
    case failed(FlickrMethod, FlickrFault)

    /// A failure that would meet every other request too; nil for one of this request's arguments.
    ///
    /// Codes below 90 are a method's own, so that only those above are looked at here.
    init?(_ fault: FlickrFault, _ method: FlickrMethod) {
        switch fault.code {
        case 100:
            self = fault.message.lowercased().contains("expired") ? .expiredKey : .unknownKey(fault.message)
        case _ where method.isTransient(fault.code): self = .busy(fault.message)
        case 90...: self = .failed(method, fault)
        default: return nil
        }
    }

    /// A request without a reply.
    init(_ error: FetchError, _ method: FlickrMethod) {
        switch error.failure {
        case .http: self = .busy(error.description)
        default: self = .unreachable(error.description)
        }
    }
}

extension FlickrError: CustomStringConvertible {
    private static let keys = "keys are at https://www.flickr.com/services/apps/"

    /// One line that says what is wrong and what can be done.
    var description: String {
        switch self {
        case .unreachable(let detail): "Flickr can't be reached: \(detail)"
        case .busy(let detail): "Flickr is not available just now: \(detail)"
        case .unknownKey(let message): "Flickr does not know the key in api_key (\(message)); \(Self.keys)"
        case .expiredKey: "the key in api_key has expired; \(Self.keys)"
        case .status(let method, let status): "Flickr answered \(method.rawValue) with status \(status)"
        case .unreadable(let method, let beginning):
            beginning.isEmpty
                ? "Flickr answered \(method.rawValue) with nothing"
                : "Flickr answered \(method.rawValue) with what is not its JSON: \(beginning)"
        case .failed(let method, let fault):
            "\(method.rawValue) failed: \(fault.message) (code \(fault.code))"
        }
    }
}

/// A method refused its arguments: what was asked for is not there or can't be asked.
struct FlickrRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    let method: FlickrMethod
    let fault: FlickrFault

    /// One line, Flickr's words first.
    var description: String {
        let advice = method.advice(for: fault.code).map { "; \($0)" } ?? ""
        return "Flickr says '\(fault.message)' (\(method.rawValue), code \(fault.code))\(advice)"
    }
}
