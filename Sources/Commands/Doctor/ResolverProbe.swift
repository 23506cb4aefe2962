internal import Dispatch
import Glibc
import Reports
import System

/// What became of looking up a host.
enum HostLookup: Equatable, Sendable {
    case found
    /// The resolver answered that there is no such host, or that it has no address.
    case absent
    /// The resolver did not answer, or said that it can't; with its word for it.
    case failed(String)
}

/// Looks up hosts as a run with many of them does, several at a time, and judges the resolver by its answers.
struct ResolverProbe {
    /// What looks up a host; may block.
    var look: @Sendable (String) -> HostLookup = Self.system
    /// What is not answered by then is not waited for, microseconds.
    var patience: Int64 = 30_000_000

    /// As many as a run of many hosts has under way.
    private static let atOnce = 32
    /// The share of look-ups from which on a resolver is overloaded, or broken.
    private static let tolerated = 0.05

    func findings(_ sample: HostSample, nameServers: [String]) -> [Finding] {
        let first = answers(for: sample.hosts)
        let found = first.filter { $0.lookup == .found }
        let failures = first.compactMap { if case .failed(let word)? = $0.lookup { word } else { nil } }
        let unanswered = first.count { $0.lookup == nil }
        let share = Double(failures.count + unanswered) / Double(first.count)
        var state = sample.count == first.count ? "" : "\(first.count) of "
        state += "\(sample.count) \(sample.count == 1 ? "host" : "hosts"): \(found.count) found"
        let absent = first.count { $0.lookup == .absent }
        if absent > 0 { state += ", \(absent) without an address" }
        if let word = failures.first { state += ", \(failures.count) failed (\(word))" }
        if unanswered > 0 { state += ", \(unanswered) without an answer after \(durationText(microseconds: patience))" }
        if let times = Self.times(of: found) { state += "; \(times)" }
        guard share <= Self.tolerated else {
            return [
                Self.servers(nameServers), .problem("look-ups", state, advice: Self.advice),
            ]
        }
        return [Self.servers(nameServers), .ok("look-ups", state)] + again(found, nameServers)
    }

    /// A resolver that remembers answers a second question from memory.
    private func again(_ found: [Answer], _ nameServers: [String]) -> [Finding] {
        guard !found.isEmpty else { return [] }
        let second = answers(for: found.map(\.host)).filter { $0.lookup == .found }
        guard let times = Self.times(of: second), let median = Self.median(of: second) else { return [] }
        let state = "the same again; \(times)"
        // From memory of this machine or of its network; farther away it takes longer.
        guard median > 2_000 else { return [.ok("look-ups", state)] }
        return [.warning("look-ups", state, advice: "answers are not remembered nearby; " + Self.advice)]
    }

    private static let advice =
        "install a resolver that remembers (apt-get install unbound) and name 127.0.0.1 in /etc/resolv.conf, or lower "
        + "concurrency; --failed=dns asks again"

    private static func servers(_ nameServers: [String]) -> Finding {
        .ok("name servers", nameServers.isEmpty ? "none in /etc/resolv.conf" : nameServers.joined(separator: ", "))
    }

    private static func times(of answers: [Answer]) -> String? {
        let sorted = answers.map(\.microseconds).sorted()
        guard !sorted.isEmpty else { return nil }
        let slow = sorted[min(sorted.count - 1, sorted.count * 95 / 100)]
        return "half within \(durationText(microseconds: sorted[sorted.count / 2])), "
            + "95 % within \(durationText(microseconds: slow))"
    }

    private static func median(of answers: [Answer]) -> Int64? {
        answers.isEmpty ? nil : answers.map(\.microseconds).sorted()[answers.count / 2]
    }

    // MARK: Asking

    private struct Answer {
        let host: String
        /// Nil while the resolver has not answered.
        var lookup: HostLookup?
        var microseconds: Int64 = 0
    }

    /// Threads of their own, since a look-up can't be ended: those that are not answered end with the program.
    private func answers(for hosts: [String]) -> [Answer] {
        let answers = Locked(hosts.map { Answer(host: $0) })
        let next = Locked(0)
        let done = DispatchGroup()
        let look = look
        for _ in 0..<min(Self.atOnce, hosts.count) {
            DispatchQueue(label: "look-ups").async(group: done) {
                while let index = next.withLock({ next in
                    next += 1
                    return next <= hosts.count ? next - 1 : nil
                }) {
                    let begin = Monotonic.now()
                    let lookup = look(hosts[index])
                    let time = Monotonic.now() - begin
                    answers.withLock { ($0[index].lookup, $0[index].microseconds) = (lookup, time) }
                }
            }
        }
        _ = done.wait(timeout: .now() + .microseconds(Int(patience)))
        // What is left in the queue is not asked.
        next.withLock { $0 = hosts.count }
        return answers.withLock { $0 }
    }

    // AI_IDN, EAI_NODATA and EAI_IDN_ENCODE of netdb.h, which Swift does not see: they are extensions of GNU.
    private static let internationalNames: Int32 = 0x40
    private static let noAddress: Int32 = -5
    private static let noSuchName: Int32 = -105

    /// The machine's own, by getaddrinfo(3): as libcurl does.
    private static func system(_ host: String) -> HostLookup {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG | Self.internationalNames
        var result: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &result)
        if let result { freeaddrinfo(result) }
        switch code {
        case 0: return .found
        case EAI_NONAME, Self.noAddress, Self.noSuchName: return .absent
        case EAI_SYSTEM: return .failed(String(cString: strerror(errno)))
        default: return .failed(String(cString: gai_strerror(code)))
        }
    }

    /// The name servers of this machine (resolv.conf(5)); none where that file can't be read.
    static func nameServers() -> [String] {
        let raw = open("/etc/resolv.conf", O_RDONLY | O_CLOEXEC)
        guard raw >= 0 else { return [] }
        let file = Descriptor(owning: raw)
        return nameServers(in: String(decoding: readAll(file.raw) ?? [], as: UTF8.self))
    }

    static func nameServers(in text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split { $0 == " " || $0 == "\t" }
            return words.count > 1 && words[0] == "nameserver" ? String(words[1]) : nil
        }
    }
}
