import FoundationEssentials
import Glibc

/// What a sanitizer has to say of an ended program, in a build with one.
enum SanitizerReport {
    /// Nil where it says nothing.
    ///
    /// - Parameter errors: the program's standard error, where reports are unless the options have a `log_path`.
    static func text(of processID: Int32, errors: String) -> String? {
        if errors.contains("Sanitizer:") { return errors }
        for name in ["ASAN_OPTIONS", "TSAN_OPTIONS"] {
            let options = getenv(name).map { String(cString: $0).split(separator: ":") } ?? []
            guard let path = options.first(where: { $0.hasPrefix("log_path=") })?.dropFirst("log_path=".count),
                let report = FileManager.default.contents(atPath: "\(path).\(processID)")
            else { continue }
            return String(decoding: report, as: UTF8.self)
        }
        return nil
    }
}
