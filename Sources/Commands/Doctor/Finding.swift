/// One thing that `runner doctor` looked at.
struct Finding: Equatable, Sendable {
    enum Severity: String, Sendable {
        case ok
        /// A run may work, and may surprise.
        case warning
        /// Runs will fail.
        case problem
    }

    let severity: Severity
    let subject: String
    /// What was found.
    let state: String
    /// What to do about it; nil where nothing is to be done.
    let advice: String?

    static func ok(_ subject: String, _ state: String) -> Finding {
        Finding(severity: .ok, subject: subject, state: state, advice: nil)
    }

    static func warning(_ subject: String, _ state: String, advice: String) -> Finding {
        Finding(severity: .warning, subject: subject, state: state, advice: advice)
    }

    static func problem(_ subject: String, _ state: String, advice: String) -> Finding {
        Finding(severity: .problem, subject: subject, state: state, advice: advice)
    }
}
