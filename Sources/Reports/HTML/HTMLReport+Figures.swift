internal import Catalog

/// The plots: each answers the question in its heading, in a sentence first, and has its numbers in a table.
extension HTMLReport {
    func figures(of run: RunReport, _ plots: RunPlots, history: [ComparableRun], on page: inout HTMLPage) {
        timeline(plots, on: &page)
        times(plots, on: &page)
        sizes(plots, on: &page)
        throughput(run, plots, on: &page)
        self.history(of: run, history, on: &page)
    }

    /// - Parameter rest: what follows the plot.
    private func figure(
        _ name: String, isWhole: Bool = false, _ question: String, _ message: String, _ rest: Markup = "",
        attributes: Markup = "", on page: inout HTMLPage
    ) {
        page.raw(
            """
            <figure class="part\(isWhole ? " part-whole" : "")"><\(headingTag)>\(question)</\(headingTag)><p class="message">\(message)</p>
            <canvas data-plot="\(name)" role="img" aria-label="\(question) \(message)"\(attributes)></canvas>\(rest)</figure>

            """)
    }

    /// A table behind a disclosure; the first column names the rows.
    private func table(_ summary: String, _ head: [String], _ rows: [[String]]) -> Markup {
        let columns = head.enumerated().map { index, name -> Markup in
            "<th scope=\"col\" class=\"\(index == 0 ? "text" : "number")\">\(name)</th>"
        }
        let lines = rows.map { row -> Markup in
            let cells = row.enumerated().map { index, cell -> Markup in
                index == 0 ? "<th scope=\"row\">\(cell)</th>" : "<td class=\"number\">\(cell)</td>"
            }
            return "<tr>\(cells.joined())</tr>\n"
        }
        return """
            <details><summary>\(summary)</summary><div class="table-box"><table><thead><tr>\(columns.joined())</tr></thead>
            <tbody>\(lines.joined())</tbody></table></div></details>
            """
    }

    private func timeline(_ plots: RunPlots, on page: inout HTMLPage) {
        guard plots.slots > 0 else { return }
        let phases = ["dns", "connect", "tls", "wait", "receive", "store"].map { name -> Markup in
            "<li><span class=\"swatch phase-\(name)\"></span>\(name)</li>"
        }
        let legend: Markup = """
            <ul class="legend">\(phases.joined())<li><span class="swatch phase-earlier"></span>earlier attempts</li>\
            <li><span class="swatch failed"></span>× failed</li></ul>
            <p class="sub">Wheel or + and − zoom, dragging or ← and → pan, 0 or a double click shows all. A click marks the item \
            in the table.</p>
            """
        figure(
            "timeline", isWhole: true, "What was in flight when?",
            "At most \(countText(Int64(plots.slots))) transfers at a time, over \(durationText(microseconds: plots.length)).",
            legend, attributes: " tabindex=\"0\"", on: &page)
    }

    private func times(_ plots: RunPlots, on page: inout HTMLPage) {
        guard let times = plots.times else { return }
        func text(_ edge: Double) -> String { durationText(microseconds: Int64(edge.rounded())) }
        let rows = times.counts.indices.map { index in
            ["\(text(times.edges[index])) – \(text(times.edges[index + 1]))", countText(Int64(times.counts[index]))]
        }
        let percentiles = [times.p50, times.p90, times.p99].map(durationText(microseconds:))
        figure(
            "times", "How long did transfers take?",
            "Half took at most \(percentiles[0]), nine in ten \(percentiles[1]), 99 in a hundred \(percentiles[2]).",
            table("The same in numbers", ["time", "transfers"], rows), on: &page)
    }

    private func sizes(_ plots: RunPlots, on page: inout HTMLPage) {
        guard plots.throughput != nil else { return }
        figure(
            "sizes", "Are the slow ones large?",
            "A point is a transfer: what is high up and far to the left took long for few bytes.",
            """
            <ul class="legend"><li>■ downloaded</li><li>□ unchanged</li><li>× failed</li></ul>
            <p class="sub">The same in numbers is in the table of items, sorted by time.</p>
            """, on: &page)
    }

    private func throughput(_ run: RunReport, _ plots: RunPlots, on page: inout HTMLPage) {
        guard let throughput = plots.throughput else { return }
        let most = throughput.values.max() ?? 0
        let average = run.throughput(now: now).map { ", \(byteText($0)) a second on average" } ?? ""
        // Twenty rows say as much as a table can.
        let every = max(1, (throughput.values.count + 19) / 20)
        let rows = stride(from: 0, to: throughput.values.count, by: every).map { index in
            let part = throughput.values[index..<min(index + every, throughput.values.count)]
            let mean = part.reduce(0) { $0.addingClamped($1) } / Int64(part.count)
            return ["+\(durationText(microseconds: Int64(index) * throughput.step))", "\(byteText(mean))/s"]
        }
        figure(
            "throughput", "How fast did the bytes come?",
            "At most \(byteText(most)) a second\(average).",
            table("The same in numbers", ["time", "received"], rows), on: &page)
    }

    private func history(of run: RunReport, _ history: [ComparableRun], on page: inout HTMLPage) {
        guard history.count > 1 else { return }
        let durations = history.dropLast().compactMap { $0.duration(now: now).map(Double.init) }
        let median = RobustStatistics(durations).map { durationText(microseconds: Int64($0.median.rounded())) }
        let own = run.duration(now: now).map(durationText(microseconds:)) ?? "an unknown time"
        let rows = history.reversed().map { other in
            [
                "run \(other.id)", timeText(other.startedAt), other.outcome,
                other.duration(now: now).map(durationText(microseconds:)) ?? "–", countText(other.items),
                countText(other.failed), byteText(other.wireBytes),
            ]
        }
        figure(
            "history", "Is the job as fast as it was?",
            "This run took \(own)"
                + (median.map { ", the \(countText(Int64(durations.count))) before it \($0) in the middle." } ?? "."),
            """
            <p class="sub">! partial, × failed, – interrupted.</p>
            \(table("The same in numbers", ["run", "began", "outcome", "took", "items", "failed", "received"], rows))
            """, on: &page)
    }
}
