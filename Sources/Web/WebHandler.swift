internal import Dispatch
internal import HTTP
internal import Run
internal import SQLite
internal import Server

/// Takes every request: the guards first, then the exact table of paths.
final class WebHandler: Sendable {
    let access: Access
    let settings: WebSettings
    let readers: CatalogReaders
    /// For what takes longer than a page waits.
    let reports: CatalogReaders
    let sortedLists: SortedLists
    let rows: JobRows
    /// What changes the catalog, one after the other.
    let writer = DispatchQueue(label: "page writer")
    /// Where a run may be waited for.
    let waiting = DispatchQueue(label: "page control", attributes: .concurrent)
    let hub: EventHub
    private let files = PageFiles()

    init(_ settings: WebSettings, _ access: Access) {
        self.settings = settings
        self.access = access
        // One waits for the disk while the other works.
        readers = CatalogReaders(path: settings.database, count: 2)
        reports = CatalogReaders(path: settings.database, count: 1)
        sortedLists = SortedLists(path: settings.database, patience: settings.sortPatience)
        rows = JobRows(settings)
        hub = EventHub(settings, rows)
    }

    /// On the server's thread.
    func handle(_ request: Request, _ responder: Responder) {
        do throws(Problem) {
            try access.checkHost(request)
            if let response = try access.signIn(request) { return answer(response, responder) }
            if let response = try pageFile(request) { return answer(response, responder) }
            try access.checkSession(request)
            try route(request, responder)
        } catch {
            answer(error.response, responder)
        }
    }

    func answer(_ response: Response, _ responder: Responder) {
        var response = response
        let own = Set(response.headers.map { $0.name.lowercased() })
        response.headers += Access.headers.filter { !own.contains($0.name.lowercased()) }
        responder.answer(response)
    }

    // MARK: - The page

    /// First words of paths that are the page's own, to which it is opened by a link.
    private static let views: Set<Substring> = ["jobs", "runs", "items", "map", "places", "recents", "favourites"]

    /// A file of the page, which has no data in it and so needs no session; nil for another path.
    private func pageFile(_ request: Request) throws(Problem) -> Response? {
        let segments = request.segments
        let path: Substring
        switch segments.first {
        case nil: path = "index.html"
        case "favicon.svg" where segments.count == 1: path = "favicon.svg"
        case "page": path = request.path.dropFirst("/page/".count)
        case "runs" where segments.last == "report.html": return nil
        case let first? where Self.views.contains(first): path = "index.html"
        default: return nil
        }
        guard request.method.isSafe else { return Self.wrongMethod(request, allowed: [.get]) }
        guard let response = files.response(path, request) else { throw Self.notFound(request) }
        return response
    }

    // MARK: - Refusals

    static func notFound(_ request: Request) -> Problem {
        Problem(404, "Not found", "there is nothing at \(request.path.prefix(200))")
    }

    static func wrongMethod(_ request: Request, allowed: [Method]) -> Response {
        let methods = allowed.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }.sorted().joined(separator: ", ")
        var response = Problem(
            405, "Wrong method", "\(request.path.prefix(200)) is asked by \(methods)"
        ).response
        response.headers.append(("Allow", methods))
        return response
    }
}
