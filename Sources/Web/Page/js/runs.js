// All runs of a job, newest first.

import { get, jobPath, Problem, withQuery } from "./api.js";
import { button, h, icon } from "./dom.js";
import { ageText, byteText, countText, durationText, timeText } from "./format.js";
import { jobHead } from "./job-head.js";
import * as live from "./live.js";
import { attempt, empty } from "./messages.js";
import { badge, outcomeBar, runSeconds } from "./outcomes.js";

const PAGE = 50;

export async function show({ job: name }) {
    const [first] = await Promise.all([get(withQuery(`${jobPath(name)}/runs`, { limit: PAGE })), live.loadJobs()]);
    const job = live.jobs.get(name);
    if (!job) throw new Problem(404, `There is no job ${name}`);
    const rows = h("tbody");
    const more = button("Earlier runs", null, () => attempt(async () => add(await get(withQuery(`${jobPath(name)}/runs`, { limit: PAGE, before: more.dataset.before })))));

    function add({ runs, next }) {
        rows.append(...runs.map(rowOf));
        more.dataset.before = next ?? "";
        more.hidden = !next;
    }
    add(first);
    const table = h("div", { class: "card table-box", tabindex: "0", role: "region", "aria-label": "Runs" }, h("table", {},
        h("thead", {}, h("tr", {}, ["Run", "Outcome", "Began", "Took", "Items", "Failed", "Received"].map((text, index) =>
            h("th", { scope: "col", class: index === 0 || index >= 3 && index !== 4 ? "number" : "", text })))), rows));
    return {
        title: `Runs of ${name}`,
        element: h("div", { class: "view" }, ...jobHead(job, "Runs"),
            first.runs.length ? [table, more] : empty({ iconName: "runs", heading: "No runs yet", text: "Every run and every transfer is kept here.", command: job.file ? `runner ${job.file}` : null })),
    };
}

function rowOf(run) {
    const seconds = runSeconds(run);
    return h("tr", {},
        h("td", { class: "number" }, h("a", { class: "text-link", href: `/runs/${run.id}`, text: String(run.id), "aria-label": `Run ${run.id}` })),
        h("td", {}, badge(run.outcome, icon)),
        h("td", { title: timeText(run.started_at), text: ageText(run.started_at) }),
        h("td", { class: "number", text: seconds === null ? "–" : durationText(seconds * 1e6) }),
        h("td", { class: "runs-bar" }, outcomeBar(run, { legend: false })),
        h("td", { class: "number", text: countText(run.failed) }),
        h("td", { class: "number", text: byteText(run.wire_bytes) }));
}
