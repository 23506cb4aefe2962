import Catalog
import Foundation
import Reports
import TestSupport
import Testing

/// The rules and the dashboard of the folder `examples`, beside the metrics that the program writes.
@Suite("Examples for Prometheus and Grafana", .timeLimit(.minutes(1)))
struct MonitoringTests {
    private static func example(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardized
        return try String(contentsOf: root.appending(path: "examples").appending(path: path), encoding: .utf8)
    }

    /// The names of the metrics that a report has, of a catalog in which all of them occur.
    private func written() throws -> Set<String> {
        let catalog = try Catalog.flags()
        let report = try makeReport(ReportRequest(), from: catalog.connection)
        var bytes: [UInt8] = []
        try PrometheusText.write(
            report, version: "1.0", libcurl: "7.88.1", now: Catalog.start, from: catalog.connection
        ) { bytes += $0 }
        let types = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
        return Set(types.map { String($0.split(separator: " ")[2]) })
    }

    private func metrics(in text: String) -> Set<String> {
        Set(text.matches(of: /\brunner_(?:run|stored|build)_[a-z_]+/).map { String($0.output) })
    }

    private func dashboard() throws -> Dashboard {
        try JSONDecoder().decode(Dashboard.self, from: Data(Self.example("grafana/runner.json").utf8))
    }

    @Test("alerts and dashboard ask for metrics that reports have, and the dashboard for all of them")
    func names() throws {
        let written = try written()
        let asked = try metrics(in: Self.example("alertmanager/runner.rules.yaml"))
        #expect(!asked.isEmpty && asked.isSubset(of: written), "\(asked.subtracting(written))")
        let shown = try metrics(in: Self.example("grafana/runner.json"))
        #expect(shown == written, "\(shown.symmetricDifference(written))")
    }

    @Test("the dashboard has what Grafana needs to import it, and every panel its place, data source and query")
    func fields() throws {
        let dashboard = try dashboard()
        #expect(dashboard.id == nil && dashboard.schemaVersion >= 36 && !dashboard.title.isEmpty)
        #expect(dashboard.uid.wholeMatch(of: /[A-Za-z0-9_-]{1,40}/) != nil)
        let variables = Set(dashboard.templating.list.map(\.name))
        #expect(dashboard.templating.list.first?.type == "datasource")
        #expect(Set(dashboard.panels.map(\.id)).count == dashboard.panels.count)
        let types = Set(dashboard.requirements.filter { $0.type == "panel" }.map(\.id))
        var taken = Set<[Int]>()
        for panel in dashboard.panels {
            #expect(types.contains(panel.type) && !panel.title.isEmpty && !panel.description.isEmpty)
            let place = panel.gridPos
            #expect(place.x >= 0 && place.w > 0 && place.x + place.w <= 24 && place.h > 0)
            for x in place.x..<place.x + place.w {
                for y in place.y..<place.y + place.h {
                    #expect(taken.insert([x, y]).inserted, "\(panel.title) lies on another panel")
                }
            }
            #expect(!panel.targets.isEmpty && Set(panel.targets.map(\.refId)).count == panel.targets.count)
            for target in panel.targets {
                #expect(target.datasource.type == "prometheus" && target.datasource.uid == "${datasource}")
                let used = Set(target.expr.matches(of: /\$(\w+)/).map { String($0.output.1) })
                #expect(used.isSubset(of: variables))
            }
        }
    }

    @Test(
        "promtool reads every query of the dashboard",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/promtool"), "needs promtool"))
    func queries() throws {
        var rules = "groups:\n  - name: dashboard\n    rules:\n"
        for (index, target) in try dashboard().panels.flatMap(\.targets).enumerated() {
            rules += "      - record: query:\(index)\n        expr: '\(target.expr)'\n"
        }
        let directory = try TemporaryDirectory()
        let log = directory.path("log")
        let file = try directory.write(rules, to: "rules")
        let status = try Subprocess(["promtool", "check", "rules", file], log: log).wait()
        #expect(status == 0, "\((try? String(contentsOfFile: log, encoding: .utf8)) ?? "")")
    }
}

/// What Grafana reads of a dashboard; other members are its defaults.
private struct Dashboard: Decodable {
    struct Requirement: Decodable { let type, id: String }
    struct Variable: Decodable { let name, type: String }
    struct Variables: Decodable { let list: [Variable] }
    struct DataSource: Decodable { let type, uid: String }
    struct Place: Decodable { let x, y, w, h: Int }
    struct Target: Decodable {
        let refId, expr: String
        let datasource: DataSource
    }
    struct Panel: Decodable {
        let id: Int
        let type, title, description: String
        let gridPos: Place
        let targets: [Target]
    }

    enum CodingKeys: String, CodingKey {
        case requirements = "__requires"
        case id, uid, title, schemaVersion, templating, panels
    }

    let requirements: [Requirement]
    let id: Int?
    let uid, title: String
    let schemaVersion: Int
    let templating: Variables
    let panels: [Panel]
}
