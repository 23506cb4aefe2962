import Jobs
import Model
import Run
import TestSupport
import Testing

/// What a second run asks for, and what it does not.
@Suite("Running again", .timeLimit(.minutes(1)))
struct RefreshTests {
    private func tagged(_ body: [UInt8], _ tag: String = "\"v1\"", _ more: (String, String)...) -> FaultyServer.Response
    {
        .ok(body, headers: [("ETag", tag)] + more)
    }

    @Test("a fresh reply costs no request")
    func fresh() async throws {
        let bench = try Bench(["/a": [.ok(picture(), headers: [("Cache-Control", "max-age=3600")])]])
        #expect(try await bench.run("/a")["a"].outcome == "downloaded")
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "fresh")
        #expect(row.attempts == 0)
        #expect(bench.server.requests.count == 1)
        #expect(row.transfer["started_at"] == .null)
    }

    @Test(
        "a file that rotted on the disk, its length unchanged, is replaced by what is fetched in full",
        arguments: [100, 100_000, 400_000])
    func rotted(_ length: Int) async throws {
        let bench = try Bench(["/a": [tagged(picture(length))]])
        _ = try await bench.run("/a")
        var bytes = picture(length)
        bytes[length / 2] ^= 0xFF
        try bench.directory.write(bytes, to: "\(bench.outputFolder)/a.png")
        let row = try await bench.run([bench.item("/a")]) { $0.selection.isRefreshing = true }["a"]
        #expect(row.outcome == "downloaded")
        #expect(bench.file("a.png") == picture(length))
        // And a sound one is not written again.
        let again = try await bench.run([bench.item("/a")]) { $0.selection.isRefreshing = true }["a"]
        #expect(again.outcome == "unchanged")
    }

    @Test("what has become stale is asked for with its validator")
    func notModified() async throws {
        let bench = try Bench(["/a": [tagged(picture()), .status(304)]])
        _ = try await bench.run("/a")
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "unchanged")
        #expect(row.status == 304)
        #expect(row.attempts == 1)
        #expect(row.transfer["body_bytes"] == 0)
        #expect(bench.requests("/a").last?["If-None-Match"] == "\"v1\"")
        #expect(bench.file("a.png") == picture())
    }

    @Test("a date serves where there is no entity tag")
    func lastModified() async throws {
        let date = "Wed, 21 Oct 2015 07:28:00 GMT"
        let bench = try Bench(["/a": [.ok(picture(), headers: [("Last-Modified", date)]), .status(304)]])
        _ = try await bench.run("/a")
        #expect(try await bench.run("/a")["a"].outcome == "unchanged")
        #expect(bench.requests("/a").last?["If-Modified-Since"] == date)
    }

    @Test("304 brings the stored freshness and validators up to date")
    func notModifiedUpdates() async throws {
        let bench = try Bench([
            "/a": [
                tagged(picture()),
                .status(
                    304,
                    headers: [
                        ("ETag", "W/\"v1\""), ("Cache-Control", "max-age=3600"),
                        ("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT"),
                    ]),
            ]
        ])
        _ = try await bench.run("/a")
        let row = try await bench.run("/a")["a"]
        #expect(row.item["etag"] == "W/\"v1\"")
        #expect(row.item["last_modified"] == "Wed, 21 Oct 2015 07:28:00 GMT")
        #expect(row.item["expires_at"] != .null)
        #expect(try await bench.run("/a")["a"].outcome == "fresh")
        #expect(bench.requests("/a").count == 2)
    }

    @Test("304 after a failure settles the item")
    func notModifiedSettles() async throws {
        let bench = try Bench(["/a": [tagged(picture()), .status(403), .status(304)]])
        _ = try await bench.run("/a")
        let failed = try await bench.run("/a")["a"]
        #expect(failed.outcome == "failed")
        #expect(failed.state == "stored")
        #expect(failed.item["etag"] == "\"v1\"")
        #expect(bench.file("a.png") == picture())
        #expect(try await bench.run("/a")["a"].outcome == "unchanged")
    }

    @Test("the same bytes again are unchanged, and counted")
    func sameBytes() async throws {
        let bench = try Bench(["/a": [.ok(picture())]])
        _ = try await bench.run("/a")
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "unchanged")
        #expect(row.status == 200)
        #expect(row.transfer["body_bytes"] == .integer(Int64(picture().count)))
    }

    @Test("other bytes replace the file")
    func otherBytes() async throws {
        let bench = try Bench(["/a": [tagged(picture(seed: 1)), tagged(picture(seed: 2), "\"v2\"")]])
        _ = try await bench.run("/a")
        #expect(try await bench.run("/a")["a"].outcome == "downloaded")
        #expect(bench.file("a.png") == picture(seed: 2))
        #expect(bench.files == ["a.png"])
    }

    @Test("refresh: always asks in full, refresh: never does not ask")
    func policies() async throws {
        let response = tagged(picture(), "\"v1\"", ("Cache-Control", "max-age=3600"))
        var bench = try Bench(["/a": [response]])
        bench.job.refresh = .always
        _ = try await bench.run("/a")
        #expect(try await bench.run("/a")["a"].outcome == "unchanged")
        #expect(bench.requests("/a").count == 2)
        #expect(bench.requests("/a").allSatisfy { $0["If-None-Match"] == nil })
        bench.job.refresh = .never
        try bench.change("UPDATE item SET expires_at = NULL")
        #expect(try await bench.run("/a")["a"].outcome == "fresh")
        #expect(bench.requests("/a").count == 2)
    }

    @Test("--refresh asks in full whatever is stored")
    func refreshing() async throws {
        let bench = try Bench(["/a": [tagged(picture(), "\"v1\"", ("Cache-Control", "max-age=3600"))]])
        _ = try await bench.run("/a")
        let report = try await bench.run([bench.item("/a")]) { $0.selection.isRefreshing = true }
        #expect(try report["a"].outcome == "unchanged")
        #expect(bench.requests("/a").last?["If-None-Match"] == nil)
        #expect(report.run["selection"] == "{\"refresh\":true}")
    }

    @Test("another URL under the same key is fetched without a condition")
    func changedURL() async throws {
        let response = tagged(picture(seed: 1), "\"v1\"", ("Cache-Control", "max-age=3600"))
        let bench = try Bench(["/a": [response], "/b": [.ok(picture(seed: 2))]])
        _ = try await bench.run("/a")
        let row = try await bench.run([bench.item("/b", key: "a")])["a"]
        #expect(row.outcome == "downloaded")
        #expect(bench.requests("/b").first?["If-None-Match"] == nil)
        #expect(bench.file("a.png") == picture(seed: 2))
    }

    @Test("a file that was deleted, or has another length, is fetched again", arguments: [true, false])
    func missingFile(_ isDeleted: Bool) async throws {
        let bench = try Bench(["/a": [tagged(picture(), "\"v1\"", ("Cache-Control", "max-age=3600"))]])
        _ = try await bench.run("/a")
        if isDeleted {
            try bench.directory.remove("\(bench.outputFolder)/a.png")
        } else {
            try bench.directory.write("short", to: "\(bench.outputFolder)/a.png")
        }
        let row = try await bench.run("/a")["a"]
        #expect(row.outcome == "downloaded")
        #expect(bench.requests("/a").last?["If-None-Match"] == nil)
        #expect(bench.file("a.png") == picture())
    }

    @Test("an item whose file was deleted and whose URL fails is failed, not stored")
    func missingFileFails() async throws {
        let bench = try Bench(["/a": [.ok(picture()), .status(403)]])
        _ = try await bench.run("/a")
        try bench.directory.remove("\(bench.outputFolder)/a.png")
        let row = try await bench.run("/a")["a"]
        #expect(row.state == "failed")
        #expect(row.item["path"] == .null)
    }

    @Test("a listed digest that equals the stored one is fresh, another one is not")
    func listedDigest() async throws {
        let bench = try Bench(["/a": [.ok(picture())]])
        let first = try await bench.run("/a")["a"]
        var item = bench.item("/a").with(sha256: first.item["sha256"]?.text)
        #expect(try await bench.run([item])["a"].outcome == "fresh")
        item = item.with(sha256: String(repeating: "0", count: 64))
        #expect(try await bench.run([item])["a"].failure == "checksum")
        #expect(bench.requests("/a").count == 2)
    }

    @Test("a reply chosen by a field of the request answers no request with another one", arguments: [true, false])
    func vary(_ isFresh: Bool) async throws {
        let freshness = isFresh ? ("Cache-Control", "max-age=3600") : ("X-None", "")
        let response = tagged(picture(), "\"v1\"", ("Vary", "Accept-Encoding, Accept-Language"), freshness)
        var bench = try Bench(["/a": [response]], transfer: "headers: {Accept-Language: vi}")
        #expect(try await bench.run("/a")["a"].outcome == "downloaded")
        #expect(try await bench.run("/a")["a"].outcome == (isFresh ? "fresh" : "unchanged"))
        bench.job.transfer.headers[0].value = "en"
        #expect(try await bench.run("/a")["a"].outcome == "unchanged")
        let request = try #require(bench.requests("/a").last)
        #expect(request["Accept-Language"] == "en")
        #expect(request["If-None-Match"] == nil)
        #expect(try await bench.run("/a")["a"].outcome == (isFresh ? "fresh" : "unchanged"))
    }

    @Test("a reply that was chosen by nothing leaves nothing of the one before, whose file was deleted")
    func varyNoMore() async throws {
        let bench = try Bench(
            ["/a": [tagged(picture(), "\"v1\"", ("Vary", "Accept-Language")), tagged(picture(seed: 2), "\"v2\"")]],
            transfer: "headers: {Accept-Language: vi}")
        #expect(try await bench.run("/a")["a"].item["variant"]?.text != nil)
        try bench.directory.remove("\(bench.outputFolder)/a.png")
        #expect(try await bench.run("/a")["a"].item["variant"]?.text == nil)
    }

    @Test("no-store keeps the validator and forbids freshness")
    func noStore() async throws {
        let bench = try Bench([
            "/a": [tagged(picture(), "\"v1\"", ("Cache-Control", "no-store, max-age=3600")), .status(304)]
        ])
        _ = try await bench.run("/a")
        #expect(try await bench.run("/a")["a"].outcome == "unchanged")
    }

    /// Moves all that the catalog knows of time 74 years ahead, as when the clock has been set back since.
    private func setClockBack(_ bench: Bench) throws {
        let years = 74 * 366 * 86_400_000_000 as Int64
        try bench.change("UPDATE run SET started_at = started_at + \(years), finished_at = finished_at + \(years)")
        try bench.change("UPDATE item SET stored_at = stored_at + \(years), expires_at = expires_at + \(years)")
        try bench.change("UPDATE item SET asked_again_at = asked_again_at + \(years)")
    }

    @Test("what was checked in the future, before the clock was set back, is asked for again, once")
    func clockSetBack() async throws {
        let fresh = tagged(picture(), "\"v1\"", ("Cache-Control", "max-age=3600"))
        let again = FaultyServer.Response.status(304, headers: [("Cache-Control", "max-age=3600")])
        let bench = try Bench(["/a": [fresh, again], "/b": [.status(404)]])
        _ = try await bench.run("/a", "/b")
        try setClockBack(bench)
        let report = try await bench.run("/a", "/b")
        #expect(try report["a"].outcome == "unchanged")
        #expect(try report["b"].attempts == 1, "a failure that stands for days is asked again, too")
        let last = try await bench.run("/a", "/b")
        #expect(try last["a"].outcome == "fresh")
        #expect(try last["b"].attempts == 0)
    }

    @Test("a clock that was set back by an hour makes nothing fresh that it should not")
    func clockSetBackALittle() async throws {
        let fresh = tagged(picture(), "\"v1\"", ("Cache-Control", "max-age=60"))
        let bench = try Bench(["/a": [fresh, .status(304)]])
        _ = try await bench.run("/a")
        for column in [
            "run SET started_at = started_at", "run SET finished_at = finished_at", "item SET expires_at = expires_at",
        ] {
            try bench.change("UPDATE \(column) + 3600000000")
        }
        #expect(try await bench.run("/a")["a"].outcome == "unchanged")
    }
}
