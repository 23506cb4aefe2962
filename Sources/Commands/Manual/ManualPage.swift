import SourceKit

/// The pages of the manual, by their names.
enum ManualPage: String, CaseIterable, Sendable {
    case program = "runner"
    case job = "runner-job"

    var summary: String {
        switch self {
        case .program: "fetch many things again and again, and keep a ledger of it"
        case .job: "the job file of runner"
        }
    }

    /// The manual's section: 1 has programs, 5 has files.
    var section: Int {
        switch self {
        case .program: 1
        case .job: 5
        }
    }

    /// The source of the page, made from the tables that the program itself reads.
    func text(registry: SourceRegistry) -> String {
        let volume = self == .program ? "User Commands" : "File Formats"
        var page = Roff(
            title: rawValue, section: section, date: runnerReleaseDate, origin: "runner \(runnerVersion)",
            volume: volume)
        page.section("Name")
        page.paragraph("\(rawValue) - \(summary)")
        switch self {
        case .program: ProgramManual.write(on: &page)
        case .job: JobManual(registry: registry).write(on: &page)
        }
        return page.source
    }
}
