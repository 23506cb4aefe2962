// The last 20 items that someone looked at, newest first.

import { get } from "./api.js";
import { h } from "./dom.js";
import { FixedList } from "./fixed-list.js";
import { gallery, listProblem } from "./gallery.js";
import { empty } from "./messages.js";

export function show(place) {
    const list = new FixedList(async () => (await get("/recents")).items);
    const photos = gallery({
        list, jobOf: (found) => found.columns.job[found.row],
        nothing: () => empty({ iconName: "recents", heading: "Nothing viewed yet", text: "The last 20 photos that you open are here, newest first. On the command line:", command: "runner recents" }),
    });
    photos.ready.catch((error) => photos.element.replaceChildren(listProblem(error)));
    if (place.query.item) photos.setItem(place.query.item);
    return {
        title: "Recents",
        element: h("div", { class: "view-full photos" }, h("div", { class: "photos-head" }, h("h1", { text: "Recents" })), h("div", { class: "photos-body" }, photos.element)),
        update: ({ query }) => photos.setItem(query.item ?? null),
        leave: () => photos.leave(),
    };
}
