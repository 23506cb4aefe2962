// `environ` is a variable of C; it is read here once, before any thread could change it.
@preconcurrency import Glibc

/// The variables of the process, as text; of a name given twice the first, as `getenv(3)` has it.
func processEnvironment() -> [String: String] {
    var result: [String: String] = [:]
    var entry = environ
    while let variable = entry.pointee {
        let text = String(cString: variable)
        if let sign = text.firstIndex(of: "=") {
            let name = String(text[..<sign])
            if result[name] == nil { result[name] = String(text[text.index(after: sign)...]) }
        }
        entry += 1
    }
    return result
}
