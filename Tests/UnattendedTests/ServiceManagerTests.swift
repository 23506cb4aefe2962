import Model
import TestSupport
import Testing

@testable import Unattended

@Suite("The service manager")
struct ServiceManagerTests {
    private static func progress(_ listed: Int, downloaded: Int, failed: Int = 0, cancelled: Int = 0) -> RunEvent {
        var figures = RunFigures()
        figures.downloaded = downloaded
        figures.failed = failed
        figures.cancelled = cancelled
        return .progress(RunProgress(job: "flags", listed: listed, isListComplete: true, figures: figures))
    }

    private static func finished(_ outcome: RunOutcome) -> RunEvent {
        .runFinished(
            RunFinished(
                run: 1, job: "flags", at: 0, outcome: outcome, figures: RunFigures(), detail: nil, startedAt: 0,
                isAcceptable: false))
    }

    private let directory: TemporaryDirectory
    private let receiver: DatagramReceiver
    private let service: ServiceManager

    init() throws {
        directory = try TemporaryDirectory()
        receiver = try DatagramReceiver(directory.path("notify"))
        service = try #require(ServiceManager(receiver.path) { 0 })
    }

    @Test("items that were left out have not ended")
    func cancelled() throws {
        service.take([Self.progress(300, downloaded: 40, failed: 2, cancelled: 258)])
        #expect(try receiver.wait { !$0.isEmpty }[0].hasSuffix("\nSTATUS=flags: 42 of 300 items, 2 failed"))
    }

    @Test("an end that nobody asked for is no stop: the status says how the run ended")
    func end() throws {
        service.take([Self.progress(3, downloaded: 2, failed: 1), Self.finished(.partial)])
        service.ended()
        let texts = try receiver.wait { $0.last?.hasPrefix("STOPPING=1") == true }
        #expect(texts.last == "STOPPING=1\nSTATUS=flags: partial, 3 of 3 items, 1 failed")
        #expect(!texts.contains { $0.contains("transfers in flight") })
    }

    @Test("after a signal it is a stop, and then an end")
    func stop() throws {
        service.take([Self.progress(3, downloaded: 1)])
        service.stopping()
        service.take([Self.progress(3, downloaded: 1, cancelled: 2), Self.finished(.interrupted)])
        service.ended()
        let texts = try receiver.wait { $0.last?.contains("interrupted") == true }
        #expect(texts.contains("STOPPING=1\nSTATUS=stopping: transfers in flight are allowed to finish"))
        #expect(texts.last == "STATUS=flags: interrupted, 1 of 3 items")
    }
}
