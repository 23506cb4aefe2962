// The head of every view of one job: its name, and the way to its other views.

import { jobPath } from "./api.js";
import { h, title } from "./dom.js";

/** `tab` is one of Overview, Photos, Places, Runs; `extras` stand beside the name. */
export function jobHead(job, tab, ...extras) {
    const address = jobPath(job.name);
    const tabs = [["Overview", address], ["Photos", `${address}/photos`]];
    if (job.has_places) tabs.push(["Places", `/places?job=${encodeURIComponent(job.name)}`]);
    tabs.push(["Runs", `${address}/runs`]);
    return [
        h("div", { class: "view-head" },
            h("div", {},
                h("p", { class: "crumbs" }, h("a", { href: "/", text: "Jobs" }), h("span", { "aria-hidden": "true", text: "/" })),
                h("h1", {}, title(job.name))),
            ...extras),
        h("nav", { class: "tabs", "aria-label": job.name }, tabs.map(([name, href]) =>
            h("a", { href, text: name, "aria-current": name === tab ? "page" : null }))),
    ];
}
