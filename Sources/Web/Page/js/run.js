// One run: its verdict, four numbers, plots that each answer a question, and what failed with advice.

import { get, jobPath } from "./api.js";
import { area, histogram } from "./charts.js";
import { button, h, icon, title } from "./dom.js";
import { ageText, byteText, countText, durationText, hostText, plural, timeText } from "./format.js";
import { webLink } from "./viewer-details.js";
import * as live from "./live.js";
import { badge, outcomeBar, runSeconds, verdict } from "./outcomes.js";
import { phases } from "./phases.js";
import { go } from "./router.js";
import { runJob } from "./run-controls.js";
import { timeline } from "./timeline.js";

/** Transfers that the plots are drawn from; of longer runs the server gives an even sample. */
const SAMPLE = 5000;

export async function show({ run: id }) {
    const [run, report, { failures }] = await Promise.all([get(`/runs/${id}`), get(`/runs/${id}/report`), get(`/runs/${id}/failures`), live.loadJobs()]);
    const details = report.runs?.[0] ?? report;
    const statistics = details.statistics ?? {};
    const hosts = report.hosts ?? details.hosts ?? [];
    const job = live.jobs.get(run.job);
    const seconds = runSeconds(run);
    const plots = h("div", { class: "plots" });
    const stops = [];
    const address = jobPath(run.job);

    const element = h("div", { class: "view" },
        h("div", { class: "view-head" },
            h("div", {},
                h("p", { class: "crumbs" }, h("a", { href: "/", text: "Jobs" }), h("span", { "aria-hidden": "true", text: "/" }),
                    h("a", { href: address }, title(run.job)), h("span", { "aria-hidden": "true", text: "/" }), h("a", { href: `${address}/runs`, text: "Runs" })),
                h("h1", { text: `Run ${run.id}` })),
            badge(run.outcome, icon),
            job && failures.length > 0 && !job.live && job.runnable && button("Retry failed", "retry", () => runJob(run.job, { failed: true }))),
        h("section", { class: "card", "aria-label": "Verdict" }, h("div", { class: "card-body" },
            h("p", { text: verdict(run), title: timeText(run.started_at) }), outcomeBar(run),
            run.detail && h("p", { class: "soft small", dir: "auto", text: run.detail }),
            h("dl", { class: "facts" }, [
                ["Took", seconds === null ? "–" : durationText(seconds * 1e6)], ["Received", byteText(run.wire_bytes)],
                ["Speed", seconds ? `${byteText((run.wire_bytes ?? 0) / seconds)}/s` : "–"],
                ["Items a second", seconds ? ((run.downloaded + run.unchanged) / seconds).toFixed(1) : "–"],
                ["Connections reused", statistics.transfers ? `${Math.round((100 * statistics.reused) / statistics.transfers)} %` : "–"],
                ["Began", ageText(run.started_at)],
            ].map(([word, value]) => h("div", { class: "fact" }, h("dt", { text: word }), h("dd", { text: value })))))),
        failureCards(failures, run, job),
        plots,
        phaseTable(statistics),
        hosts.length > 0 && hostTable(hosts),
        h("p", { class: "soft small" }, `runner ${run.runner_version}, libcurl ${run.libcurl_version}, on ${run.host}. `,
            h("a", { class: "text-link", href: `/runs/${run.id}/report.html`, target: "_blank", rel: "noopener", text: "The report as one page" }), ", with all its items. As a file: ",
            h("code", { text: `runner report ${run.job} --run ${run.id} --format html --output run-${run.id}.html` })));

    get(`/runs/${id}/transfers?limit=${SAMPLE}`).then((columns) => stops.push(...addPlots(plots, columns, run))).catch((error) => {
        plots.append(h("p", { class: "soft", text: `No plots: ${error.message}` }));
    });
    return { title: `Run ${run.id} of ${run.job}`, element, leave: () => stops.forEach((stop) => stop()) };
}

/** Failures by reason, each with what to do about it. */
function failureCards(groups, run, job) {
    if (groups.length === 0) return null;
    return h("section", { class: "card", "aria-label": "What failed" }, h("h2", { class: "card-head" }, "What failed, and what to do about it",
        job && h("a", { class: "text-link small", href: `${jobPath(run.job)}/photos?state=failed`, text: "All that has failed now" })),
        h("ul", { class: "failures" }, groups.map((group) => h("li", {},
            h("p", {}, icon("warning"), h("b", { text: `${countText(group.count)} × ${group.failure}${group.status ? ` ${group.status}` : ""}` }), h("span", { class: "soft", text: group.advice })),
            group.hosts.some(({ host }) => host) && h("p", { class: "soft small", text: group.hosts.filter(({ host }) => host).map(({ host, count }) => `${host} (${countText(count)})`).join(", ") }),
            h("ul", {}, group.items.map((item) => h("li", { class: "small" },
                h("a", { class: "text-link", href: `/items/${item.id}` }, title(item.title || item.key)), h("bdi", { class: "soft", text: item.detail ?? "" }))),
            group.count > group.items.length && h("li", { class: "small soft", text: `and ${countText(group.count - group.items.length)} more` }))))));
}

function card(heading, answer, plot, ...rest) {
    return h("section", { class: "card plot" }, h("div", { class: "card-body" }, h("h2", { text: heading }), h("p", { class: "soft small", text: answer }), plot.element, ...rest));
}

/** Timeline, times and throughput, from the columns of transfers. Returns what ends them. */
function addPlots(box, columns, run) {
    const bars = [];
    for (let row = 0; row < columns.item.length; row++) {
        if (!columns.started_at[row]) continue;
        const start = columns.started_at[row] - run.started_at;
        const parts = phases.filter(({ name }) => name !== "queue" && name !== "store").map(({ key, name }) => [name, columns[key]?.[row] ?? 0]).filter(([, length]) => length > 0);
        const length = parts.reduce((sum, [, part]) => sum + part, 0);
        // The phases are those of the last attempt; what was before it is retrying and waiting for the next.
        const before = Math.max(0, (columns.elapsed_us[row] ?? length) - length);
        if (before > 1000) parts.unshift(["queue", before]);
        const failed = columns.outcome[row] === "failed";
        bars.push({
            row, start: Math.max(0, start), end: Math.max(1, start) + before + length, phases: parts, failed, item: columns.item[row], bytes: columns.body_bytes[row] ?? 0,
            label: [
                columns.title[row] || "Untitled",
                `${columns.outcome[row]}${failed ? `: ${columns.failure[row]} ${columns.status[row] ?? ""}` : ""}, ${durationText(columns.elapsed_us[row])}, ${byteText(columns.body_bytes[row])}`,
                parts.map(([name, part]) => `${name === "queue" ? "retrying" : name} ${durationText(part)}`).join(", "),
            ].join("\n"),
        });
    }
    if (bars.length === 0) {
        box.append(h("p", { class: "soft", text: "No transfer of this run sent a request: everything was fresh." }));
        return [];
    }
    bars.sort((a, b) => a.start - b.start);
    const sample = columns.total > columns.item.length ? ` A sample of ${countText(columns.item.length)} of ${plural(columns.total, "transfer")}.` : "";
    const time = (moment) => (moment < 1 ? "0" : durationText(moment));
    const end = Math.max(...bars.map((bar) => bar.end));
    const lanes = timeline({ label: `Timeline of ${plural(bars.length, "transfer")} over ${durationText(end)}`, bars, time, opened: (bar) => go(`/items/${bar.item}`) });
    const times = histogram({ values: bars.map((bar) => Math.max(1, bar.end - bar.start)), format: (value) => durationText(value), count: (n) => countText(Math.round(n)) });
    const spans = Math.max(24, Math.min(120, Math.round(end / 250_000)));
    const step = end / spans;
    const received = new Array(spans).fill(0);
    const factor = (columns.total ?? bars.length) / Math.max(1, columns.item.length);
    for (const bar of bars) {
        const share = bar.bytes * factor, part = bar.phases.find(([name]) => name === "receive")?.[1] ?? 1;
        const first = Math.max(0, Math.floor((bar.end - part) / step)), last = Math.min(spans - 1, Math.floor(bar.end / step));
        for (let span = first; span <= last; span++) received[span] += share / (last - first + 1) / (step / 1e6);
    }
    const speed = area({ label: `Bytes a second over the run, at most ${byteText(Math.max(...received))}`, values: received, step, format: (value) => byteText(value), time });
    const legend = h("ul", { class: "legend" }, phases.filter(({ name }) => name !== "store").map(({ name, word }) => h("li", {}, h("span", { class: `swatch phase-${name}` }), name === "queue" ? "Retrying" : word)), h("li", {}, icon("cross"), "Failed"));
    box.append(
        card("When was each file fetched?", `A lane for each place in flight, a bar for each transfer. Wheel zooms, drag moves, a click opens the item.${sample}`, lanes, legend),
        h("div", { class: "plot-pair" },
            card("How long did they take?", "From the first attempt to the last byte.", times),
            card("How fast was it?", "Bytes received a second, over the run.", speed)));
    return [lanes.stop, times.stop, speed.stop];
}

function phaseTable(statistics) {
    const rows = [...phases.map(({ key, word }) => [word, statistics[key]]), ["Total", statistics.total_us]].filter(([, row]) => row?.count);
    if (rows.length === 0) return null;
    return h("section", { class: "card" }, h("h2", { class: "card-head", text: "Where did the time go?" }), h("div", { class: "table-box", tabindex: "0", role: "region", "aria-label": "Phases" }, h("table", {},
        h("thead", {}, h("tr", {}, ["Phase", "Transfers", "p50", "p90", "p99"].map((text, index) => h("th", { scope: "col", class: index ? "number" : "", text })))),
        h("tbody", {}, rows.map(([word, row]) => h("tr", {}, h("td", { text: word }), h("td", { class: "number", text: countText(row.count) }),
            ["p50", "p90", "p99"].map((key) => h("td", { class: "number", text: key === "p99" && row.count < 100 ? "–" : durationText(row[key]) }))))))));
}

function hostTable(hosts) {
    return h("section", { class: "card" }, h("h2", { class: "card-head", text: "Hosts" }), h("div", { class: "table-box", tabindex: "0", role: "region", "aria-label": "Hosts" }, h("table", {},
        h("thead", {}, h("tr", {}, ["Host", "Transfers", "Failed", "Bytes", "Wait, p50"].map((text, index) => h("th", { scope: "col", class: index ? "number" : "", text })))),
        h("tbody", {}, hosts.map((row) => h("tr", {}, h("td", {}, webLink(row.origin, hostText(row.origin))), h("td", { class: "number", text: countText(row.transfers) }),
            h("td", { class: "number", text: countText(row.failed) }), h("td", { class: "number", text: byteText(row.bytes) }), h("td", { class: "number", text: durationText(row.p50_wait_us) })))))));
}
