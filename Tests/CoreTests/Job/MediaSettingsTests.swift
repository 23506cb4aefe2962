import Jobs
import MediaProtocol
import TestSupport
import Testing

/// The keys below `media:`.
@Suite("Pictures in job files", .timeLimit(.minutes(1)))
struct MediaSettingsTests {
    private func media(_ text: String) throws -> RenderSettings? {
        let files = try JobFiles()
        let loaded = try files.load(JobFiles.head + text)
        #expect(files.messages(loaded) == [])
        return try #require(loaded.jobs.first).media
    }

    @Test("a job without media: makes no pictures, an empty one has the defaults of the contract")
    func defaults() throws {
        #expect(try media("") == nil)
        let settings = try #require(try media("media: {}\n"))
        #expect(settings.fingerprint == "thumbnail 256 webp 80, pdf 1-1 144 png, zip all, pixels 100000000")
    }

    @Test("every key says what it says")
    func allKeys() throws {
        let settings = try media(
            """
            media:
              thumbnail: {size: 64, format: jpeg, quality: 50}
              pdf: {pages: 2-4, dpi: 72, format: webp}
              zip: {pictures: first}
              max_pixels: 1.5MP
            """)
        #expect(settings?.fingerprint == "thumbnail 64 jpeg 50, pdf 2-4 72 webp, zip first, pixels 1500000")
        #expect(try media("media: {pdf: {pages: all}}\n")?.pdf.last == nil)
        #expect(try media("media: {pdf: {pages: 3}}\n")?.pdf.first == 3)
    }

    @Test(
        "what makes no sense is told with its place",
        arguments: [
            ("media: {thumbnail: {size: 8}}", "error: size must be 16 to 4096"),
            ("media: {thumbnail: {format: gif}}", "error: format must be webp, jpeg or png"),
            ("media: {pdf: {pages: 3-1}}", "error: pages must be a page such as 1, a range such as 1-3, or all"),
            ("media: {pdf: {pages: 0}}", "error: pages must be a page such as 1, a range such as 1-3, or all"),
            ("media: {zip: {pictures: some}}", "error: pictures must be all or first"),
            ("media: {max_pixels: lots}", "error: max_pixels must be a number of pixels such as 100MP or 1000000"),
            ("media: {max_pixels: 0}", "error: max_pixels must be more than 0"),
            ("media: {size: 3}", "unknown key 'size' in media"),
        ])
    func faults(text: String, message: String) throws {
        let files = try JobFiles()
        let messages = files.messages(try files.load(JobFiles.head + text + "\n"))
        #expect(messages.count == 1)
        #expect(messages.first?.contains(message) == true, "\(messages)")
    }
}
