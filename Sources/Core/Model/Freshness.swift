package import HTTP
import System

/// What a reply says about asking again (RFC 9110 section 8.8, RFC 9111 section 4.2).
package struct Freshness: Sendable, Hashable {
    /// Verbatim, with `W/` and quotes.
    package var etag: String?
    /// Verbatim.
    package var lastModified: String?
    /// Until when nothing needs to be asked, microseconds since 1970 UTC; nil when that is not said. No heuristics.
    package var expiresAt: Int64?
    /// Which variant of the resource it is of; nil when there is but one. See ``RequestVariant``.
    package var variant: String?

    package init(
        etag: String? = nil, lastModified: String? = nil, expiresAt: Int64? = nil, variant: String? = nil
    ) {
        self.etag = etag
        self.lastModified = lastModified
        self.expiresAt = expiresAt
        self.variant = variant
    }

    /// - Parameter now: when the reply was asked for, microseconds since 1970 UTC. Counting from there and not from its
    ///   arrival makes up for the time it was on its way (RFC 9111, 4.2.3).
    package init(_ headers: HTTPHeaders, now: Int64) {
        etag = headers["ETag"]
        lastModified = headers["Last-Modified"]
        expiresAt = Self.lifetime(headers, now: now).flatMap { seconds in
            seconds > 0 ? now + min(seconds, Self.longestLifetime) * 1_000_000 : nil
        }
    }

    /// Without validators that repeat a secret of the job's, as a server may that makes them of what it was asked: they
    /// would be stored as they are.
    package func without(_ secrets: Secrets) -> Freshness {
        guard !secrets.isEmpty else { return self }
        var result = self
        if etag.map(secrets.occur) == true { result.etag = nil }
        if lastModified.map(secrets.occur) == true { result.lastModified = nil }
        return result
    }

    /// Whether nothing needs to be asked, by the time in microseconds since 1970 UTC. What is said to be fresh for longer
    /// than it can be was asked for when the clock was wrong.
    package func isFresh(_ now: Int64) -> Bool {
        expiresAt.map { $0 > now && $0 <= now + Self.longestLifetime * 1_000_000 } ?? false
    }

    /// Ten years: what a server says beyond it is no longer meant as a time.
    private static let longestLifetime: Int64 = 10 * 366 * 86_400

    /// Seconds for which the reply is fresh; nil when it does not say or forbids it.
    ///
    /// `immutable` adds nothing: it is about requests within this time (RFC 8246, 2), of which there are none.
    private static func lifetime(_ headers: HTTPHeaders, now: Int64) -> Int64? {
        let directives = CacheDirectives(headers.all("Cache-Control"))
        guard !directives.forbidsFreshness else { return nil }
        guard let lifetime = directives.maxAge ?? untilExpires(headers, now: now) else { return nil }
        // A reply chosen by request fields that can't be known here matches no later request (RFC 9111, 4.1).
        guard !headers.all("Vary").contains(where: { $0.contains("*") }) else { return nil }
        let age = headers["Age"].flatMap { wholeNumber($0) } ?? 0
        return lifetime - age
    }

    private static func untilExpires(_ headers: HTTPHeaders, now: Int64) -> Int64? {
        guard let expires = headers["Expires"] else { return nil }
        // Anything that is no date, "0" above all, means already expired (RFC 9111, 5.3).
        guard let end = parseHTTPDate(expires) else { return nil }
        // A reply without a date has that of its arrival (RFC 9110, 6.6.1).
        let start = headers["Date"].flatMap { parseHTTPDate($0) } ?? now / 1_000_000
        return end - start
    }

    /// The validator for If-Range: a strong entity tag, or a date that is strong because the reply is a second or more
    /// younger (RFC 9110, 8.8.2.2 and 13.1.5).
    package static func strongValidator(_ headers: HTTPHeaders) -> String? {
        if let etag = headers["ETag"] { return isStrong(etag) ? etag : nil }
        guard let text = headers["Last-Modified"], let modified = parseHTTPDate(text), let date = headers["Date"],
            let sent = parseHTTPDate(date), sent > modified
        else { return nil }
        return text
    }

    private static func isStrong(_ etag: String) -> Bool {
        etag.utf8.count >= 2 && etag.hasPrefix("\"") && etag.hasSuffix("\"")
    }

    /// Whether two entity tags are the same by the weak comparison, which If-None-Match is answered by (RFC 9110,
    /// 8.8.3.2).
    package static func weaklyMatch(_ one: String, _ other: String) -> Bool {
        func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
        return opaque(one) == opaque(other)
    }
}

/// The directives of Cache-Control that matter to a private cache (RFC 9111 section 5.2.2).
private struct CacheDirectives {
    var maxAge: Int64?
    var forbidsFreshness = false

    init(_ fields: [String]) {
        for directive in fields.flatMap(Self.members) {
            let parts = directive.split(separator: "=", maxSplits: 1)
            let name = parts.first.map { trim($0).lowercased() } ?? ""
            switch name {
            case "no-store", "no-cache": forbidsFreshness = true
            case "max-age" where parts.count == 2:
                let value = trim(parts[1]).filter { $0 != "\"" }
                // Of several the shortest; one that is no number counts as stale (RFC 9111, 4.2.1), one that is too
                // great for a number as the greatest (1.2.2).
                maxAge = min(maxAge ?? .max, wholeNumber(value) ?? 0)
            default: break
            }
        }
    }

    /// The members of a list: a comma within a quoted string divides nothing (RFC 9110, 5.6.1 and 5.6.4).
    private static func members(_ field: String) -> [Substring] {
        guard field.utf8.contains(UInt8(ascii: "\"")) else { return field.split(separator: ",") }
        var isQuoted = false
        var isEscaped = false
        return field.split { character in
            if isEscaped {
                isEscaped = false
            } else if character == "\\" {
                isEscaped = isQuoted
            } else if character == "\"" {
                isQuoted.toggle()
            } else {
                return character == "," && !isQuoted
            }
            return false
        }
    }

    private func trim(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { start[...$0] } ?? ""
    }
}

/// Seconds that a Retry-After field asks to wait, in either of its forms; 0 for a time that has passed; nil when it is
/// neither (RFC 9110 section 10.2.3).
///
/// - Parameter now: microseconds since 1970 UTC.
package func retryAfter(_ field: String, now: Int64) -> Int64? {
    let text = field.filter { $0 != " " && $0 != "\t" }
    return wholeNumber(text) ?? parseHTTPDate(field).map { max(0, $0 - now / 1_000_000) }
}
