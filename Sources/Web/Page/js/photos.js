// The pictures of a job: of a collection, of a section, of a search, or all.

import { collectionsOf, get, jobPath, post, Problem } from "./api.js";
import { button, fill, h, icon, isUnavailable, setReason, setText, title } from "./dom.js";
import { plural } from "./format.js";
import { gallery, listProblem } from "./gallery.js";
import { ItemList } from "./item-list.js";
import { jobHead } from "./job-head.js";
import * as live from "./live.js";
import { attempt, empty, say } from "./messages.js";
import { setQuery } from "./router.js";
import { runJob } from "./run-controls.js";

const states = [["", "All states"], ["stored", "Stored"], ["pending", "Queueing"], ["failed", "Failed"], ["removed", "Removed"], ["gone", "Delisted"]];
const sorts = [["", "In list order"], ["title", "By title"], ["size", "Largest first"], ["elapsed", "Slowest first"], ["newest", "Newest first"]];
/** More collections are no menu any more: they are reached from the overview and from Places. */
const MOST_IN_MENU = 400;

const filterOf = ({ collection, section, state, search, sort }) => ({ collection, section, state, search, sort });

export async function show(place) {
    const name = place.job;
    let filter = filterOf(place.query);
    // The pictures are asked for first: they are what someone waits for.
    let first = new ItemList(`${jobPath(name)}/items`, filter);
    const began = first.open(place.query.item);
    began.catch(() => {});
    const [, collections] = await Promise.all([live.loadJobs(), collectionsOf(name)]);
    const job = live.jobs.get(name);
    if (!job) throw new Problem(404, `There is no job ${name}`);

    let photos = null;
    let askedFor = "";

    const heading = h("div", { class: "photos-heading" });
    const count = h("span", { class: "soft small", role: "status" });
    const actions = h("div", { class: "buttons" });
    const search = h("input", { type: "search", "aria-label": "Search", placeholder: "Search titles", value: filter.search ?? "", on: { input: searchSoon, keydown: leaveSearch } });
    const state = menu("State", states, "state");
    const sort = menu("Sort", sorts, "sort");
    const choice = collections.length > 1 && collections.length <= MOST_IN_MENU && menu("Collection",
        [["", "All collections"], ...collections.map((row) => [row.key, [row.title || row.key, row.section].filter(Boolean).join(", ")])], "collection");
    const body = h("div", { class: "photos-body" });
    const element = h("div", { class: "view-full photos" },
        h("div", { class: "photos-head" }, h("div", { class: "photos-top" }, ...jobHead(job, "Photos")),
            h("div", { class: "photos-tools" }, heading, count, actions,
                h("div", { class: "photos-filters" }, h("div", { class: "search" }, icon("search"), search), choice, state, sort))),
        body);

    function menu(label, options, parameter) {
        return h("select", { "aria-label": label, on: { change: (event) => setQuery({ [parameter]: event.target.value }) } },
            options.map(([value, text]) => h("option", { value, text })));
    }

    let timer = 0;
    function searchSoon() {
        clearTimeout(timer);
        timer = setTimeout(() => setQuery({ search: search.value.trim() }, { replace: true }), 140);
    }

    function leaveSearch(event) {
        if (event.key === "Escape" && search.value === "") search.blur();
        if (event.key === "ArrowDown" || event.key === "Enter") {
            event.preventDefault();
            if (photos?.list.count) photos.grid.reveal(photos.grid.firstIndex);
        }
    }

    function open() {
        photos?.leave();
        const list = first ?? new ItemList(`${jobPath(name)}/items`, filter);
        const opened = first ? began : undefined;
        first = null;
        photos = gallery({ list, opened, jobOf: () => name, nothing, seen: prioritise });
        const current = photos;
        fill(body, current.element);
        const showCount = () => setText(count, list.total === null ? "" : plural(list.total, "item"));
        showCount();
        list.addEventListener("count", showCount);
        list.addEventListener("block", showCount);
        list.addEventListener("waiting", () => setText(count, "Sorting…"));
        list.addEventListener("problem", (event) => event.detail.isUnreachable || say(event.detail.message, { kind: "error" }));
        current.ready.catch((error) => photos === current && error.name !== "AbortError" && fill(body, listProblem(error)));
        showHeading();
        return current;
    }

    function showHeading() {
        const row = collections.find(({ key }) => key === filter.collection);
        const subtitle = row ? [row.subtitle, row.section].filter(Boolean).join(", ") : "";
        fill(heading, h("h2", {}, title(row ? row.title || row.key : filter.section || "All photos")), subtitle && h("bdi", { class: "soft small clip", text: subtitle }));
        fill(actions, row && reloadButtons(row));
        state.value = filter.state ?? "";
        sort.value = filter.sort ?? "";
        if (choice) choice.value = filter.collection ?? "";
        if (document.activeElement !== search) search.value = filter.search ?? "";
    }

    function reloadButtons(row) {
        const reload = button("Reload", "reload", function click() {
            if (isUnavailable(this)) return say(this.title);
            return runJob(name, { collections: [row.key] });
        });
        setReason(reload, job.runnable ? null : "Its job file cannot be run from this page", "Fetch this collection again");
        const fresh = job.pins && row.key.startsWith("pin:") && button("New Collection", "photos", function click() {
            if (isUnavailable(this)) return say(this.title);
            return attempt(() => newCollection(row));
        });
        if (fresh) setReason(fresh, job.runnable ? null : "Its job file cannot be run from this page", "Other photos of this place instead of these");
        return [reload, fresh];
    }

    async function newCollection(row) {
        const { pins } = await get(`/pins?job=${encodeURIComponent(name)}`);
        const pin = pins.find((each) => row.key === `pin:${each.name}`);
        if (!pin) return say("The pin of this place was removed", { kind: "error" });
        return runJob(name, { pin: pin.id });
    }

    function nothing() {
        if (filter.search) {
            return empty({
                iconName: "search", heading: "No title has these words", text: "Search looks at titles, in any script, with or without accents.",
                action: button("Show all", null, () => setQuery({ search: null })),
            });
        }
        if (filter.state || filter.section || filter.collection) {
            return empty({
                iconName: "photos", heading: "Nothing here", text: "No item of this job is in this state or place.",
                action: button("Show all", null, () => setQuery({ state: null, section: null, collection: null })),
            });
        }
        return empty({ iconName: "photos", heading: "No items yet", text: "What this job lists appears here when it runs for the first time.", command: job.file ? `runner ${job.file}` : `runner report ${name}` });
    }

    /** What is looked at is fetched first. */
    function prioritise(ids) {
        const run = live.jobs.get(name)?.live?.run;
        if (run === undefined) return;
        const waiting = ids.filter((id) => {
            const found = photos.list.at(photos.list.indexOfID.get(id));
            return found && found.columns.state[found.row] === "pending";
        });
        if (waiting.length === 0 || waiting.join() === askedFor) return;
        askedFor = waiting.join();
        post(`/runs/${run}/prioritise`, { items: waiting }).catch(() => {});
    }

    open();
    if (place.query.item) photos.setItem(place.query.item);
    return {
        title: job.name,
        element,
        update({ query }) {
            const next = filterOf(query);
            if (JSON.stringify(next) !== JSON.stringify(filter)) {
                filter = next;
                open();
            }
            photos.setItem(query.item ?? null);
        },
        refresh: () => attempt(open),
        leave() {
            clearTimeout(timer);
            photos.leave();
        },
    };
}

