// The keys of the page, in one table, so that the list that `?` shows is what they do. None works while someone writes,
// or together with Ctrl, Alt or Meta: those are the browser's.

import { h } from "./dom.js";
import { go } from "./router.js";

const everywhere = {
    title: "Everywhere",
    keys: [
        ["?", "this list", showKeys],
        ["/", "search", () => focusSearch()],
        ["g j", "jobs", () => go("/")],
        ["g m", "map", () => go("/map")],
        ["g p", "places", () => go("/places")],
        ["g r", "recents", () => go("/recents")],
        ["g f", "favourites", () => go("/favourites")],
    ],
};

const groups = [everywhere];
let prefix = "";
let prefixTimer = 0;

/**
 * Adds a group of keys while a view is there: `keys` are [keys, what they do, handler]. A handler that is null is only
 * listed: the view acts on it itself. Returns a function that removes the group.
 */
export function addKeys(title, keys) {
    const group = { title, keys };
    groups.push(group);
    return () => {
        const index = groups.indexOf(group);
        if (index >= 0) groups.splice(index, 1);
    };
}

export function isWriting(target) {
    return target instanceof Element && target.closest("input:not([type=range]), textarea, select, [contenteditable]") !== null;
}

export function start() {
    document.addEventListener("keydown", (event) => {
        if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || isWriting(event.target)) return;
        // In an open dialog its own keys count; `?` works everywhere.
        const inDialog = event.target instanceof Element && event.target.closest("dialog[open]");
        const typed = prefix ? `${prefix} ${event.key}` : event.key;
        for (const group of groups.toReversed()) {
            if (inDialog && group === everywhere && event.key !== "?") continue;
            const row = group.keys.find(([keys, , handler]) => handler && keys.split(", ").includes(typed));
            if (!row) continue;
            event.preventDefault();
            prefix = "";
            row[2](event);
            return;
        }
        clearTimeout(prefixTimer);
        prefix = !inDialog && typed === "g" ? "g" : "";
        if (prefix) prefixTimer = setTimeout(() => (prefix = ""), 2000);
    });
}

function focusSearch() {
    const box = document.querySelector("main input[type=search]");
    if (box) {
        box.focus();
        box.select();
    }
}

function showKeys() {
    if (document.querySelector("dialog.keys[open]")) return;
    const names = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "Space", Escape: "Esc" };
    const dialog = h("dialog", { class: "sheet keys", "aria-labelledby": "keys-title" },
        h("h2", { id: "keys-title", text: "Keys" }),
        h("div", { class: "keys-groups" }, groups.map((group) =>
            h("section", {}, h("h3", { text: group.title }),
                h("dl", {}, group.keys.map(([keys, what]) => h("div", {},
                    h("dt", {}, keys.split(", ").map((key) => h("kbd", { text: names[key] ?? key }))),
                    h("dd", { text: what }))))))),
        h("form", { method: "dialog", class: "sheet-buttons" },
            h("button", { class: "button button-strong", text: "Close" })));
    document.body.append(dialog);
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.showModal();
}
