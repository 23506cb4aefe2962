import Glibc
import SQLite
import TestSupport
import Testing
import Web

@Suite("Files of the page and of items", .timeLimit(.minutes(1)))
struct PageFileTests {
    @Test("a page file comes compressed to who takes that, plain to others, and not again to who has it")
    func pageFiles() throws {
        let page = try TestPage()
        let plain = try page.ask("GET /", [])
        #expect(plain["content-type"] == "text/html; charset=utf-8" && plain.body.contains("<title>runner</title>"))
        let tag = try #require(plain["etag"])
        #expect(try page.ask("GET /", ["If-None-Match: \(tag)"]).status == 304)
        let head = try page.ask("HEAD /", ["Accept-Encoding: gzip", "Connection: close"])
        #expect(head["content-encoding"] == "gzip" && head["etag"] != tag && head["vary"] == "Accept-Encoding")
        #expect(try page.ask("HEAD /", ["Accept-Encoding: gzip;q=0", "Connection: close"])["content-encoding"] == nil)
        #expect(try page.ask("GET /jobs/any/deeper", []).body == plain.body)
        #expect(try page.ask("GET /page/js/app.js", [])["content-type"] == "text/javascript; charset=utf-8")
    }

    @Test("a stored file has the catalog's type, a sandbox, its digest as tag, and ranges")
    func storedFiles() throws {
        let page = try TestPage { _, rows in try rows.item("a", bytes: "0123456789", type: "image/png", path: "a/ü.png")
        }
        let whole = try page.ask("GET /files/1")
        #expect(whole.status == 200 && whole.body == "0123456789" && whole["content-type"] == "image/png")
        #expect(whole["content-security-policy"] == "sandbox; default-src 'none'")
        #expect(whole["content-disposition"] == nil && whole["cache-control"] == "private, no-cache")
        let tag = try #require(whole["etag"])
        #expect(tag.count == 66)
        let cookie = ["Cookie: \(page.cookie)"]
        #expect(try page.ask("GET /files/1", cookie + ["Range: bytes=2-3"]).body == "23")
        #expect(try page.ask("GET /files/1", cookie + ["If-None-Match: \(tag)"]).status == 304)
        let digest = tag.dropFirst().dropLast()
        #expect(try page.ask("GET /files/1?v=\(digest)")["cache-control"]?.contains("immutable") == true)
        #expect(try page.ask("GET /files/1?v=\(digest.prefix(16))")["cache-control"]?.contains("immutable") == true)
        #expect(try page.ask("GET /files/1?v=0000000000000000")["cache-control"] == "private, no-cache")
        #expect(try page.ask("GET /files/1?v=")["cache-control"] == "private, no-cache")
    }

    @Test(
        "what a browser would run is only saved",
        arguments: [
            "image/svg+xml", "text/html", "application/pdf", "application/xhtml+xml", "text/xml", "", "nonsense",
        ])
    func activeFiles(type: String) throws {
        let page = try TestPage { _, rows in
            try rows.item("a", bytes: "<svg onload='alert(1)'/>", type: type, path: "a \"b\".svg")
        }
        let response = try page.ask("GET /files/1")
        #expect(response.status == 200)
        #expect(response["content-disposition"] == "attachment; filename*=UTF-8''a%20%22b%22.svg")
        #expect(response["content-security-policy"] == "sandbox; default-src 'none'")
    }

    @Test("a type that would break the header is none")
    func brokenType() throws {
        let page = try TestPage { _, rows in try rows.item("a", bytes: "x", type: "text/plain\r\nSet-Cookie: a=b") }
        let response = try page.ask("GET /files/1")
        #expect(response["content-type"] == "application/octet-stream" && response["set-cookie"] == nil)
    }

    @Test("links are not followed, changed files not sent, missing ones said")
    func otherFiles() throws {
        let page = try TestPage { _, rows in
            try rows.item("link", bytes: "secret", path: "link.txt")
            try rows.item("changed", bytes: "0123456789", path: "changed.txt")
            try rows.item("missing", bytes: "x", path: "missing.txt")
            try rows.item("pending")
            try rows.item("folder link", bytes: "secret", path: "dir/x.txt")
        }
        let secret = try page.folder.write("secret", to: "secret.txt")
        try page.folder.remove("output/link.txt")
        #expect(symlink(secret, page.folder.path("output/link.txt")) == 0)
        try page.folder.write("012", to: "output/changed.txt")
        try page.folder.remove("output/missing.txt")
        try page.folder.write("secret", to: "elsewhere/x.txt")
        try page.folder.remove("output/dir")
        #expect(symlink(page.folder.path("elsewhere"), page.folder.path("output/dir")) == 0)
        for id in 1...5 {
            let response = try page.ask("GET /files/\(id)")
            #expect(response.status == 404 && response.body != "secret", "\(id)")
        }
    }

    @Test("pictures are found by item, kind and position")
    func pictures() throws {
        let page = try TestPage { catalog, rows in
            try rows.item("a", bytes: "x")
            for (position, kind) in [(1, "thumbnail"), (1, "page"), (2, "page")] {
                let name = ".runner/pictures/\(kind)\(position).webp"
                try rows.folder.write("\(kind) \(position)", to: "output/\(name)")
                try catalog.run(
                    """
                    INSERT INTO picture (item_id, position, kind, path, width, height, size, sha256, preview)
                    VALUES (1, ?1, ?2, ?3, 4, 3, length(?2) + 2, '00', iif(?2 = 'thumbnail', x'010203', NULL))
                    """, position, kind, name)
            }
        }
        #expect(try page.ask("GET /api/jobs/pics/items").body.contains("\"preview\": [\"AQID\"]"))
        let thumbnail = try page.ask("GET /pictures/1")
        #expect(thumbnail.body == "thumbnail 1" && thumbnail["content-type"] == "image/webp")
        #expect(try page.ask("GET /pictures/1?kind=page&position=2").body == "page 2")
        #expect(try page.ask("GET /pictures/1?kind=page&position=3").status == 404)
        #expect(try page.ask("GET /pictures/1?kind=file").status == 400)
        #expect(try page.ask("GET /pictures/2").status == 404)
    }
}
