// One job: what its run does now, or what the last one did, and the controls.

import { collectionsOf, jobPath, Problem } from "./api.js";
import { arrivalsCard } from "./arrivals.js";
import { fill, h, icon, setText } from "./dom.js";
import { ageText, byteText, countText, durationText, percent, plural, remainingText, timeText } from "./format.js";
import { collectionList, flightList, hostList } from "./job-lists.js";
import { jobHead } from "./job-head.js";
import { addKeys } from "./keys.js";
import { limitsCard } from "./job-limits.js";
import * as live from "./live.js";
import { badge, outcomeBar, runSeconds, runStrip, verdict } from "./outcomes.js";
import { runControls } from "./run-controls.js";

export async function show({ job: name }) {
    const [, rows] = await Promise.all([live.loadJobs(), collectionsOf(name)]);
    const job = live.jobs.get(name);
    if (!job) throw new Problem(404, `There is no job ${name}`, "its catalog may be another one: runner web --database FILE");

    const controls = runControls(name, { all: true });
    const overall = overallCard(name);
    const collections = collectionList(name, rows);
    const limits = limitsCard(name);
    const flight = flightList();
    const arrivals = arrivalsCard(name);
    const hosts = hostList();
    const history = h("section", { class: "card" });

    const element = h("div", { class: "view" },
        ...jobHead(job, "Overview", h("div", { class: "buttons" }, controls.elements)),
        h("div", { class: "live-grid" },
            h("div", {}, overall.element, arrivals.element, collections.element),
            h("div", {}, limits.element, hosts.element, flight.element, history)));

    function update() {
        const status = live.statuses.get(name);
        controls.update();
        overall.update(status);
        collections.update(status);
        limits.update(status);
        flight.update(status);
        hosts.update(status);
        arrivals.update(status);
        const { recent_runs: runs = [] } = live.jobs.get(name) ?? {};
        if (runs.length && history.dataset.newest !== `${runs[0].id}${runs[0].outcome}`) {
            history.dataset.newest = `${runs[0].id}${runs[0].outcome}`;
            fill(history, h("div", { class: "card-body" },
                h("h2", {}, "Last runs", h("a", { class: "text-link small", href: `${jobPath(name)}/runs`, text: "All runs" })),
                runStrip(runs, name),
                h("p", { class: "soft small", text: "Height is how long a run took; a pointed bar failed, a cut one is partial, a hollow one was interrupted." })));
        }
        history.hidden = runs.length === 0;
    }

    let frame = 0;
    const soon = (event) => {
        if (event.detail !== null && event.detail !== name) return;
        cancelAnimationFrame(frame);
        frame = requestAnimationFrame(update);
    };
    const finished = async (event) => {
        if (event.detail.job === name) collections.replace(await collectionsOf(name));
    };
    live.changes.addEventListener("status", soon);
    live.changes.addEventListener("jobs", soon);
    live.changes.addEventListener("finished", finished);
    const forget = addKeys(name, [
        ["r", "run", () => press(0)], ["p", "pause or resume", () => press(live.jobs.get(name)?.live?.state === "paused" ? 2 : 1)],
    ]);
    const press = (index) => controls.elements[index].click();
    update();
    return {
        title: name,
        element,
        leave() {
            forget();
            arrivals.leave();
            live.changes.removeEventListener("status", soon);
            live.changes.removeEventListener("jobs", soon);
            live.changes.removeEventListener("finished", finished);
        },
    };
}

/** The whole run as one bar and six numbers; without a run at work, the verdict of the last. */
function overallCard(name) {
    const body = h("div", { class: "card-body overall" });
    const element = h("section", { class: "card", "aria-label": "Progress" }, body);
    let now = null;
    let idleKey = "";

    function makeLive() {
        const big = h("span", { class: "overall-percent" });
        const state = h("span", { class: "soft" });
        const fillBar = h("span", { class: "meter-fill" });
        const meter = h("div", { class: "meter", role: "progressbar", "aria-label": "Whole run", "aria-valuemin": "0" }, fillBar);
        const names = ["Done", "Failed", "In flight", "Waiting", "Speed", "Received", "Elapsed"];
        const values = names.map(() => h("dd"));
        fill(body, h("div", { class: "overall-line" }, big, state), meter,
            h("dl", { class: "facts" }, names.map((text, index) => h("div", { class: "fact" }, h("dt", { text }), values[index]))));
        now = { big, state, meter, fillBar, values };
    }

    function update(status) {
        const job = live.jobs.get(name);
        if (!status) {
            now = null;
            const run = job?.last_run;
            const key = `${run?.id}${run?.outcome}`;
            if (key === idleKey) return;
            idleKey = key;
            if (!run) {
                fill(body, h("h2", { text: "Never run" }), h("p", { class: "soft", text: "Run fetches everything that this job lists." }));
                return;
            }
            const seconds = runSeconds(run);
            const facts = [["Took", seconds === null ? "–" : durationText(seconds * 1e6)], ["Received", byteText(run.wire_bytes)],
                ["Files stored", job.stored === null ? "…" : countText(job.stored)], ["On disk", byteText(job.bytes)]];
            fill(body,
                h("h2", {}, h("a", { href: `/runs/${run.id}`, text: `Last run, ${ageText(run.finished_at ?? run.started_at)}`, title: timeText(run.started_at) }), badge(run.outcome, icon)),
                h("p", { text: verdict(run) }), outcomeBar(run),
                h("dl", { class: "facts" }, facts.map(([word, value]) => h("div", { class: "fact" }, h("dt", { text: word }), h("dd", { text: value })))));
            return;
        }
        idleKey = "";
        if (!now) makeLive();
        const { counts, rates = {} } = status;
        const { ended: done, total: expected } = live.progressOf(status);
        const words = { listing: "Listing…", running: "Downloading…", paused: "Paused", stopping: "Stopping…", finished: "Finished" };
        setText(now.big, expected ? `${percent(done, expected)} %` : "…");
        const left = status.state === "running" ? remainingText(status.remaining_seconds) : "";
        setText(now.state, [words[status.state] ?? status.state, `${countText(done)} of ${plural(expected, "item")}`, left].filter(Boolean).join(" · "));
        now.meter.dataset.state = status.state;
        now.meter.setAttribute("aria-valuemax", expected);
        now.meter.setAttribute("aria-valuenow", done);
        now.fillBar.style.setProperty("inline-size", `${expected ? (100 * done) / expected : 0}%`);
        const values = [
            countText((counts.done ?? 0) - (counts.failed ?? 0)), countText(counts.failed), countText(counts.in_flight ?? status.in_flight?.length ?? 0), countText(Math.max(0, (counts.left ?? expected - done) - (counts.in_flight ?? 0))),
            `${byteText(rates.bytes_per_second ?? 0)}/s`, byteText(counts.bytes ?? null),
            status.started_at ? durationText(Math.max(0, (status.at ?? Date.now() * 1000) - status.started_at)).replace(/\.\d s/, " s") : "–",
        ];
        values.forEach((value, index) => setText(now.values[index], value));
    }
    return { element, update };
}
