internal import CLinux
internal import Catalog
internal import Glibc
internal import HTTP
internal import JSON
internal import Reports
internal import SQLite
internal import Server
internal import System

/// The data of one run: statistics, failures, and the report as a page of its own.
extension WebHandler {
    /// A report in HTML takes no longer, in microseconds; of a million items it has to read each.
    private static let reportTime: Int64 = 60_000_000
    /// Items that are named of each reason of failures.
    private static let shownItems = 5

    static let report: Endpoint = { handler, call in
        try call.allow()
        let id = try call.id()
        // In transactions of its own.
        handler.readers.read(isTransaction: false) { connection in
            var request = ReportRequest()
            request.jobs = [try requireRun(id, connection).job]
            request.run = .id(id)
            request.hosts = true
            request.collections = true
            var bytes: [UInt8] = []
            let report = try makeReport(request, from: connection)
            try ReportJSON.write(report, from: connection) { bytes += $0 }
            return bytes
        } then: { result in
            handler.deliver(call, result)
        }
    }

    static let failures: Endpoint = { handler, call in
        try call.allow()
        let id = try call.id()
        // In transactions of its own.
        handler.readers.read(isTransaction: false) { connection in
            _ = try requireRun(id, connection)
            var json = JSONWriter()
            json.beginObject()
            json.key("failures")
            json.beginArray()
            for group in try FailureSummary.all(ofRun: id, items: shownItems, from: connection) { json.write(group) }
            json.endArray()
            json.endObject()
            return json.bytes
        } then: { result in
            handler.deliver(call, result)
        }
    }

    /// The page that `runner report --format html` writes: it has its own script and style, and may do nothing but show itself.
    static let htmlReport: Endpoint = { handler, call in
        try call.allow()
        let id = try call.id()
        let version = handler.settings.version
        handler.reports.read(within: reportTime, isTransaction: false) { connection -> FileBody in
            var request = ReportRequest()
            request.jobs = [try requireRun(id, connection).job]
            request.run = .id(id)
            let now = wallClockMicroseconds()
            var report = try makeReport(request, from: connection)
            _ = try judge(&report, comparedWith: .standard, by: [], now: now, from: connection)
            return try inMemory { output in
                try HTMLReport(report, version: version, now: now).write(from: connection, to: output)
            }
        } then: { result in
            switch result {
            case .success(let body):
                let headers = [
                    ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
                    // It is no part of this site: it cannot ask it for anything, and its own policy names its script.
                    (
                        "Content-Security-Policy",
                        "sandbox allow-scripts allow-popups; default-src 'none'; img-src data:; style-src \(HTMLReport.styleSource); "
                            + "script-src \(HTMLReport.scriptSource); base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
                    ),
                ]
                handler.answer(call, Response(headers: headers, body: .file(body)))
            case .failure(let error): handler.refuse(call, error)
            }
        }
    }

    /// What `write` writes, in a file that has no name; it may be many megabytes.
    private static func inMemory(_ write: (ReportOutput) throws -> Void) throws -> FileBody {
        let descriptor = clinux_memory_file("report")
        guard descriptor >= 0 else { throw Problem(503, "No memory", String(cString: strerror(errno))) }
        var size: Int64 = 0
        do {
            try write { bytes in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { throw Problem(503, "No memory", String(cString: strerror(errno))) }
                    rest = rest.dropFirst(count)
                }
                size += Int64(bytes.count)
            }
        } catch {
            close(descriptor)
            throw error
        }
        return FileBody(owning: descriptor, size: size)
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ group: FailureSummary) {
        nextLine()
        beginObject()
        member("failure", group.failure)
        member("status", group.status)
        member("count", Int64(group.count))
        member("known", group.isKnown)
        member("advice", group.advice)
        key("hosts")
        beginArray()
        for host in group.hosts {
            beginObject()
            member("host", host.name)
            member("count", Int64(host.count))
            endObject()
        }
        endArray()
        key("items")
        beginArray()
        for item in group.items {
            beginObject()
            member("id", item.id)
            member("key", item.key)
            member("title", item.title)
            member("detail", item.detail)
            endObject()
        }
        endArray()
        endObject()
    }
}
