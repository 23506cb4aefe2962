import Glibc
import TestSupport
import Testing

/// What happens to one of the system calls of a program that change files.
struct Fault: Sendable, CustomTestStringConvertible {
    enum Action: Sendable {
        /// The process is gone before the call.
        case kill
        /// A write does its first half, then the process is gone.
        case tear
        /// The call fails with that error number.
        case fail(Int32)
        /// Nothing happens; counted are the calls of threads that hold a lock.
        case observe
    }

    let action: Action
    /// The calls that are counted, as FaultyCalls names them.
    let calls: String
    /// Whether all later ones fail, too.
    var lasts = false

    static let killed = Fault(action: .kill, calls: changing)
    static let torn = Fault(action: .tear, calls: "write")
    static let brokenDisk = Fault(action: .fail(EIO), calls: changing)
    static let fullForAMoment = Fault(action: .fail(ENOSPC), calls: growing)
    static let full = Fault(action: .fail(ENOSPC), calls: growing, lasts: true)
    static let tooManyOpenFiles = Fault(action: .fail(EMFILE), calls: "create,open")

    /// Every call on a file that a thread makes with one of the program's locks held.
    static let underLock = Fault(action: .observe, calls: changing + ",open")

    private static let changing = "write,sync,rename,create,remove,make,cut,time,link"
    private static let growing = "write,sync,rename,create,make,cut,link"

    var testDescription: String {
        switch action {
        case .kill: "killed"
        case .tear: "killed in a write"
        case .fail(let code): String(cString: strerror(code)) + (lasts ? ", from then on" : ", once")
        case .observe: "under a lock"
        }
    }

    /// What the person who looks at the failed run is told in some form: the system's words, or SQLite's for them.
    var words: [String] {
        guard case .fail(let code) = action else { return [] }
        let own = String(cString: strerror(code))
        switch code {
        case ENOSPC: return [own, "database or disk is full", "disk I/O error", "unable to open database file"]
        default:
            // What SQLite cannot open for writing it opens for reading.
            return [own, "disk I/O error", "unable to open database file", "attempt to write a readonly database"]
        }
    }

    /// A program's environment in which the fault hits call `number`, from 1; none where that is 0.
    func environment(number: Int, report: String) -> [String: String] {
        let action =
            switch action {
            case .kill: "kill"
            case .tear: "tear"
            case .fail(let code): String(code)
            case .observe: "locked"
            }
        return [
            "LD_PRELOAD": Self.library, "FAULTY_CALLS": calls, "FAULTY_NUMBER": String(number),
            "FAULTY_ACTION": action, "FAULTY_LASTS": lasts ? "yes" : "", "FAULTY_REPORT": report,
        ]
    }

    /// Built beside the programs.
    private static var library: String {
        let program = Workplace.Program.testRunner.path
        return program[..<(program.lastIndex(of: "/") ?? program.endIndex)] + "/libFaultyCalls.so"
    }
}

/// What FaultyCalls wrote down.
struct FaultReport {
    /// The calls that were counted.
    let count: Int
    /// The call that was hit and its file, or a line for each under a lock; empty where there was none.
    let hit: String

    init(path: String) throws {
        guard let bytes = contents(of: path), bytes.count > 8 else {
            throw TestSupportError("FaultyCalls was not loaded: there is no \(path)")
        }
        count = bytes[..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
        hit = String(decoding: bytes[8...].prefix { $0 != 0 }, as: UTF8.self)
    }
}
