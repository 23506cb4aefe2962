import Jobs
import Model
import SourceKit
import YAML

/// The manual page runner-job(5).
struct JobManual {
    let registry: SourceRegistry

    func write(on page: inout Roff) {
        page.section("Description")
        page.paragraph(
            """
            A job file says what `runner`(1) fetches, where to put it, and its limits and retries. It is YAML 1.2 with the core \
            schema. Several documents in a file are several jobs. Unknown keys, keys given twice and aliases are errors; \
            `runner check` reports every error at once, with line and column.
            """)
        page.paragraph("The smallest one:")
        page.example(Self.smallest)
        page.section("Keys")
        fields(JobDocument.fields.documentation, below: "", on: &page)
        values(on: &page)
        page.section("Templates")
        page.paragraph(
            """
            `output.path` names each file below the directory. Between its slashes, each part becomes one safe name. \
            Beside the fields of the source there are:
            """)
        templateFields(PathTemplate.commonFields, on: &page)
        page.section("Sources")
        for module in registry.modules { source(module, on: &page) }
        page.section("See also")
        page.paragraph("`runner`(1)")
    }

    static let smallest = """
        name: flags
        source:
          type: flags
        output:
          directory: ../downloads/flags
        """

    private func fields(_ fields: [FieldDocumentation], below prefix: String, on page: inout Roff) {
        for field in fields {
            var text = TextLayout.sentence(field.help)
            if let example = field.example { text += " Example: `\(field.name): \(example)`" }
            page.entry("`\(prefix)\(field.name)` (\(field.facts))", text)
            let isList = field.type != "mapping" && !field.fields.isEmpty
            self.fields(field.fields, below: "\(prefix)\(field.name)\(isList ? "[]" : "").", on: &page)
        }
    }

    private func values(on page: inout Roff) {
        page.section("Values")
        page.entry("duration", "`250ms`, `10s`, `5m`, `1h`, `1d`.")
        page.entry("size", "`512` bytes, `10kB`, `10KiB`, `5MB`, `1GiB`.")
        page.entry("rate", "`20/s`, `600/m`, `3600/h`.")
        page.entry(
            "bandwidth", "`10MB/s`, `512KiB/s`; in transfer also none, or a timetable: `08:00 2MB/s, 19:00 none`.")
        page.entry(
            "`${NAME}`",
            """
            In any value it is replaced by the environment variable; one that is not set is an error. The catalog, reports \
            and logs show ${NAME} instead of the value, so put API keys there. `$${` is a literal ${.
            """)
        page.entry(
            "`{field}`",
            "A value that begins with a brace must be quoted, as in `path: \"{title}.{extension}\"`: YAML takes it for a mapping."
        )
    }

    private func templateFields(_ fields: [TemplateField], on page: inout Roff) {
        for field in fields { page.entry("`{\(field.name)}`", TextLayout.sentence(field.help)) }
    }

    private func source(_ module: SourceModule, on page: inout Roff) {
        page.subsection(module.type)
        page.paragraph(TextLayout.sentence(module.summary))
        for paragraph in module.details { page.paragraph(paragraph) }
        page.paragraph(
            """
            Unless the job file says otherwise, `output.path` is `\(module.path)` and `expect` is \
            `\(module.expects.map(\.rawValue).joined(separator: ", "))`.
            """)
        fields(module.options, below: "source.", on: &page)
        guard !module.templateFields.isEmpty else { return }
        page.paragraph("Template fields of this source:")
        templateFields(module.templateFields, on: &page)
    }
}
