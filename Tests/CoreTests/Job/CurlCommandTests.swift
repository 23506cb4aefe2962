import TestSupport
import Testing

@testable import Jobs

/// The command line that asks for an item as a job does.
@Suite("Equivalent command lines of curl", .timeLimit(.minutes(1)))
struct CurlCommandTests {
    private func command(_ url: String, _ transfer: String, environment: [String: String] = [:]) throws -> String {
        let files = try JobFiles(environment: environment)
        let loaded = try files.load(JobFiles.head + "transfer:\n" + transfer)
        #expect(files.messages(loaded) == [])
        return CurlCommand.text(for: url, of: try #require(loaded.jobs.first), runnerVersion: "1.0")
    }

    /// The words that a shell makes of a line, after `curl`.
    private func words(_ command: String, environment: [String: String]) throws -> [String] {
        let script = "curl() { for word; do printf '%s\\n' \"$word\"; done; }; " + command
        let result = try RunningProgram(["/bin/sh", "-c", script], environment: environment, directory: "/").wait()
        #expect(result.ending == .exit(0) && result.errors == "", "\(result.errors)")
        return result.lines
    }

    @Test("everything that a job says of its transfers is in it")
    func everything() throws {
        let text = try command(
            "https://example.org/a",
            """
              connect_timeout: 250ms
              total_timeout: 1m
              max_size: 10kB
              retries: 0
              user_agent: me/1
              http_version: 1.1
              proxy: none
              connect_to: {"example.org:443": "127.0.0.1:8443"}
              bandwidth: 1MB/s
            """)
        #expect(
            text == """
                curl --location --fail --remote-name --user-agent me/1 --connect-timeout 0.25 --max-time 60 \
                --speed-limit 1000 --speed-time 30 --max-filesize 10000 --retry 0 --limit-rate 1000000 --http1.1 \
                --noproxy '*' --connect-to example.org:443:127.0.0.1:8443 -- https://example.org/a
                """)
    }

    @Test("a secret is its variable, which the shell replaces; nothing else in it means anything to the shell")
    func secrets() throws {
        let environment = ["TOKEN": "s3cret value"]
        let text = try command(
            "https://example.org/$HOME/`id`/$(id)/it's \"it\"/$${TOKEN}?${TOKEN}",
            """
              headers: {Authorization: "Bearer ${TOKEN}", Accept: "it's $HOME", X-Key: s3cret-literal}
            """, environment: environment)
        #expect(!text.contains("s3cret"))
        let words = try words(
            text, environment: environment.merging(["HOME": "/root", "transfer_headers_X_Key": "literal"]) { $1 })
        #expect(words.contains("Authorization: Bearer s3cret value"))
        #expect(words.contains("Accept: it's $HOME"))
        #expect(words.contains("X-Key: literal"))
        #expect(words.last == "https://example.org/$HOME/`id`/$(id)/it's \"it\"/${TOKEN}?s3cret value")
    }

    @Test("private headers go to hosts of the job file alone, and no header follows a redirect")
    func privateHeaders() throws {
        let headers = "  headers: {Authorization: \"Bearer ${TOKEN}\", X-Plain: \"a value\"}\n"
        func command(_ url: String) throws -> String {
            try self.command(url, headers, environment: ["TOKEN": "s3cret"])
        }
        let own = try command("https://example.org/a")
        #expect(own.contains("Authorization") && own.contains("X-Plain") && !own.contains("--location"))
        for url in ["https://other.example/a", "https://example.org:444/a"] {
            let other = try command(url)
            #expect(!other.contains("Authorization") && other.contains("X-Plain") && !other.contains("--location"))
        }
        #expect(try self.command("https://example.org/a", "  retries: 0\n").contains("--location"))
    }

    @Test("a proxy's user information is not shown")
    func proxy() throws {
        let text = try command("https://example.org/a", "  proxy: \"http://me:passw0rd@proxy.example:3128\"\n")
        #expect(text.contains("--proxy \"http://${userinfo}@proxy.example:3128\""))
        #expect(!text.contains("passw0rd"))
    }
}
