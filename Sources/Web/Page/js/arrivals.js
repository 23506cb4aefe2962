// What has just come in: the newest pictures of a run at work, so that someone sees them and not only their number.

import { jobPath, thumbnailURL } from "./api.js";
import { h } from "./dom.js";
import * as live from "./live.js";

const MOST = 24;

export function arrivalsCard(name) {
    const list = h("ul", { class: "arrivals", role: "list", "aria-label": "Just arrived" });
    const element = h("section", { class: "card", hidden: true }, h("h2", { class: "card-head", text: "Just arrived" }), list);

    function arrived(event) {
        if (event.detail.job !== name) return;
        for (const item of event.detail.items) {
            const picture = thumbnailURL(item.id, item.thumbnail);
            if (!picture || item.state !== "stored") continue;
            element.hidden = false;
            list.prepend(h("li", {}, h("a", { href: `${jobPath(name)}/photos?item=${item.id}`, "aria-label": item.title || "Photo" },
                h("img", { src: picture, alt: "", decoding: "async" }))));
        }
        while (list.children.length > MOST) list.lastChild.remove();
    }
    live.changes.addEventListener("items", arrived);
    return {
        element,
        update(status) {
            if (!status) element.hidden = true;
        },
        leave: () => live.changes.removeEventListener("items", arrived),
    };
}
