import Dispatch
import Files
import Media
import Run
import TestSupport
import Testing

@testable import Model
@testable import Transfer

/// Bodies that are read once more when they are complete.
@Suite("Long bodies", .timeLimit(.minutes(1)))
struct LongBodyTests {
    /// Markers behind a picture, to be followed one by one; over 1 MiB.
    private static let long: [UInt8] = {
        let segments: [[UInt8]] = Array(repeating: [0xFF, 0xE1, 0, 2], count: 300_000)
        let beginning: [UInt8] = Array(PictureFile.jpeg([]).prefix { $0 != 0xD9 })
        return beginning + segments.joined() + [0]
    }()

    @Test("while one is looked at, others come and end")
    func others() async throws {
        let bench = try Bench(
            ["/long.jpg": [.ok(Self.long)], "/short.jpg": [.ok(PictureFile.jpeg([1]))]], transfer: "concurrency: 2",
            keys: "expect: image")
        let checks = DispatchQueue(label: "held")
        checks.suspend()
        let running = try bench.begin([bench.item("/long.jpg"), bench.item("/short.jpg")]) { $0.bodyChecks = checks }
        try await running.wait { event in
            if case .itemFinished(let item) = event, item.key == "short.jpg" { true } else { nil }
        }
        checks.resume()
        let report = try await running.report()
        #expect(try report["short.jpg"].outcome == "downloaded")
        #expect(try report["long.jpg"].failure == "corrupt")
    }

    @Test("a run that is broken off waits for none, and keeps what can be resumed")
    func brokenOff() throws {
        let directory = try TemporaryDirectory()
        let output = try OutputDirectory(path: directory.path("out"), create: true)
        let hasher = HashWorker()
        for isNoted in [true, false] {
            let part = PartFile(in: output, name: "part", hasher: hasher)
            if isNoted { part.note = PartNote(url: "http://a/b", validator: .etag("\"1\""), totalLength: nil) }
            try Self.long.withUnsafeBytes { bytes in
                for start in stride(from: 0, to: bytes.count, by: 16_384) {
                    try part.append(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + 16_384, bytes.count)]))
                }
            }
            let sealed = Monitor<SealedPart?>(nil)
            part.seal { result in sealed.withLock { $0 = try? result.get() } }
            let body = try #require(sealed.wait { $0 })
            let intake = BodyIntake(
                digests: nil, promised: nil, isResumed: false, type: .jpeg, hasUncertainEnd: false, stored: nil,
                lastModified: nil,
                output: output)
            #expect(intake.takesLong(body))
            let failure = #expect(throws: TransferFailure.self) { try intake.take(body) { true } }
            #expect(failure?.word == .cancelled)
            #expect(directory.names(in: "out/.runner/parts").isEmpty == !isNoted)
        }
    }
}
