// What is shown at an address without a page, and where a page cannot be made.

import { h } from "./dom.js";
import { empty } from "./messages.js";

export function show() {
    return {
        title: "Not found",
        element: h("div", { class: "view" }, h("h1", { class: "hidden", text: "Not found" }), empty({
            iconName: "search", heading: "There is nothing at this address", text: "It may have been removed, or the address is incomplete.",
            action: h("a", { class: "button", href: "/", text: "All jobs" }),
        })),
    };
}

export function problem(error) {
    const signIn = error.status === 401;
    return {
        title: "Problem",
        element: h("div", { class: "view" }, h("h1", { class: "hidden", text: "Problem" }), empty({
            iconName: "warning", heading: error.title ?? "This page could not be made",
            text: error.detail || (error.status === 0 ? "Start it again; this page connects by itself." : error.status ? "" : error.message),
            command: signIn || error.status === 0 ? "runner web --open" : null,
            action: h("a", { class: "button", href: "/", text: "All jobs" }),
        })),
    };
}
