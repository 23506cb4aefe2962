import SourceKit
import Testing
import YAML

@testable import SourcesFlags

@Suite(.timeLimit(.minutes(1)))
struct FlagsOptionsTests {
    @Test(
        "a fault names what is wrong and the way out",
        arguments: [
            (
                "url: https://flagcdn.com/{cod}.png",
                "url has an unknown field '{cod}'; did you mean '{code}'?"
            ),
            (
                "url: https://flagcdn.com/{title}.png",
                "url has an unknown field '{title}'; the fields are {code} {CODE} {code3}"
            ),
            (
                "url: https://flagcdn.com/de.png",
                "url must have a field for the country; for example https://flagcdn.com/w320/{code}.png"
            ),
            ("url: https://flagcdn.com/{code.png", "url has a { without its }"),
            ("url: https://flagcdn.com/code}.png", "url has a } without its {"),
            ("url: ftp://flagcdn.com/{code}.png", "url must be an http or https URL"),
            ("url: https:///{code}.png", "url must be an http or https URL"),
            ("url: flagcdn.com/{code}.png", "url must be an http or https URL"),
            ("countries: de", "countries must be all or a list of country codes, not text 'de'; write [de]"),
            ("countries: {de: fr}", "countries must be all or a list of country codes, not a mapping"),
            ("countries: [uk]", "countries.0 must be a country code, not text 'uk'; did you mean 'gb'?"),
            ("countries: [de, fra]", "countries.1 must be a country code, not text 'fra'; did you mean 'fr'?"),
            ("exclude: [Germany]", "exclude.0 must be a country code, not text 'Germany'; did you mean 'de'?"),
            ("exclude: [Frnace]", "exclude.0 must be a country code, not text 'Frnace'; did you mean 'fr'?"),
            (
                "exclude: [xx]",
                "exclude.0 must be a country code, not text 'xx'; "
                    + "the codes are the two letters of ISO 3166-1, such as de"
            ),
            (
                "exclude: [276]",
                "exclude.0 must be a country code, not the number 276; "
                    + "the codes are the two letters of ISO 3166-1, such as de"
            ),
            ("exclude: all", "exclude must be a list of country codes, not text 'all'"),
            ("langage: de", "unknown key 'langage' in source; did you mean 'language'?"),
        ])
    func fault(yaml: String, message: String) {
        #expect(faults(yaml) == [message])
    }

    @Test(
        "a language that the CLDR does not know is a fault, not silently English",
        arguments: ["xx", "tlh", "la", "english", "de-", "de-XX", "de-Cyrl", "de_DE.UTF-8", "de-DE-1996", "\"\"", "ÄÖ"])
    func unknownLanguage(tag: String) {
        let faults = faults("language: \(tag)")
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("language must be the tag of a known language, not ") == true)
        #expect(faults.first?.hasSuffix("; for example en, de, pt-BR or zh-Hant") == true)
    }

    @Test("every fault of the options is told, with its place")
    func several() {
        let diagnostics = diagnostics("url: /{code}.png\ncountries: [de, qq]\nexclude: [qq]\nlanguage: qq")
        #expect(
            diagnostics.compactMap { $0.mark.map { [$0.line, $0.column] } } == [[1, 6], [2, 17], [3, 11], [4, 11]])
    }

    @Test("the table documents the defaults that hold")
    func documentation() throws {
        let documentation = FlagsSource.info.fields.documentation
        #expect(documentation.map(\.name) == ["url", "countries", "exclude", "language"])
        let written = documentation.map { "\($0.name): \($0.default ?? "")" }.joined(separator: "\n")
        let documented = try options(written)
        #expect(documented.url == FlagsSource.info.defaults.url)
        #expect(documented.selectedCountries == FlagsSource.info.defaults.selectedCountries)
        #expect(documented.language == FlagsSource.info.defaults.language)
    }

    @Test("the examples of the table are valid")
    func examples() {
        for option in FlagsSource.info.fields.documentation {
            #expect(faults("\(option.name): \(option.example ?? "")") == [])
        }
    }

    private func diagnostics(_ yaml: String) -> [Diagnostic] {
        decode(yaml).diagnostics
    }

    private func faults(_ yaml: String) -> [String] {
        diagnostics(yaml).map { [$0.message, $0.hint].compactMap(\.self).joined(separator: "; ") }
    }
}
