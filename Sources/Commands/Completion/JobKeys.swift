import Jobs
import SourceKit
import YAML

/// The keys of job files as `--set` names them, with the values that they have where those are a few words.
struct JobKeys {
    let registry: SourceRegistry

    /// The completions of `typed`: a key and its sign, or after that one of its values.
    func candidates(for typed: String) -> [Candidates.Word] {
        let keys = Self.leaves(JobDocument.fields.documentation, below: "") + options
        guard let sign = typed.firstIndex(of: "=") else {
            return keys.map { .init("\($0.path)=", $0.field.help) }
        }
        let path = String(typed[..<sign])
        return keys.filter { $0.path == path }.flatMap { key in
            Self.choices(of: key.field).map { .init("\(path)=\($0)") }
        }
    }

    /// The options of all sources; which one the job file has is not known here.
    private var options: [(path: String, field: FieldDocumentation)] {
        var known: Set<String> = []
        return registry.modules.flatMap { Self.leaves($0.options, below: "source.") }
            .filter { known.insert($0.path).inserted }
    }

    /// The keys that have values of their own, not keys below them.
    private static func leaves(
        _ fields: [FieldDocumentation], below prefix: String
    ) -> [(path: String, field: FieldDocumentation)] {
        fields.flatMap { field in
            let path = prefix + field.name
            // A list of mappings is set as a whole.
            return field.type == "mapping" && !field.fields.isEmpty
                ? leaves(field.fields, below: path + ".") : [(path, field)]
        }
    }

    private static func choices(of field: FieldDocumentation) -> [String] {
        field.type == Bool.yamlType ? ["true", "false"] : field.choices
    }
}
