import Reports
import System

/// `runner doctor`: what this machine offers, and what is wrong with it.
struct DoctorCommand {
    let options: Options
    let context: CommandContext

    func run() async -> ExitCode {
        var findings = Doctor(environment: context.environment, database: options.database).findings()
        if let list = options.hostList {
            do throws(UnreadableList) {
                let sample = try HostSample.read(list)
                findings += await offPool {
                    ResolverProbe().findings(sample, nameServers: ResolverProbe.nameServers())
                }
            } catch {
                return context.refuse("\(error)", usage: Command.doctor.usage)
            }
        }
        let code = context.console.deliver { try context.console.output.write(Self.text(findings)) }
        guard code == .success else { return code }
        return findings.contains { $0.severity == .problem } ? .partial : .success
    }

    /// A finding a line, what to do about it below.
    static func text(_ findings: [Finding]) -> String {
        let column = (findings.map(\.subject.count).max() ?? 0) + 2
        return findings.map { finding in
            let severity =
                finding.severity.rawValue + String(repeating: " ", count: 9 - finding.severity.rawValue.count)
            let subject = finding.subject + String(repeating: " ", count: column - finding.subject.count)
            var text = severity + subject + displayable(finding.state) + "\n"
            if let advice = finding.advice {
                text += String(repeating: " ", count: 9 + column) + displayable(advice) + "\n"
            }
            return text
        }.joined()
    }
}
