import Catalog
import JSON
import SQLite
import TestSupport
import Testing
import Web

@Suite("Runs and events of the page", .timeLimit(.minutes(1)))
struct RunTests {
    private static let job = """
        name: listed
        source: {type: list, items: [{key: a, url: "https://host/a"}]}
        output: {directory: ../listed}
        """

    @Test("jobs of the job files can be run, those of the catalog alone are shown")
    func jobs() throws {
        let page = try TestPage(files: [Self.job])
        guard case .list(let jobs) = try page.json("/api/jobs") else { return }
        let names = jobs.map { job -> JSONValue? in if case .object(let job) = job { job["runnable"] } else { nil } }
        #expect(names == [.flag(true), .flag(false)])
        for list in ["collections", "items", "items/index", "runs"] {
            #expect(try page.ask("GET /api/jobs/listed/\(list)").status == 200, "\(list)")
        }
        #expect(try page.ask("POST /api/jobs/pics/run", body: "{}").status == 409)
        #expect(try page.ask("POST /api/jobs/none/run", body: "{}").status == 404)
    }

    @Test("a broken job file is said, and what it says")
    func brokenFile() throws {
        let page = try TestPage(files: ["name: pics\nsource: {type: lst}\n"]) { catalog, rows in
            try catalog.run("UPDATE job SET file = ?", rows.folder.path("jobs/0.yaml"))
        }
        guard case .list(let jobs) = try page.json("/api/jobs"), case .object(let job)? = jobs.first,
            case .text(let error)? = job["error"]
        else {
            Issue.record("no error")
            return
        }
        #expect(error.contains("list") && job["runnable"] == .flag(false), "\(error)")
    }

    @Test("a run is this program with the job's file; what it is given is no flag and no command")
    func arguments() throws {
        let page = try TestPage(files: [Self.job], program: "#!/bin/sh\nprintf '%s|' \"$@\" >&2\nexit 2\n")
        let response = try page.ask(
            "POST /api/jobs/listed/run", body: #"{"only": ["--set=x", "a*"], "refresh": true, "failed": false}"#)
        #expect(response.status == 500)
        let database = "--database=\(page.database)"
        #expect(
            response.body.contains(
                "run|\(database)|\(page.folder.path("jobs/0.yaml"))|--job=listed|--keep-going|--progress|none|--refresh|--only=--set=x|--only=a*|"
            ))
        for bad in [#"{"only": "a"}"#, #"{"set": "a"}"#, #"{"only": ["a\u0000b"]}"#, #"{"refresh": 1}"#] {
            #expect(try page.ask("POST /api/jobs/listed/run", body: bad).status == 400, "\(bad)")
        }
    }

    @Test("a run that cannot begin is answered with its words")
    func busy() throws {
        let page = try TestPage(
            files: [Self.job], program: "#!/bin/sh\necho 'another run holds the job' >&2\nexit 75\n")
        let response = try page.ask("POST /api/jobs/listed/run", body: "{}")
        #expect(response.status == 409 && response.body.contains("another run holds the job"))
    }

    @Test("reset is this program as well, and is answered when it is done")
    func reset() throws {
        let page = try TestPage(program: "#!/bin/sh\n[ \"$1 $3 $4 $5 $6 $7\" = 'reset --yes -- pics -x ' ]\n")
        #expect(try page.ask("POST /api/jobs/pics/reset", body: #"{"collection": "-x"}"#).status == 204)
        #expect(try page.ask("POST /api/jobs/none/reset", body: "{}").status == 404)
    }

    @Test("verbs of a run that is over are refused")
    func verbs() throws {
        let page = try TestPage { catalog, _ in
            try catalog.run(
                """
                INSERT INTO run (job, started_at, finished_at, outcome, runner_version, libcurl_version, host, pid)
                VALUES ('pics', 1, 2, 'complete', '1', '1', 'host', 1)
                """)
        }
        for verb in ["pause", "resume", "limits", "prioritise", "cancel", "retry"] {
            #expect(try page.ask("POST /api/runs/1/\(verb)", body: "{}").status == 409, "\(verb)")
            #expect(try page.ask("POST /api/runs/9/\(verb)", body: "{}").status == 404, "\(verb)")
        }
        #expect(try page.ask("GET /api/runs/1").status == 200)
        #expect(try page.ask("GET /api/runs/1/failures").body == "{\"failures\": []}")
        #expect(try page.ask("GET /api/runs/1/report").body.contains("\"statistics\""))
        #expect(try page.ask("GET /api/jobs/pics/runs").body.contains("\"complete\""))
    }

    @Test("what failed in a run is grouped by reason, with advice; its report is a page that may do nothing here")
    func failures() throws {
        let page = try TestPage { catalog, rows in
            for name in ["a", "b", "<img src=x onerror=alert(1)>"] { try rows.item(name) }
            try catalog.run(
                """
                INSERT INTO run (job, started_at, finished_at, outcome, failed, runner_version, libcurl_version, host, pid)
                VALUES ('pics', 1, 2, 'partial', 3, '1', '1', 'host', 1)
                """)
            try catalog.run(
                """
                INSERT INTO transfer (run_id, item_id, outcome, attempts, status, failure, detail)
                SELECT 1, id, 'failed', 1, iif(id = 1, NULL, 404), iif(id = 1, 'dns', 'http'), 'why' FROM item
                """)
        }
        guard case .object(let answer) = try page.json("/api/runs/1/failures"),
            case .list(let groups)? = answer["failures"], groups.count == 2, case .object(let first) = groups[0],
            case .text(let advice)? = first["advice"]
        else {
            Issue.record("no groups")
            return
        }
        #expect(first["failure"] == .text("http") && first["status"] == .integer(404) && first["count"] == .integer(2))
        #expect(!advice.isEmpty && first["known"] == .flag(false))
        #expect(try page.ask("GET /api/runs/9/failures").status == 404)
        let report = try page.ask("GET /runs/1/report.html")
        #expect(report.status == 200 && report["content-type"] == "text/html; charset=utf-8")
        #expect(
            report["content-security-policy"]?.hasPrefix("sandbox allow-scripts allow-popups; default-src 'none'; ")
                == true)
        #expect(report["content-security-policy"]?.contains("unsafe") == false)
        #expect(report.body.contains("404") && !report.body.contains("<img src=x"))
        #expect(try page.ask("GET /runs/9/report.html").status == 404)
        #expect(try page.ask("GET /runs/1/report.html", []).status == 401)
    }

    @Test("a stream begins with the jobs, and tells of those that change")
    func events() throws {
        let page = try TestPage { _, rows in try rows.item("a", bytes: "x") }
        let connection = try page.open("/api/events")
        let first = connection.read { $0.contains("event: jobs\n") && $0.hasSuffix("\n\n\r\n") }
        #expect(first.contains("\"name\": \"pics\"") && first.contains("\"stored\": 1"))
        try CatalogLocation.write(page.database) { try $0.run("UPDATE item SET state = 'failed'") }
        let second = connection.read { $0.contains("event: jobs\n") && $0.hasSuffix("\n\n\r\n") }
        #expect(second.contains("\"stored\": 0") && second.contains("\"failed\": 1"))
    }

    @Test("a job file that is added while the page is open is told of")
    func addedFile() throws {
        let page = try TestPage(files: [Self.job], watchesFolder: true)
        let connection = try page.open("/api/events")
        _ = connection.read { $0.contains("event: jobs\n") && $0.hasSuffix("\n\n\r\n") }
        try page.folder.write(
            Self.job.replacing("name: listed", with: "name: added").replacing("../listed", with: "../added"),
            to: "jobs/1.yaml")
        #expect(connection.read { $0.contains("\"added\"") }.contains("\"added\""))
    }

    @Test("removed items lose their files and leave lists; restored ones are pending")
    func removal() throws {
        let page = try TestPage { catalog, rows in
            try rows.item("a", bytes: "x", path: "a.png")
            try rows.item("b")
            try rows.item("c", bytes: "y", path: "c.png")
            try rows.item("d", bytes: "y", path: "deep/d.png")
            try catalog.run(
                "UPDATE item SET sha256 = 'a1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa' WHERE id = 4"
            )
        }
        // The file is not what its row tells of: somebody else's, which stays.
        let removed = try page.ask("POST /api/items/remove", body: #"{"items": [1, 2, 4, 99]}"#)
        #expect(removed.status == 200)
        #expect(removed.body == "{\"stays\": [\"\(page.folder.path("output/a.png"))\"]}")
        #expect(try page.titles("/api/jobs/pics/items") == ["c"])
        #expect(try page.titles("/api/jobs/pics/items?state=removed") == ["a", "b", "d"])
        #expect(page.folder.read("output/a.png") != nil && page.folder.read("output/deep/d.png") == nil)
        #expect(try page.ask("GET /files/1").status == 404)
        #expect(try page.ask("POST /api/items/restore", body: #"{"items": [1]}"#).status == 204)
        #expect(try page.titles("/api/jobs/pics/items?state=pending") == ["a"])
        #expect(try page.ask("POST /api/items/remove", body: #"{"items": "1"}"#).status == 400)
    }
}
