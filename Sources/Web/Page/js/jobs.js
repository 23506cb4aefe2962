// All jobs, a card each.

import { thumbnailURL, jobPath } from "./api.js";
import { fill, h, icon, setText, title } from "./dom.js";
import { byteText, countText, plural, timeText } from "./format.js";
import * as live from "./live.js";
import { empty } from "./messages.js";
import { badge, outcomeBar, runStrip, verdict } from "./outcomes.js";
import { runControls } from "./run-controls.js";

export async function show() {
    await live.loadJobs();
    const list = h("div", { class: "job-list" });
    const summary = h("p", { class: "soft small" });
    const element = h("div", { class: "view view-wide" },
        h("div", { class: "view-head" }, h("div", {}, h("h1", { text: "Jobs" }), summary)), list);
    const cards = new Map();

    function update() {
        const names = [...live.jobs.keys()];
        if (names.length === 0) {
            cards.clear();
            fill(list, empty({
                iconName: "jobs", heading: "No jobs yet",
                text: "A job is a file that says what to fetch. Write one, and open this page with the folder that it is in.",
                command: "runner init urls.txt\nrunner web .",
            }));
            setText(summary, "");
            return;
        }
        if (cards.size === 0 || [...cards.keys()].some((name) => !live.jobs.has(name))) {
            cards.clear();
            list.replaceChildren();
        }
        for (const name of names) {
            const card = cards.get(name) ?? makeCard(name);
            if (!cards.has(name)) {
                cards.set(name, card);
                list.append(card.element);
            }
            card.update();
        }
        const all = [...live.jobs.values()];
        setText(summary, `${plural(all.length, "job")} · ${countText(all.reduce((sum, job) => sum + (job.stored ?? 0), 0))} files · ${byteText(all.reduce((sum, job) => sum + (job.bytes ?? 0), 0))}`);
    }

    const status = (event) => cards.get(event.detail)?.showStatus();
    live.changes.addEventListener("jobs", update);
    live.changes.addEventListener("status", status);
    update();
    return {
        title: "Jobs",
        element,
        leave() {
            live.changes.removeEventListener("jobs", update);
            live.changes.removeEventListener("status", status);
        },
    };
}

function makeCard(name) {
    const address = jobPath(name);
    const controls = runControls(name);
    const covers = h("a", { class: "covers", href: `${address}/photos`, tabindex: "-1", "aria-hidden": "true" });
    const state = h("span");
    const describes = h("p", { class: "soft small clip" });
    const say = h("div", { class: "job-say" });
    const strip = h("div");
    const foot = h("div", { class: "job-foot" });
    let shown = "";
    let shownCovers = "";

    function update() {
        const job = live.jobs.get(name);
        if (!job) return;
        controls.update();
        const key = JSON.stringify([job.last_run?.id, job.last_run?.outcome, job.live?.state, job.stored, job.items, job.recent_runs?.length]);
        if (key === shown) return;
        shown = key;
        showCovers(job);
        setText(describes, job.describes ?? job.source ?? "");
        describes.title = job.file ?? "";
        fill(state, job.live ? badge(job.live.state, icon) : job.last_run && badge(job.last_run.outcome, icon));
        fill(strip, job.recent_runs?.length ? runStrip(job.recent_runs, name) : null);
        fill(foot,
            h("a", { href: `${address}/photos`, text: job.items === null ? "Counting…" : `${countText(job.stored)} of ${plural(job.items, "item")}` }),
            h("span", { text: byteText(job.bytes) }));
        if (job.live) showStatus();
        else fill(say, h("p", { class: "small", text: job.error || verdict(job.last_run), title: job.last_run ? timeText(job.last_run.started_at) : "" }),
            job.last_run && outcomeBar(job.last_run));
    }

    function showCovers(job) {
        const pictures = (job.covers ?? []).filter(({ thumbnail }) => thumbnail).slice(0, 5);
        const key = pictures.map(({ id, thumbnail }) => `${id}${thumbnail}`).join();
        if (key === shownCovers && covers.firstChild) return;
        shownCovers = key;
        fill(covers, pictures.length
            ? pictures.map(({ id, thumbnail }) => h("img", { src: thumbnailURL(id, thumbnail), alt: "", decoding: "async" }))
            : h("span", { class: "covers-none" }, icon("photos")));
    }

    /** While it runs, the card shows how far it is. */
    function showStatus() {
        const status = live.statuses.get(name);
        if (!status) return;
        const { ended: done, total } = live.progressOf(status);
        let meter = say.querySelector(".meter");
        if (!meter) {
            fill(say, h("p", { class: "small" }), h("span", { class: "meter", role: "progressbar", "aria-label": name, "aria-valuemin": "0" }, h("span", { class: "meter-fill" })));
            meter = say.querySelector(".meter");
        }
        setText(say.firstChild, `${countText(done)} of ${plural(total, "item")}, ${byteText(status.rates?.bytes_per_second ?? 0)}/s`
            + (status.counts.failed ? `, ${countText(status.counts.failed)} failed` : ""));
        meter.dataset.state = status.state;
        meter.setAttribute("aria-valuemax", total);
        meter.setAttribute("aria-valuenow", done);
        meter.firstChild.style.setProperty("inline-size", `${(100 * done) / Math.max(1, total)}%`);
    }

    const element = h("article", { class: "card job-card", "aria-label": name },
        covers,
        h("div", { class: "card-body" },
            h("div", { class: "job-name" },
                h("h2", {}, h("a", { class: "clip", href: address }, title(name)), state), describes),
            say, strip, foot,
            h("div", { class: "buttons" }, controls.elements)));
    return { element, update, showStatus };
}
