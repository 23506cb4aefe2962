import TestSupport
import Testing

@testable import MediaProtocol

/// What the program and the renderer say to each other. Neither trusts what it is told.
@Suite("Messages of renderers", .timeLimit(.minutes(1)))
struct MessageTests {
    fileprivate static let samples: [RenderReply] = [
        .ready(version: "libvips 8.14.1"), .unable(reason: "no Landlock"), .done,
        .fault(RenderFault(.timeout, "page 3: too slow")),
        .picture(
            RenderedPicture(
                kind: .entry, position: 7, name: "Ảnh đẹp.jpg", fileExtension: "jpg", width: 60, height: 40, size: 1_390
            )),
        .picture(
            RenderedPicture(
                kind: .page, position: 1, name: nil, fileExtension: "png", width: 1, height: 1, size: 1)),
        .picture(
            RenderedPicture(
                kind: .thumbnail, position: 1, name: nil, fileExtension: "webp", width: 1, height: 1, size: 1,
                preview: [1, 2, 3, 4, 5])),
    ]

    @Test("a reply is read as it was written", arguments: samples)
    func roundTrip(_ reply: RenderReply) throws {
        #expect(try RenderReply(encoded: reply.encoded) == reply)
    }

    @Test("a request is read as it was written")
    func request() throws {
        var settings = RenderSettings()
        settings.thumbnail.format = .jpeg
        settings.pdf.first = 2
        settings.pdf.last = nil
        settings.entries = .first
        let request = RenderRequest(settings: settings, cpuSeconds: 30)
        #expect(try RenderRequest(encoded: request.encoded) == request)
    }

    @Test("a message that is cut or changed is refused or is another message, and never ends the program")
    func damage() throws {
        var random = SplitMix(1)
        for reply in Self.samples {
            let bytes = reply.encoded
            for count in 0..<bytes.count {
                #expect(throws: ChannelError.malformed) { try RenderReply(encoded: Array(bytes.prefix(count))) }
            }
            for _ in 0..<2_000 {
                var changed = bytes
                changed[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                if case .picture(let picture) = try? RenderReply(encoded: changed) {
                    // It becomes part of a path and of memory.
                    #expect(picture.fileExtension.allSatisfy { ("a"..."z").contains($0) })
                    #expect((1...MediaChannel.longestPicture).contains(picture.size))
                }
            }
        }
    }

    @Test("settings that make other pictures have another fingerprint")
    func fingerprint() {
        var seen: Set<String> = [RenderSettings().fingerprint]
        let changes: [(inout RenderSettings) -> Void] = [
            { $0.thumbnail.size = 128 }, { $0.thumbnail.format = .png }, { $0.thumbnail.quality = 81 },
            { $0.pdf.first = 2 }, { $0.pdf.last = nil }, { $0.pdf.dpi = 72 }, { $0.pdf.format = .webp },
            { $0.entries = .first }, { $0.maximumPixels = 1 },
        ]
        for change in changes {
            var settings = RenderSettings()
            change(&settings)
            #expect(seen.insert(settings.fingerprint).inserted)
        }
    }
}
