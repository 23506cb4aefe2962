// Favourites in alphabetical sections, which the catalog keeps; a rail of letters goes to each.

import { fill, h, setText } from "./dom.js";
import { plural } from "./format.js";
import { gallery, listProblem } from "./gallery.js";
import { ItemList } from "./item-list.js";
import { empty } from "./messages.js";

/** More letters than this do not fit into the rail. */
const MOST_LETTERS = 40;

export function show(place) {
    const list = new ItemList("/favourites");
    const count = h("p", { class: "soft small", role: "status" });
    const rail = h("nav", { class: "rail", "aria-label": "Sections" });
    const photos = gallery({
        list, jobOf: (found) => found.columns.job[found.row],
        nothing: () => empty({ iconName: "star", heading: "No favourites yet", text: "The star in the viewer, or the key f, keeps a photo here. Its file is never evicted. On the command line:", command: "runner favourites add KEY" }),
    });
    const body = h("div", { class: "photos-body" }, photos.element, rail);

    function showRail() {
        setText(count, list.total === null ? "" : plural(list.total, "photo"));
        const sections = list.sections ?? [];
        const every = Math.ceil(sections.length / MOST_LETTERS);
        let start = 0;
        const starts = sections.map(({ title, count: own }) => {
            const at = start;
            start += own;
            return [title, at];
        });
        fill(rail, sections.length > 1 && list.count > 30 && starts.filter((_, index) => index % every === 0).map(([title, at]) =>
            h("a", { href: "#", text: title, on: { click: (event) => { event.preventDefault(); photos.grid.reveal(at); } } })));
    }

    list.addEventListener("count", showRail);
    list.addEventListener("block", showRail);
    photos.ready.catch((error) => photos.element.replaceChildren(listProblem(error)));
    if (place.query.item) photos.setItem(place.query.item);
    return {
        title: "Favourites",
        element: h("div", { class: "view-full photos" }, h("div", { class: "photos-head" }, h("div", { class: "photos-heading" }, h("h1", { text: "Favourites" }), count)), body),
        update: ({ query }) => photos.setItem(query.item ?? null),
        leave: () => photos.leave(),
    };
}
