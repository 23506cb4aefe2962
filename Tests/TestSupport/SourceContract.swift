import HTTP
import Model
package import SourceKit
import Synchronization
import YAML

/// What every source must keep to, whatever it lists. A module's tests ask for the violations and expect none:
///
///     let violations = try await SourceContract(FlagsSource.self, options: "countries: [de]").violations()
///     #expect(violations == [])
package struct SourceContract<S: Source>: Sendable {
    /// Answers what the source asks for, by URL.
    package typealias Fetch = @Sendable (String) throws -> FetchedReply

    private let options: String
    private let faults: [String]
    private let folder: String
    private let fetch: Fetch
    private let requests = RequestCount()

    /// - Parameters:
    ///   - options: a sound `source:` mapping of the job file, without its type, that lists at least one item.
    ///   - faults: mappings with a fault each.
    ///   - folder: the folder of the job file.
    package init(
        _ source: S.Type, options: String, faults: [String] = [], folder: String = "/jobs",
        fetch: @escaping Fetch = { throw TestSupportError("the source asks for \($0)") }
    ) {
        self.options = options
        self.faults = faults + ["no_such_option: 1"]
        self.folder = folder
        self.fetch = fetch
    }

    /// All that the source breaks, in words; empty for a source as it should be.
    ///
    /// - Throws: what the source throws for sound options.
    package func violations() async throws -> [String] {
        var violations = aboutInfo()
        let (decoded, diagnostics) = decode(options)
        violations += diagnostics.map { "sound options have a fault: \($0.message)" }
        for fault in faults { violations += about(fault: fault) }

        let source = try S(options: decoded, context: context)
        var pages = source.pages()
        if requests.count > 0 { violations.append("something is asked for before the first page is wanted") }
        let first = try await list(&pages)
        violations += first.violations
        if try await pages.next() != nil { violations.append("pages come after the end of the list") }

        // From the options again, as the next run does.
        var others = try S(options: decode(options).options, context: context).pages()
        let second = try await list(&others)
        if first.items.isEmpty { violations.append("nothing is listed") }
        if first.items.map(\.key) != second.items.map(\.key) { violations.append("two listings have other keys") }
        if first.items.map(\.url) != second.items.map(\.url) { violations.append("two listings have other URLs") }
        return violations
    }

    private var context: SourceContext {
        SourceContext(folder: folder, now: { 1_700_000_000_000_000 }) { [fetch, requests] url, _, _ in
            requests.increment()
            return try fetch(url.text)
        }
    }

    // MARK: Options

    private func decode(_ yaml: String) -> (options: S.Options, diagnostics: [Diagnostic]) {
        var options = S.info.defaults
        var diagnostics: [Diagnostic] = []
        let source = YAMLSource(name: "job.yaml", bytes: Array("type: \(S.info.type)\n\(yaml)\n".utf8))
        let documents = YAMLParser.documents(in: source, diagnostics: &diagnostics)
        var context = DecodingContext(place: "source", diagnostics: diagnostics)
        for document in documents {
            S.info.fields.decode(document, into: &options, passing: ["type"], &context)
            S.info.validate(&options, document, &context)
        }
        return (options, context.diagnostics)
    }

    private func about(fault: String) -> [String] {
        let diagnostics = decode(fault).diagnostics
        if diagnostics.isEmpty { return ["no fault is found in \(fault)"] }
        return diagnostics.filter { $0.mark == nil }.map { "a fault has no place: \($0.message)" }
    }

    private func aboutInfo() -> [String] {
        let info = S.info
        var violations: [String] = []
        let names = info.templateFields.map(\.name)
        if info.type.isEmpty || !info.type.allSatisfy({ $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }) {
            violations.append("the type '\(info.type)' is no plain word")
        }
        if info.summary.isEmpty || info.summary.hasSuffix(".") { violations.append("the summary is no phrase") }
        if info.expects.isEmpty { violations.append("nothing is expected of the bytes") }
        if Set(names).count != names.count { violations.append("a template field is declared twice") }
        for name in names where PathTemplate.commonFields.contains(where: { $0.name == name }) {
            violations.append("the template field {\(name)} is every source's already")
        }
        do throws(TemplateError) {
            _ = try PathTemplate(info.path, fields: info.templateFields)
        } catch {
            violations.append("the template of paths is faulty: \(error.message)")
        }
        for option in info.fields.documentation where option.name == "type" || option.help.isEmpty {
            violations.append("the option '\(option.name)' is reserved, or has no help")
        }
        return violations
    }

    // MARK: The list

    private struct Listing {
        var items: [ListedItem] = []
        var collections: Set<String> = []
        var keys: Set<String> = []
        var violations: [String] = []
    }

    private func list(_ pages: inout S.Pages) async throws -> Listing {
        var listing = Listing()
        while let page = try await pages.next() {
            for collection in page.collections {
                if !listing.collections.insert(collection.key).inserted {
                    listing.violations.append("the collection '\(collection.key)' is listed twice")
                }
                listing.violations += about(collection)
            }
            for item in page.items {
                if !listing.collections.contains(item.collection) {
                    listing.violations.append("'\(item.key)' comes before its collection '\(item.collection)'")
                }
                if !listing.keys.insert(item.key).inserted {
                    listing.violations.append("the key '\(item.key)' is listed twice")
                }
                listing.violations += about(item)
            }
            listing.items += page.items
            for key in page.incomplete.subtracting(listing.collections) {
                listing.violations.append("'\(key)' is called incomplete and was not listed")
            }
        }
        return listing
    }

    private func about(_ collection: ListedCollection) -> [String] {
        var violations: [String] = []
        if collection.key.isEmpty || collection.title.isEmpty {
            violations.append("a collection has no key or no title")
        }
        if (collection.latitude == nil) != (collection.longitude == nil) {
            violations.append("'\(collection.key)' has half a place on the map")
        }
        if let latitude = collection.latitude, let longitude = collection.longitude,
            !(-90...90).contains(latitude) || !(-180...180).contains(longitude)
        {
            violations.append("'\(collection.key)' is at no place of the map")
        }
        return violations
    }

    private func about(_ item: ListedItem) -> [String] {
        var violations: [String] = []
        if item.key.isEmpty { violations.append("an item has no key") }
        if item.invalid == nil, (try? WebURL(item.url)) == nil {
            violations.append("'\(item.key)' can't be asked for and is not marked invalid: '\(item.url)'")
        }
        let declared = Set(S.info.templateFields.map(\.name))
        if item.invalid == nil, Set(item.fields.keys) != declared {
            violations.append(
                "'\(item.key)' has the template fields \(item.fields.keys.sorted()), not \(declared.sorted())")
        }
        if let size = item.size, size < 0 { violations.append("'\(item.key)' has a negative length") }
        if let digest = item.sha256, digest.count != 64 || !digest.allSatisfy(\.isHexDigit) {
            violations.append("'\(item.key)' has a digest that is none")
        }
        return violations
    }
}

/// How often something was asked for.
private final class RequestCount: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }

    func increment() { value.add(1, ordering: .relaxed) }
}
