import Glibc
import Server
import TestSupport
import Testing
import Web

@Suite("Who may use the page", .timeLimit(.minutes(1)))
struct AccessTests {
    private func port(_ page: TestPage) -> String { String(page.service.address.split(separator: ":").last ?? "") }

    @Test("another name than this machine's is refused, for static files as well")
    func hosts() throws {
        let page = try TestPage(hosts: ["photos.example.org", "other.example.org:8443"])
        let port = port(page)
        for host in [
            "127.0.0.1:\(port)", "localhost:\(port)", "LOCALHOST:\(port)", "[::1]:\(port)",
            "photos.example.org", "photos.example.org:\(port)", "other.example.org:8443",
        ] {
            #expect(try page.ask("GET /", [], host: host).status == 200, "\(host)")
            #expect(try page.ask("GET /api/jobs", nil, host: host).status == 200, "\(host)")
        }
        for host in [
            "evil.test:\(port)", "127.0.0.1:1", "127.0.0.1", "localhost", "127.0.0.1:\(port).evil.test",
            "photos.example.org:1", "other.example.org", "x.localhost:\(port)", "",
        ] {
            for path in ["/", "/page/js/app.js", "/favicon.svg", "/api/jobs", "/?token=\(page.service.token)"] {
                let response = try page.ask("GET \(path)", nil, host: host)
                #expect([400, 421].contains(response.status), "\(host) \(path)")
                #expect(response["set-cookie"] == nil)
            }
        }
        #expect(try page.ask("GET /", [], host: "evil.test").body.contains("--host"))
    }

    @Test("the link gives a cookie that scripts and other sites don't get, and the token leaves the address")
    func signIn() throws {
        let page = try TestPage()
        let response = try page.ask("GET /?token=\(page.service.token)", [])
        #expect(response.status == 303 && response["location"] == "/")
        let cookie = try #require(response["set-cookie"])
        #expect(cookie.hasPrefix("runner-\(port(page))=") && cookie.contains("HttpOnly"))
        #expect(cookie.contains("SameSite=Strict") && !cookie.contains(page.service.token))
        #expect(try page.ask("GET /?token=\(page.service.token.dropLast())x", []).status == 403)
        #expect(try page.ask("GET /?token=", []).status == 403)
        #expect(page.service.token.count == 43)
    }

    @Test("who is signed in stays so when the page is started again, by a file that nobody else reads")
    func restart() throws {
        let page = try TestPage()
        let file = page.database + ".session"
        var information = stat()
        #expect(stat(file, &information) == 0 && information.st_mode & 0o777 == 0o600)
        func session() throws -> (value: Substring, token: String) {
            let service = try WebService(page.settings)
            defer { service.stop() }
            let answer = try page.ask("GET /?token=\(service.token)", [], of: service)
            return (try #require(answer["set-cookie"]).prefix { $0 != ";" }.drop { $0 != "=" }, service.token)
        }
        let first = page.cookie.drop { $0 != "=" }
        let second = try session()
        #expect(second.value == first && second.token != page.service.token)
        chmod(file, 0o644)
        #expect(try session().value != first)
    }

    @Test("data, files and verbs need the cookie or the token; the page itself has no data")
    func sessions() throws {
        let page = try TestPage { _, rows in try rows.item("a", bytes: "x") }
        for path in ["/api/jobs", "/api/events", "/files/1", "/pictures/1", "/api/items/1", "/api/nothing"] {
            #expect(try page.ask("GET \(path)", []).status == 401, "\(path)")
        }
        let cookie = page.cookie
        #expect(try page.ask("GET /api/jobs", ["Cookie: \(cookie)x"]).status == 401)
        #expect(try page.ask("GET /api/jobs", ["Cookie: runner-1\(cookie.drop { $0 != "=" })"]).status == 401)
        #expect(try page.ask("GET /api/jobs", ["Cookie: \(cookie); \(cookie)"]).status == 401)
        #expect(try page.ask("GET /api/jobs", ["Cookie: other=1; \(cookie)"]).status == 200)
        #expect(try page.ask("GET /api/jobs", ["Authorization: Bearer \(page.service.token)"]).status == 200)
        #expect(try page.ask("GET /api/jobs", ["Authorization: Bearer x", "Cookie: \(cookie)"]).status == 401)
        #expect(try page.ask("GET /api/jobs?token=\(page.service.token)", []).status == 401)
        for path in ["/", "/jobs/pics", "/page/js/app.js", "/favicon.svg"] {
            #expect(try page.ask("GET \(path)", []).status == 200, "\(path)")
        }
    }

    @Test(
        "what changes something has to come from the page itself",
        arguments: [
            (["Sec-Fetch-Site: same-origin"], 204), (["Sec-Fetch-Site: none"], 204),
            (["Sec-Fetch-Site: cross-site"], 403), (["Sec-Fetch-Site: same-site"], 403),
            (["Sec-Fetch-Site: cross-site", "Origin: http://HOST"], 403),
            (["Origin: http://HOST"], 204), (["Origin: https://HOST"], 204),
            (["Origin: http://evil.test"], 403), (["Origin: null"], 403), (["Origin: http://127.0.0.1:1"], 403),
            ([], 403),
            (["Authorization: Bearer TOKEN", "Sec-Fetch-Site: cross-site"], 403),
        ] as [([String], Int)])
    func origins(headers: [String], status: Int) throws {
        let page = try TestPage { _, rows in try rows.item("a", bytes: "x") }
        let fields =
            ["Cookie: \(page.cookie)"]
            + headers.map {
                $0.replacing("HOST", with: page.service.address).replacing("TOKEN", with: page.service.token)
            }
        #expect(try page.ask("POST /api/viewed", fields, body: #"{"item": 1}"#).status == status)
    }

    @Test("a script with the token needs no browser's headers")
    func scripts() throws {
        let page = try TestPage { _, rows in try rows.item("a", bytes: "x") }
        let bearer = "Authorization: Bearer \(page.service.token)"
        #expect(try page.ask("POST /api/viewed", [bearer], body: #"{"item": 1}"#).status == 204)
        #expect(try page.ask("POST /api/viewed", ["Authorization: Bearer x"], body: #"{"item": 1}"#).status == 401)
        #expect(try page.ask("POST /api/viewed", ["Sec-Fetch-Site: same-origin"], body: #"{"item": 1}"#).status == 401)
    }

    @Test("every answer forbids what the page does not need, and none permits another site")
    func headers() throws {
        let page = try TestPage { _, rows in try rows.item("a", bytes: "x") }
        for path in ["/", "/page/js/app.js", "/api/jobs", "/api/nothing", "/files/1", "/files/99"] {
            let response = try page.ask("GET \(path)")
            let policy = try #require(response["content-security-policy"], "\(path)")
            #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "\(path)")
            #expect(response["x-content-type-options"] == "nosniff" && response["referrer-policy"] == "no-referrer")
            #expect(response["cross-origin-resource-policy"] == "same-origin")
            #expect(response["cross-origin-opener-policy"] == "same-origin")
            #expect(!response.lines.contains { $0.lowercased().hasPrefix("access-control") })
        }
        let policy = try #require(try page.ask("GET /")["content-security-policy"])
        for part in ["script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"] {
            #expect(policy.contains(part))
        }
        #expect(try page.ask("GET /api/jobs")["cache-control"] == "no-store")
    }

    @Test("GET and HEAD change nothing, and a path has only its methods")
    func methods() throws {
        let page = try TestPage { _, rows in try rows.item("a", bytes: "x") }
        for path in ["/api/viewed", "/api/jobs/pics/run", "/api/jobs/pics/reset", "/api/runs/1/pause"] {
            #expect(try page.ask("GET \(path)").status == 405, "\(path)")
        }
        #expect(try page.ask("POST /api/jobs", body: "{}").status == 405)
        #expect(try page.ask("DELETE /files/1").status == 405)
        #expect(try page.ask("POST /", body: "{}").status == 405)
    }

    @Test(
        "paths are exact",
        arguments: [
            "/api", "/api/", "/api/jobs/", "/api/jobs/*/runs", "/api//jobs", "/API/jobs", "/api/jobs/pics/../pics/runs",
            "/files", "/files/", "/files/1/", "/files/01", "/files/-1", "/files/../1", "/files/output/1.bin",
            "/%2e%2e/catalog.sqlite", "/page/%2e%2e/x", "/page/", "/page/nothing.js", "/files/9223372036854775808",
            "/nothing", "/index.html", "/favicon.svg/x",
        ])
    func paths(path: String) throws {
        let page = try TestPage { _, rows in try rows.item("a", bytes: "x") }
        #expect(try page.ask("GET \(path)").status == 404)
    }

    @Test("a body is one JSON object that has what it may have")
    func bodies() throws {
        let page = try TestPage { _, rows in try rows.item("a", bytes: "x") }
        func status(_ body: String, _ type: String = "application/json") throws -> Int {
            try page.ask(
                "POST /api/viewed", ["Cookie: \(page.cookie)", "Sec-Fetch-Site: same-origin", "Content-Type: \(type)"],
                body: body
            ).status
        }
        #expect(try status(#"{"item": 1}"#) == 204)
        #expect(try status(#"{"item": 1}"#, "application/json; charset=utf-8") == 204)
        #expect(try status(#"{"item": 1}"#, "text/plain") == 415)
        #expect(try status(#"{"item": 1, "itm": 2}"#) == 400)
        for body in [
            "[1]", "{", "1", "{}", #"{"item": "1"}"#, #"{"item": 1.5}"#, #"{"item": null}"#,
            String(repeating: "[", count: 50_000),
        ] {
            #expect(try status(body) == 400, "\(body.prefix(20))")
        }
        #expect(try status(#"{"item": 9223372036854775807}"#) == 404)
    }
}
