internal import Server

/// Who may use the page, and from where: the guards before every request.
///
/// A page on 127.0.0.1 is reachable from every site that a browser of the same machine shows, and under every name that
/// someone's DNS gives that address. So the name is compared before anything else, a browser has to have come by the link that
/// was printed, and what changes something has to come from the page itself.
struct Access: Sendable {
    /// In small letters, with their ports.
    private let hosts: Set<String>
    private let port: Int
    /// What the link that is printed has.
    let token: String
    /// What a browser gets for it.
    private let session: String

    /// - Parameters:
    ///   - address: what is listened on, `127.0.0.1:8080`.
    ///   - names: further names of this machine, with a port or without.
    init(address: String, port: Int, names: [String], token: String, session: String) {
        self.port = port
        self.token = token
        self.session = session
        var hosts: Set = ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)", address]
        for name in names.map({ $0.lowercased() }) {
            // Behind a proxy a browser has the proxy's port, and names none that is usual.
            hosts.formUnion(Self.hasPort(name) ? [name] : [name, "\(name):\(port)"])
        }
        if port == 80 { hosts.formUnion(hosts.map { $0.hasSuffix(":80") ? String($0.dropLast(3)) : $0 }) }
        self.hosts = hosts
    }

    private static func hasPort(_ name: String) -> Bool {
        guard let colon = name.lastIndex(of: ":") else { return false }
        return !name.hasPrefix("[") || name[..<colon].hasSuffix("]")
    }

    /// Cookies are kept by host alone, so that the name has the port.
    private var cookieName: String { "runner-\(port)" }

    // MARK: - Guards

    /// DNS rebinding: a foreign name that leads to this machine. First of all, for static files as well.
    func checkHost(_ request: Request) throws(Problem) {
        let host = request.headers["host"]?.lowercased() ?? ""
        guard hosts.contains(host) else {
            throw Problem(
                421, "Unknown host", "this page is not served under that name; runner web --host NAME permits one")
        }
    }

    /// The link that was printed: its token for a cookie. Nil for any other request.
    func signIn(_ request: Request) throws(Problem) -> Response? {
        guard request.method == .get, request.path == "/", let given = request.query["token"] else { return nil }
        guard isSame(given, token) else {
            throw Problem(
                403, "Wrong token", "the link is of another start of runner web; it prints the one that is right")
        }
        return Response(
            status: 303,
            headers: [
                ("Location", "/"), ("Cache-Control", "no-store"),
                ("Set-Cookie", "\(cookieName)=\(session); HttpOnly; SameSite=Strict; Path=/"),
            ])
    }

    /// A request for data, or to do something: it has the cookie, or the token as `Authorization: Bearer`.
    func checkSession(_ request: Request) throws(Problem) {
        // Of a script that names the token no cookie is looked at.
        let isSignedIn = hasBearer(request) ?? hasCookie(request)
        guard isSignedIn else {
            throw Problem(401, "Not signed in", "open the link that runner web printed, or send its token as Bearer")
        }
        if !request.method.isSafe { try checkOrigin(request) }
    }

    /// Nil where the request has no Authorization.
    private func hasBearer(_ request: Request) -> Bool? {
        guard let value = request.headers["authorization"] else { return nil }
        guard value.lowercased().hasPrefix("bearer ") else { return false }
        return isSame(String(value.dropFirst("bearer ".count)), token)
    }

    private func hasCookie(_ request: Request) -> Bool {
        let values = (request.headers["cookie"] ?? "").split(separator: ";")
            .map { $0.drop { $0 == " " } }.filter { $0.hasPrefix(cookieName + "=") }
        // Of two, one may have been set by somebody else.
        guard values.count == 1 else { return false }
        return isSame(String(values[0].dropFirst(cookieName.count + 1)), session)
    }

    /// Cross-site requests: what the browser tells of where a request comes from.
    private func checkOrigin(_ request: Request) throws(Problem) {
        let isAllowed: Bool
        if hasBearer(request) == true, request.headers["cookie"] == nil {
            isAllowed = true
        } else if let site = request.headers["sec-fetch-site"] {
            isAllowed = site == "same-origin" || site == "none"
        } else if let origin = request.headers["origin"]?.lowercased() {
            let host = request.headers["host"]?.lowercased() ?? ""
            isAllowed = origin == "http://\(host)" || origin == "https://\(host)"
        } else {
            isAllowed = false
        }
        guard isAllowed else {
            throw Problem(
                403, "From another site", "only the page itself may do that, or a script with the token as Bearer")
        }
    }

    /// In a time that does not depend on where the two differ.
    private func isSame(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    // MARK: - Headers

    /// On every response: nothing from elsewhere, nothing to elsewhere, no frames.
    static let headers: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
                + "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
        ),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    /// 32 random bytes as base64url.
    static func randomToken() -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var random = SystemRandomNumberGenerator()
        // 43 digits of 6 bits; getrandom(2) is behind the generator.
        return String((0..<43).compactMap { _ in digits.randomElement(using: &random) })
    }
}
