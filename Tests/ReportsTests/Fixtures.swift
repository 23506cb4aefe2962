import Reports

extension Catalog {
    /// Two runs of a job: all is new, then one item is asked again, one is fresh, one is new and two fail.
    static func flags() throws -> Catalog {
        let catalog = try Catalog()
        try catalog.addFlags()
        return catalog
    }

    func addFlags() throws {
        let catalog = self
        try catalog.addJob("flags")
        try catalog.addCollection(of: "flags", "Flags")
        try catalog.addItem(of: "flags", in: 1, "Vietnam – Việt Nam", position: 1, section: "Asia", size: 12_400)
        try catalog.addItem(of: "flags", in: 1, "日本", position: 2, section: "Asia", size: 512)
        try catalog.addItem(of: "flags", in: 1, "مصر", position: 3, section: "Africa", size: 1_250_000)
        try catalog.addItem(of: "flags", in: 1, "\u{1b}[2J\u{202e}gnp.exe", position: 4, section: "Africa")
        try catalog.addItem(of: "flags", in: 1, "Bouvet Island", position: 5, section: "Antarctica")

        try catalog.addRun(of: "flags")
        try catalog.addTransfer(1, 1, times: [5_000, 10_000, 30_000, 300_000, 1_400], bytes: 12_400, reused: false)
        try catalog.addTransfer(1, 2, times: [0, 0, 0, 9_000, 200], bytes: 512)
        try catalog.finish(1, "complete", after: 2_900_000, listRequests: 1, listBytes: 40_960)

        try catalog.addRun(of: "flags", at: 86_400)
        try catalog.addTransfer(2, 1, "unchanged", status: 304, times: [900, 1_100, 0, 7_000, 0], reused: false)
        try catalog.addQuietTransfer(2, 2)
        try catalog.addTransfer(2, 3, times: [0, 0, 0, 40_000, 1_160_000], bytes: 1_250_000, version: "2")
        try catalog.addTransfer(
            2, 4, "failed", attempts: 5, status: 503, failure: "http", detail: "Service Unavailable",
            times: [0, 0, 0, 184_000_000, 0])
        try catalog.addQuietTransfer(
            2, 5, "failed", failure: "invalid", detail: "not asked again before \u{1b}[31mtomorrow")
        try catalog.finish(2, "partial", after: 184_300_000, listRequests: 2, listBytes: 81_920)
    }

    /// The text of a report, with times as seconds after the start of the fixture.
    func text(_ request: ReportRequest, width: Int? = nil, now: Int64 = Catalog.start) throws -> String {
        let report = try makeReport(request, from: connection)
        var bytes: [UInt8] = []
        try ReportText(width: width, now: now, timeText: { "+\(($0 - Catalog.start) / 1_000_000) s" })
            .write(report, from: connection) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    func json(_ request: ReportRequest) throws -> String {
        let report = try makeReport(request, from: connection)
        var bytes: [UInt8] = []
        try ReportJSON.write(report, from: connection) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ReportRequest {
    /// With every section.
    static var everything: ReportRequest {
        var request = ReportRequest()
        request.items = true
        request.collections = true
        request.failures = true
        request.slowest = 2
        return request
    }
}
