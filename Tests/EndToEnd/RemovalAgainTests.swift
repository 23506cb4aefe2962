import Glibc
import TestSupport
import Testing

/// A removal that is killed while it takes files away, and another command for the same items before any run.
@Suite("End to end: after a removal that was killed", .wholeProgramLimit)
struct RemovalAgainTests {
    private static let sample = "palette.png"

    @Test(
        "the next command with the job finishes it: no file is left that no row has, nor a picture",
        arguments: [["remove", "list", sample], ["restore", "list", sample], ["verify", "--repair"]])
    func finished(_ next: [String]) throws {
        var number = 0
        var killed = 0
        while true {
            number += 1
            let place = try PicturePlace(try PicturePlace.samples([Self.sample]))
            #expect(try place.run("job.yaml", "--set", "output.sidecar=json").ending == .exit(0))
            #expect(place.workplace.files().count == 2)
            #expect(try !place.pictures().isEmpty)
            let report = place.workplace.directory.path("report")
            let fault = Fault(action: .kill, calls: "remove")
            let ending = try place.run(
                "remove", "list", Self.sample, environment: fault.environment(number: number, report: report)
            ).ending
            let comment: Comment = "call \(number): \(try FaultReport(path: report).hit)"
            guard ending == .signal(SIGKILL) else {
                #expect(ending == .exit(0), comment)
                break
            }
            killed += 1
            let result = try place.workplace.run(next)
            #expect(result.ending == .exit(0), "\(result) \(comment)")
            let claims: [String] = try place.catalog().values(
                "SELECT path FROM item WHERE path IS NOT NULL UNION ALL SELECT path FROM sidecar")
            #expect(place.workplace.files() == claims.sorted(), comment)
            let isRemoved = try place.catalog().values("SELECT state FROM item") == ["removed"]
            if next[0] == "remove" { #expect(isRemoved, comment) }
            _ = try place.pictures()
        }
        // Of the file, the metadata beside it and its picture.
        #expect(killed >= 3)
    }
}
