import Glibc
package import HTTP

/// Where a site sends those who ask for what it does not have any more: a picture that says so, with status 200.
///
/// An item whose redirects end there failed as `unavailable`, whatever bytes are there.
package struct Placeholder: Hashable, Sendable {
    /// In small letters, without a port: a placeholder is one on every port.
    package let host: String
    /// A shell pattern for the whole path; `*` also matches `/`.
    package let path: String

    /// A place of that host and those paths.
    package init(host: String, path: String) {
        self.host = host
        self.path = path
    }

    /// Whether the URL is one of the place's.
    package func matches(_ url: WebURL) -> Bool {
        url.host == host && fnmatch(path, url.path, 0) == 0
    }
}
