// Places of all jobs, or of one: sections such as countries, alphabetical, and the places of each.

import { get, jobPath, thumbnailURL, withQuery } from "./api.js";
import { fill, h, icon, setText, title } from "./dom.js";
import { plural } from "./format.js";
import { jobHead } from "./job-head.js";
import * as live from "./live.js";
import { empty } from "./messages.js";
import { setQuery } from "./router.js";

const alphabetical = new Intl.Collator(undefined, { sensitivity: "base", numeric: true });
/** For search: case and accents make no difference, so that "ha noi" finds "Hà Nội". */
const plain = (text) => (text ?? "").normalize("NFD").replace(/\p{M}/gu, "").replace(/[đĐ]/g, "d").toLowerCase();

export async function show(place) {
    const [rows] = await Promise.all([get("/places"), live.loadJobs()]);
    let { job: only = "", search: words = "" } = place.query;
    const count = h("p", { class: "soft small", role: "status" });
    const groups = h("div", { class: "place-groups" });
    const head = h("div");
    const search = h("input", {
        type: "search", "aria-label": "Search", placeholder: "Search places", value: words,
        on: { input: () => setQuery({ search: search.value.trim() }, { replace: true }) },
    });
    const box = h("div", { class: "search" }, icon("search"), search);
    const element = h("div", { class: "view view-wide" }, head, groups);

    function showHead() {
        const job = only && live.jobs.get(only);
        if (job) fill(head, ...jobHead(job, "Places", box), count);
        else fill(head, h("div", { class: "view-head" }, h("div", {}, h("h1", { text: "Places" }), count), box));
        head.className = job ? "place-head" : "";
    }

    function showGroups() {
        const wanted = plain(words).split(/\s+/).filter(Boolean);
        const found = rows.filter((row) => (!only || row.job === only)
            && wanted.every((word) => plain(`${row.title} ${row.subtitle ?? ""} ${row.section ?? ""}`).includes(word)));
        setText(count, found.length ? plural(found.length, "place") : "");
        if (found.length === 0) {
            fill(groups, words
                ? empty({ iconName: "search", heading: "No place has these words", text: "Search looks at places, what is around them, and countries." })
                : empty({ iconName: "places", heading: "No places yet", text: "Places come from jobs whose source sorts into countries, such as flickr.", command: "runner sources flickr" }));
            return;
        }
        const sections = Map.groupBy(found, (row) => row.section ?? "");
        const names = [...sections.keys()].sort(alphabetical.compare);
        fill(groups, names.map((name) => h("section", { class: "place-group" },
            h("h2", {}, title(name || "Elsewhere")),
            h("ul", { class: "place-cards" }, sections.get(name).sort((a, b) => alphabetical.compare(a.title, b.title)).map(placeCard)))));
    }

    showHead();
    showGroups();
    return {
        title: "Places",
        element,
        update({ query }) {
            const next = query.job ?? "";
            if (next !== only) {
                only = next;
                showHead();
            }
            words = query.search ?? "";
            if (document.activeElement !== search) search.value = words;
            showGroups();
        },
    };
}

function placeCard(row) {
    const picture = thumbnailURL(row.cover?.id, row.cover?.thumbnail);
    return h("li", {}, h("a", { class: "place-card", href: withQuery(`${jobPath(row.job)}/photos`, { collection: row.key }) },
        h("span", { class: "place-cover" }, picture ? h("img", { src: picture, alt: "", loading: "lazy", decoding: "async" }) : icon("photos")),
        h("b", { class: "clip" }, title(row.title || row.key)),
        h("span", { class: "soft small clip" }, h("bdi", { text: row.subtitle || row.section || "" })),
        h("span", { class: "soft small", text: row.stored === row.expected || row.expected === null ? plural(row.stored ?? 0, "photo") : `${(row.stored ?? 0).toLocaleString("en")} of ${plural(row.expected, "photo")}` })));
}
