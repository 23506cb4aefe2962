import Archive
import Glibc
import HTTP
import MediaClient
import Reports
import SQLite
import YAML

/// Looks at the machine: libraries, the catalog and its disk, limits, trust, proxies. Changes nothing, and asks no network;
/// what `--dns` asks is in ``ResolverProbe``.
struct Doctor {
    let environment: [String: String]
    /// The value of `--database`.
    let database: String?

    func findings() -> [Finding] {
        libraries + catalog + [renderer, openFiles, clock, Self.authorities(curlFeatures())] + Self.proxies(environment)
    }

    private var libraries: [Finding] {
        [
            .ok("runner", runnerVersion), Self.libcurl(curlFeatures()), .ok("SQLite", sqliteVersionText),
            .ok("libyaml", yamlVersionText), .ok("libarchive", Self.withoutName(archiveVersionText)),
        ]
    }

    /// `libarchive 3.6.2 zlib/1.2.13` without its first word, which names the line.
    private static func withoutName(_ text: String) -> String {
        text.split(separator: " ").dropFirst().joined(separator: " ")
    }

    /// libcurl with what it was built with.
    static func libcurl(_ features: CurlFeatures) -> Finding {
        guard let tls = features.tlsLibrary else {
            return .problem(
                "libcurl", "\(features.version), without TLS",
                advice: "install a libcurl with TLS, such as Debian's libcurl4")
        }
        let names = [(features.hasHTTP2, "HTTP/2"), (features.hasInternationalNames, "IDN")]
        let present = [features.version, tls] + names.filter(\.0).map(\.1)
        let missing = names.filter { !$0.0 }.map(\.1)
        let state = present.joined(separator: ", ")
        guard missing.isEmpty else {
            return .warning(
                "libcurl", "\(state); without \(missing.joined(separator: ", "))",
                advice: "servers that insist on it will fail; Debian's libcurl4 has it")
        }
        return .ok("libcurl", state)
    }

    /// Starts what makes pictures, to see whether it can work here.
    private var renderer: Finding {
        let subject = "pictures"
        guard let path = RendererLocation.find(environment: environment) else {
            return .ok(subject, "no \(RendererLocation.name); only jobs with media: need it")
        }
        do throws(RenderProcess.StartError) {
            return .ok(subject, "\(try RenderProcess(program: path).version), \(path)")
        } catch {
            return .warning(subject, error.description, advice: "jobs with media: make no pictures until it starts")
        }
    }

    private var openFiles: Finding {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(7), &limit) == 0 else { return .ok("open files", "unknown") }
        return Self.openFiles(soft: limit.rlim_cur, hard: limit.rlim_max)
    }

    /// The hard limit counts: a run raises the soft one to it.
    static func openFiles(soft: UInt, hard: UInt) -> Finding {
        let state = "\(soft), may be raised to \(hard)"
        guard hard >= 1024 else {
            return .warning("open files", state, advice: "raise it (ulimit -Hn, LimitNOFILE=) or keep concurrency low")
        }
        return .ok("open files", state)
    }

    private var clock: Finding {
        var now = time(nil)
        var fields = tm()
        localtime_r(&now, &fields)
        let zone = fields.tm_zone.map { String(cString: $0) } ?? "unknown"
        let state = "\(localTimeText(Int64(now) * 1_000_000)), \(zone)"
        guard fields.tm_year >= 125 else {
            return .warning("time", state, advice: "set the clock: certificates and freshness depend on it")
        }
        return .ok("time", state)
    }

    /// Without certificates of authorities no https transfer can succeed.
    static func authorities(_ features: CurlFeatures) -> Finding {
        let places = [features.caFile, features.caDirectory].compactMap { $0 }
        for place in places where access(place, R_OK) == 0 { return .ok("authorities", place) }
        return .problem(
            "authorities",
            places.isEmpty ? "libcurl names no place" : "\(places.joined(separator: ", ")) can't be read",
            advice: "apt-get install ca-certificates; until then every https transfer fails")
    }

    /// The proxies of the environment, without their credentials.
    static func proxies(_ environment: [String: String]) -> [Finding] {
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
        let found = names.compactMap { name in
            environment[name].flatMap { $0.isEmpty ? nil : Finding.ok(name, withoutCredentials($0)) }
        }
        return found.isEmpty ? [.ok("proxy", "none in the environment")] : found
    }

    /// A URL, or what is written like one, with `***` for user and password.
    private static func withoutCredentials(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text }
        let scheme = text.contains("://") ? text.prefix { $0 != ":" } + "://" : ""
        return scheme + "***" + text[at...]
    }
}
