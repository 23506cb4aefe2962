import Glibc
import TestSupport
import Testing

/// What jobs with `media:` make of files: the built programs, on real files of every kind and on such that do harm.
@Suite("End to end: pictures", .wholeProgramLimit)
struct PictureTests {
    @Test("under output.max_bytes a file goes when its pictures are made, and these stay", arguments: ["1", "1kB"])
    func evicted(_ limit: String) throws {
        let names = ["baseline.jpg", "alpha.png", "lossy.webp", "plain.svg", "plain.pdf", "pictures.zip"]
        let place = try PicturePlace(PicturePlace.samples(names))
        let flags = ["--set", "output.max_bytes=\(limit)", "--set", "refresh=never"]
        let result = try place.workplace.run(["job.yaml"] + flags)
        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(!result.errors.contains("warning"), "\(result.errors)")
        let made = try place.pictures()
        #expect(Set(made.map { $0.prefix { $0 != " " } }) == Set(names.map { $0[...] }))
        let kept = try place.catalog().number("SELECT coalesce(sum(size), 0) FROM item WHERE state = 'stored'")
        #expect(kept <= (limit == "1" ? 1 : 1_000))
        #expect(
            place.workplace.files().count
                == (try place.catalog().number(
                    "SELECT count(*) FROM item WHERE state = 'stored'")))

        let again = try place.workplace.run(["job.yaml"] + flags)
        #expect(again.ending == .exit(0), "\(again.errors)")
        #expect(try place.run("thumbnails", "job.yaml", "--refresh").ending == .exit(0))
        #expect(try place.run("gc").errors.hasSuffix(": nothing to remove\n"))
        #expect(try place.pictures() == made)
        #expect(place.server.requests.count == names.count)
    }

    @Test("pictures, pages and contained pictures of the right sizes, transparency kept")
    func everyKind() throws {
        let names = [
            "baseline.jpg", "turned.jpg", "alpha.png", "animated.gif", "lossy.webp", "plain.avif", "plain.heic",
            "plain.svg", "plain.tif", "plain.pdf", "pictures.zip",
        ]
        let files = try PicturePlace.samples(names)
        let place = try PicturePlace(files, media: "{thumbnail: {size: 32, format: png}, pdf: {pages: 2-3}}")
        let result = try place.run("job.yaml")

        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(
            try place.pictures() == [
                "alpha.png thumbnail 1 32×21 png", "animated.gif thumbnail 1 32×21 png",
                "baseline.jpg thumbnail 1 32×21 png", "lossy.webp thumbnail 1 32×21 png",
                "pictures.zip entry 1 60×40 jpg", "pictures.zip entry 2 60×40 png",
                "pictures.zip thumbnail 1 32×21 png", "pictures.zip thumbnail 2 32×21 png",
                "plain.avif thumbnail 1 32×21 png", "plain.heic thumbnail 1 32×21 png",
                "plain.pdf page 1 400×200 png", "plain.pdf page 2 400×200 png", "plain.pdf thumbnail 1 32×16 png",
                "plain.pdf thumbnail 2 32×16 png", "plain.svg thumbnail 1 32×21 png",
                "plain.tif thumbnail 1 32×21 png",
                // Its metadata turn it by 90 degrees.
                "turned.jpg thumbnail 1 21×32 png",
            ])
        let catalog = try place.catalog()
        #expect(try catalog.contradictions() == [])
        // Thumbnails, and they alone, have a blurred preview, which a transparent picture's says it is.
        #expect(
            try catalog.number("SELECT count(*) FROM picture WHERE (kind = 'thumbnail') != (preview IS NOT NULL)") == 0)
        #expect(try catalog.number("SELECT count(*) FROM picture WHERE length(preview) NOT BETWEEN 17 AND 25") == 0)
        let transparent: [String] = try catalog.values(
            "SELECT key FROM picture JOIN item ON item.id = item_id WHERE substr(hex(preview), 5, 1) > '7'")
        #expect(transparent.contains("alpha.png") && !transparent.contains("baseline.jpg"))
        #expect(
            try catalog.values("SELECT name FROM picture WHERE name IS NOT NULL ORDER BY name")
                == ["baseline.jpg", "baseline.jpg", "page 2", "page 2", "page 3", "page 3", "plain.png", "plain.png"])
        // The contained picture is itself; the colour type of the transparent one's thumbnail is RGB with alpha.
        #expect(try place.picture(of: "pictures.zip", kind: "entry") == files["baseline.jpg"])
        #expect(try place.picture(of: "alpha.png")[25] == 6)
    }

    @Test("a colour profile counts, and what is no RGB becomes RGB")
    func colours() throws {
        // The first two have the same pixels; those of `wide.jpg` are of Display P3, by its profile.
        let place = try PicturePlace(
            try PicturePlace.samples(["baseline.jpg", "wide.jpg", "cmyk.jpg"]),
            media: "{thumbnail: {size: 64, format: png}}")
        #expect(try place.run("job.yaml").ending == .exit(0))
        #expect(try place.picture(of: "wide.jpg") != place.picture(of: "baseline.jpg"))
        for name in ["baseline.jpg", "wide.jpg", "cmyk.jpg"] {
            // The colour type of a PNG: 2 is RGB.
            #expect(try place.picture(of: name)[25] == 2, "\(name)")
        }
    }

    @Test("what does harm fails by itself, each with its reason, and the run goes on")
    func harm() throws {
        let picture = try PicturePlace.sample("baseline.jpg")
        let bomb = PictureFile.png([0x78, 0x9C, 3, 0, 0, 0, 0, 1], side: 50_000)
        func zip(_ name: String, _ data: [UInt8]) -> [UInt8] {
            ZipFile([ZipFile.Entry(Array(name.utf8), data)]).bytes
        }
        let paper = String(decoding: try PicturePlace.sample("plain.pdf"), as: UTF8.self)
        func pdf(side: Int) -> [UInt8] {
            Array(paper.replacing("/MediaBox [0 0 200 100]", with: "/MediaBox [0 0 \(side) \(side)]").utf8)
        }
        let place = try PicturePlace([
            // The largest page that PDF has, and one that it does not have.
            "page.pdf": pdf(side: 14_400), "vast.pdf": pdf(side: 100_000_000),
            "bomb.png": bomb, "garbage.png": PictureFile.png([1, 2, 3, 4, 5]), "good.jpg": picture,
            "cut.jpg": Array(picture.prefix(700)), "encrypted.pdf": try PicturePlace.sample("encrypted.pdf"),
            "loop.pdf": try PicturePlace.sample("treeloop.pdf"), "text.txt": Array("hello".utf8),
            "deep.zip": zip("a.zip", zip("b.zip", zip("a.jpg", picture))),
            "nested.zip": zip("a.zip", zip("a.jpg", picture)),
            "junk.zip": ZipFile([
                ZipFile.Entry(Array("__MACOSX/._a.jpg".utf8), [1, 2]), ZipFile.Entry(Array(".DS_Store".utf8), [3]),
                ZipFile.Entry(Array("notes.txt".utf8), [4]),
            ]).bytes,
        ])
        let result = try place.run("job.yaml")

        #expect(result.ending == .exit(1))
        // A sanitizer's own memory counts as well.
        #if !SANITIZED
            #expect(result.peakMemory < 512 << 20)
        #endif
        let catalog = try place.catalog()
        #expect(
            try catalog.outcomes() == [
                "bomb.png failed too-large", "cut.jpg failed corrupt", "deep.zip failed too-large",
                "encrypted.pdf failed corrupt", "garbage.png failed corrupt", "good.jpg downloaded",
                "junk.zip downloaded", "loop.pdf failed corrupt", "nested.zip downloaded", "page.pdf failed too-large",
                "text.txt downloaded", "vast.pdf failed too-large",
            ])
        #expect(try catalog.contradictions() == [])
        #expect(try catalog.number("SELECT failed FROM run") == 8)
        // The files are what was downloaded, and stay.
        #expect(try catalog.number("SELECT count(*) FROM item WHERE state = 'stored' AND failure IS NOT NULL") == 8)
        #expect(result.errors.contains("50000 × 50000 pixels are more than max_pixels"))
        #expect(result.errors.contains("failed  list encrypted.pdf: corrupt:"))
        #expect(
            try place.pictures() == [
                "good.jpg thumbnail 1 32×21 webp", "nested.zip entry 1 60×40 jpg", "nested.zip thumbnail 1 32×21 webp",
            ])
    }

    @Test("pictures are made again when bytes or settings change, and only then; old ones go")
    func again() throws {
        let place = try PicturePlace(["a.jpg": try PicturePlace.sample("baseline.jpg"), "b.png": [1, 2, 3]])
        #expect(try place.run("job.yaml").ending == .exit(0))
        #expect(try place.pictures() == ["a.jpg thumbnail 1 32×21 webp"])
        let made = try place.times()

        #expect(try place.run("job.yaml").ending == .exit(0))
        #expect(try place.run("thumbnails", "job.yaml").ending == .exit(0))
        #expect(
            try place.times() == made)

        place.files.withLock { $0["b.png"] = try? PicturePlace.sample("plain.png") }
        #expect(try place.run("job.yaml").ending == .exit(0))
        #expect(try place.pictures() == ["a.jpg thumbnail 1 32×21 webp", "b.png thumbnail 1 32×21 webp"])
        #expect(
            try place.times()[0]
                == made[0])

        let result = try place.run("thumbnails", "job.yaml", "--set", "media.thumbnail.size=16")
        #expect(result.errors == "list: 2 pictures of 2 items, 0 unchanged, 0 failed\n")
        #expect(try place.pictures() == ["a.jpg thumbnail 1 16×11 webp", "b.png thumbnail 1 16×11 webp"])
    }

    @Test("a drawing is judged by the size of its picture, whatever its units are")
    func drawings() throws {
        func drawing(_ width: Int, _ height: Int) -> [UInt8] {
            let size = "width=\"\(width)\" height=\"\(height)\""
            return Array("<svg xmlns=\"http://www.w3.org/2000/svg\" \(size)><rect \(size) fill=\"red\"/></svg>".utf8)
        }
        let place = try PicturePlace([
            "flag.svg": drawing(24_000, 16_000), "map.svg": drawing(2_000_000, 1_000_000),
            "world.svg": drawing(40_000_000, 20_000_000),
        ])
        let result = try place.run("job.yaml")
        #expect(result.ending == .exit(1))
        #expect(
            try place.catalog().outcomes() == [
                "flag.svg downloaded", "map.svg downloaded", "world.svg failed too-large",
            ])
        #expect(
            try place.pictures() == ["flag.svg thumbnail 1 32×21 webp", "map.svg thumbnail 1 32×16 webp"])
    }

    @Test("another max_pixels makes and deletes no good picture, and tries those again that were too large")
    func maximumPixels() throws {
        let place = try PicturePlace(["a.jpg": try PicturePlace.sample("baseline.jpg")])
        #expect(try place.run("job.yaml").ending == .exit(0))
        let made = try place.times()
        for pixels in ["1000", "100MP"] {
            #expect(try place.run("job.yaml", "--set", "media.max_pixels=\(pixels)").ending == .exit(0))
            #expect(try place.run("thumbnails", "job.yaml", "--set", "media.max_pixels=\(pixels)").ending == .exit(0))
        }
        #expect(try place.times() == made)
        #expect(try place.pictures() == ["a.jpg thumbnail 1 32×21 webp"])

        place.files.withLock { $0["a.jpg"] = try? PicturePlace.sample("turned.jpg") }
        let small = try place.run("job.yaml", "--set", "media.max_pixels=1000")
        #expect(small.ending == .exit(1))
        #expect(try place.catalog().outcomes() == ["a.jpg failed too-large"])
        #expect(try place.pictures() == [])
        #expect(try place.run("job.yaml", "--set", "media.max_pixels=10kP").ending == .exit(0))
        #expect(try place.pictures() == ["a.jpg thumbnail 1 21×32 webp"])
    }

    @Test("an item whose picture is made at last is failed no more, unless its transfer has failed")
    func failureEnds() throws {
        let place = try PicturePlace([
            "a.jpg": try PicturePlace.sample("baseline.jpg"), "b.jpg": try PicturePlace.sample("turned.jpg"),
        ])
        let small = ["--set", "media.max_pixels=1000"]
        #expect(try place.workplace.run(["job.yaml"] + small).ending == .exit(1))
        #expect(try place.catalog().values("SELECT failure FROM item ORDER BY key") == ["too-large", "too-large"])
        // The second can't be asked for again.
        place.files.withLock { $0["b.jpg"] = nil }
        #expect(try place.workplace.run(["job.yaml"] + small).ending == .exit(1))
        let result = try place.run("thumbnails", "job.yaml")
        #expect(result.errors == "list: 2 pictures of 2 items, 0 unchanged, 0 failed\n")
        let failures: [String] = try place.catalog().values(
            "SELECT key || ' ' || coalesce(failure, '-') || ' ' || is_unsettled FROM item ORDER BY key")
        #expect(failures == ["a.jpg - 0", "b.jpg http 1"])
    }

    @Test("a type that no picture is made of is stored, and says so once")
    func pictureless() throws {
        let bitmap: [UInt8] = [0x42, 0x4D, 0x3A, 0, 0, 0, 0, 0, 0, 0, 0x36, 0, 0, 0]
        let place = try PicturePlace([
            "a.bmp": bitmap + [1], "b.bmp": bitmap + [2], "c.jpg": try PicturePlace.sample("baseline.jpg"),
        ])
        let result = try place.run("job.yaml")
        #expect(result.ending == .exit(0), "\(result.errors)")
        let words = "is stored without a picture: no picture is made of image/bmp"
        #expect(result.errors.split(separator: "\n").filter { $0.contains(words) }.count == 1, "\(result.errors)")
        #expect(try place.pictures() == ["c.jpg thumbnail 1 32×21 webp"])
        #expect(!(try place.run("job.yaml").errors.contains(words)))
    }

    /// Stands in for a renderer that is ready and ends by a signal when it is asked for something, so many times.
    private func dyingRenderer(_ signal: String, times: Int, in place: PicturePlace) throws -> [String: String] {
        try place.workplace.directory.write(
            """
            #!/bin/sh
            echo started >> starts
            if [ "$(wc -l < starts)" -le \(times) ]; then
                printf '\\026\\0\\0\\0\\005\\0\\0\\0\\0\\0\\0\\0ready' >&0
                printf '\\001\\0\\0\\0\\0\\0\\0\\0x' >&0
                dd bs=1 count=1 of=/dev/null 2>/dev/null
                kill -\(signal) $$
            fi
            exec '\(Workplace.Program.renderer.path)'

            """, to: "dying")
        chmod(place.workplace.directory.path("dying"), 0o700)
        return ["RUNNER_MEDIA": place.workplace.directory.path("dying")]
    }

    private func starts(in place: PicturePlace) -> Int {
        place.workplace.read("starts")?.count { $0 == UInt8(ascii: "\n") } ?? 0
    }

    @Test(
        "a renderer that is killed from outside is started once more, and nothing is remembered", arguments: [1, 100])
    func killedRenderer(times: Int) throws {
        let place = try PicturePlace(["a.jpg": try PicturePlace.sample("baseline.jpg")])
        let environment = try dyingRenderer("KILL", times: times, in: place)
        let result = try place.run("job.yaml", environment: environment)
        #expect(starts(in: place) == 2)
        #expect(try place.catalog().outcomes() == ["a.jpg downloaded"])
        if times == 1 {
            #expect(result.ending == .exit(0), "\(result.errors)")
        } else {
            #expect(result.ending == .exit(1))
            #expect(
                result.errors.contains(
                    "no pictures were made of 1 item: 'a.jpg': the renderer was ended from outside (Killed)"),
                "\(result.errors)")
            #expect(try place.catalog().number("SELECT count(*) FROM rendering") == 0)
            #expect(try place.run("job.yaml").ending == .exit(0))
        }
        #expect(try place.pictures() == ["a.jpg thumbnail 1 32×21 webp"])
    }

    @Test("a file that crashes two renderers is corrupt, and no other is started for it")
    func crashingFile() throws {
        let place = try PicturePlace(["a.jpg": try PicturePlace.sample("baseline.jpg")])
        let environment = try dyingRenderer("SEGV", times: 100, in: place)
        for _ in 0..<2 {
            #expect(try place.run("job.yaml", environment: environment).ending == .exit(1))
            #expect(try place.catalog().outcomes() == ["a.jpg failed corrupt"])
        }
        #expect(starts(in: place) == 2)
    }

    @Test("a file that can't be rendered fails in every run, without being tried again before --refresh")
    func stillBroken() throws {
        let place = try PicturePlace(["a.png": PictureFile.png([1, 2, 3])])
        #expect(try place.run("job.yaml").ending == .exit(1))
        let made = try place.times()[0]
        #expect(try place.run("job.yaml").ending == .exit(1))
        #expect(try place.catalog().outcomes() == ["a.png failed corrupt"])
        #expect(try place.times()[0] == made)
        #expect(try place.run("thumbnails", "job.yaml").ending == .exit(1))
        #expect(try place.run("thumbnails", "job.yaml", "--refresh").ending == .exit(1))
        #expect(try place.times()[0] > made)
    }

    @Test("without a renderer a job with media: says so and does nothing, and one without runs")
    func missingRenderer() throws {
        let place = try PicturePlace(["a.jpg": try PicturePlace.sample("baseline.jpg")])
        let environment = ["RUNNER_MEDIA": "/nonexistent/runner-media"]
        let result = try place.run("job.yaml", environment: environment)
        #expect(result.ending == .exit(2))
        #expect(result.errors.contains("the job has media:, and runner-media, which makes the pictures, is not there"))
        #expect(place.server.requests.isEmpty)
        let plain = try place.run("job.yaml", "--set", "media=null", environment: environment)
        #expect(plain.ending == .exit(0), "\(plain.errors)")
    }

    @Test("a renderer that can't be started makes the run partial, and says why; the files are there")
    func brokenRenderer() throws {
        let place = try PicturePlace(["a.jpg": try PicturePlace.sample("baseline.jpg")])
        let result = try place.run("job.yaml", environment: ["RUNNER_MEDIA": "/bin/true"])
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("no pictures were made of 1 item: /bin/true does not start"))
        #expect(try place.catalog().outcomes() == ["a.jpg downloaded"])
        #expect(try place.run("thumbnails", "job.yaml").ending == .exit(0))
        #expect(try place.pictures() == ["a.jpg thumbnail 1 32×21 webp"])
    }

    @Test("thumbnails: 75 while a run holds the job, and no picture is made")
    func locked() throws {
        let place = try PicturePlace(PicturePlace.samples(["alpha.png"]))
        #expect(try place.run("job.yaml").ending == .exit(0))
        let made = try place.times()
        place.server.hold("/alpha.png")
        let asked = place.server.requests.count
        let program = try place.workplace.start(["job.yaml"])
        try place.server.waitForRequests(asked + 1)
        let result = try place.run("thumbnails", "job.yaml", "--refresh")
        #expect(result.ending == .exit(75))
        #expect(result.errors.hasPrefix("list: another run (pid \(program.processID), since "), "\(result.errors)")
        #expect(try place.times() == made)
        place.server.release("/alpha.png")
        #expect(try program.wait().ending == .exit(0))
        #expect(try place.run("thumbnails", "job.yaml", "--refresh").ending == .exit(0))
        #expect(try place.times() != made)
    }

    @Test("a run that is killed while it renders leaves nothing that is in the way of the next")
    func killed() throws {
        let picture = try PicturePlace.sample("baseline.jpg")
        let files = (0..<40).map { ("\($0).jpg", picture + [UInt8($0)]) }
        let place = try PicturePlace(Dictionary(uniqueKeysWithValues: files))
        let program = try place.workplace.start(["job.yaml", "--progress", "json"]) { _, text, processID in
            if text.contains("\"item-rendering\"") { kill(processID, SIGKILL) }
        }
        #expect(try program.wait().ending == .signal(SIGKILL))
        #expect(try place.run("job.yaml").ending == .exit(0))
        #expect(try place.pictures().count == 40)
        #expect(try place.catalog().contradictions() == [])
    }

    @Test("reset deletes a collection's pictures, but for those that another has as well; then the job's")
    func reset() throws {
        let place = try PicturePlace([
            "a.jpg": try PicturePlace.sample("baseline.jpg"), "b.png": try PicturePlace.sample("alpha.png"),
        ])
        let items = ["one a.jpg", "one b.png", "two a.jpg"].map { text in
            let parts = text.split(separator: " ")
            let url = place.server.url("/\(parts[1])")
            return "{key: \"\(text)\", collection: \(parts[0]), url: \"\(url)\"}"
        }
        try place.workplace.writeJob(
            source: ["items: [\(items.joined(separator: ", "))]"], rest: ["media: {thumbnail: {size: 32}}"])
        #expect(try place.run("job.yaml").ending == .exit(0))
        #expect(try place.pictures().count == 3)
        #expect(place.workplace.directory.names(in: "out/.runner/pictures").count == 2)

        #expect(try place.run("reset", "list", "one", "--yes").ending == .exit(0))
        #expect(try place.pictures() == ["two a.jpg thumbnail 1 32×21 webp"])
        #expect(try place.catalog().number("SELECT count(*) FROM rendering") == 1)

        #expect(try place.run("reset", "list", "--yes").ending == .exit(0))
        #expect(place.workplace.directory.names(in: "out/.runner") == ["lock"])
        #expect(try place.catalog().number("SELECT count(*) FROM picture") == 0)
        #expect(try place.catalog().number("SELECT count(*) FROM rendering") == 0)
    }

    @Test("in another output directory the pictures that are not there are made again")
    func otherDirectory() throws {
        let place = try PicturePlace(["a.jpg": try PicturePlace.sample("baseline.jpg")])
        #expect(try place.run("job.yaml").ending == .exit(0))
        let made = try place.pictures()
        let paths: [String] = try place.catalog().values("SELECT path FROM picture")
        #expect(try place.run("job.yaml", "--set", "output.directory=other").ending == .exit(0))
        #expect(try place.pictures() == made)
        #expect(paths.count == 1 && paths.allSatisfy { place.workplace.read("other/\($0)") != nil })
    }
}
