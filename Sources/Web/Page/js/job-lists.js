// The lists of the live view: collections, what is in flight, and hosts with the reason why they wait.

import { jobPath, post } from "./api.js";
import { h, icon, iconButton, setText, title } from "./dom.js";
import { byteText, countText, hostText, percent, plural } from "./format.js";
import { attempt, say } from "./messages.js";

const stateWords = { queued: "Queueing…", listing: "Listing…", running: "Downloading…", downloading: "Downloading…", paused: "Paused", finished: "Finished", stopped: "Stopped" };
const phaseWords = {
    queued: "Queueing…", downloading: "Downloading", unzipping: "Unzipping…", rendering: "Rendering…", storing: "Storing…", waiting: "Waiting for the server",
};

/** The collections of a job; only the first rows are made, as there may be thousands. */
const MOST_ROWS = 300;

export function collectionList(name, rows) {
    const list = h("ul", { class: "collections", tabindex: "0", role: "list", "aria-label": "Collections" });
    const count = h("span", { class: "soft small" });
    const element = h("section", { class: "card" }, h("h2", { class: "card-head" }, "Collections", count), list);
    const lines = new Map();

    function replace(newRows) {
        lines.clear();
        list.replaceChildren();
        for (const row of newRows.slice(0, MOST_ROWS)) addLine(row);
        setText(count, countText(newRows.length));
        if (newRows.length > MOST_ROWS) list.append(h("li", { class: "collection-row soft small", text: `and ${plural(newRows.length - MOST_ROWS, "more collection")}: see Photos` }));
        element.hidden = newRows.length === 0;
    }

    function addLine(row) {
        const say_ = h("span"), failed = h("span", { class: "failed-count" }), bar = h("span", { class: "meter-fill" });
        const meter = h("div", { class: "meter", role: "progressbar", "aria-label": row.title || row.key, "aria-valuemin": "0" }, bar);
        const address = `${jobPath(name)}/photos?collection=${encodeURIComponent(row.key)}`;
        const line = h("li", { class: "collection-row" },
            h("div", { class: "collection-name" }, h("a", { class: "clip", href: address }, title(row.title || row.key)),
                row.subtitle && h("bdi", { class: "soft small clip", text: row.subtitle })),
            h("div", { class: "collection-side" }, failed, say_, iconButton("Reload", "reload", () => reload(row), { "aria-description": row.title })),
            meter);
        lines.set(row.key, { line, say: say_, failed, meter, bar });
        list.append(line);
        showLine(row.key, { ...row, done: (row.stored ?? 0) + (row.failed ?? 0) });
    }

    function showLine(key, row) {
        const parts = lines.get(key);
        if (!parts) return;
        const finished = row.state === "finished";
        const expected = row.expected ?? row.listed ?? row.done;
        const word = row.state ? `${stateWords[row.state] ?? row.state} ` : "";
        setText(parts.say, `${word}${countText(row.done)} of ${countText(expected)}`);
        setText(parts.failed, row.failed ? `${countText(row.failed)} failed` : "");
        parts.meter.dataset.state = finished || !row.state ? "finished" : row.state;
        parts.meter.setAttribute("aria-valuemax", expected);
        parts.meter.setAttribute("aria-valuenow", row.done);
        parts.bar.style.setProperty("inline-size", `${expected ? (100 * row.done) / expected : 0}%`);
    }

    function reload(row) {
        return attempt(async () => {
            await post(`${jobPath(name)}/run`, { collections: [row.key] });
            say(`Reloading ${row.title || row.key}`);
        });
    }

    function update(status) {
        for (const row of status?.collections ?? []) {
            if (!lines.has(row.key) && lines.size < MOST_ROWS) addLine({ ...row, stored: row.done - (row.failed ?? 0) });
            // A run that is paused has all of its collections wait.
            const waits = status.state === "paused" && (row.state === "queued" || row.state === "downloading");
            showLine(row.key, waits ? { ...row, state: "paused" } : row);
        }
        if (status?.collections?.length) {
            setText(count, countText(status.collections.length));
            element.hidden = false;
        }
    }
    replace(rows);
    return { element, update, replace };
}

/** Items in flight with percent, speed and host. Rows are reused, so that nothing blinks. */
export function flightList() {
    const list = h("ul", { class: "flight", tabindex: "0", role: "list", "aria-label": "In flight" });
    const count = h("span", { class: "soft small" });
    const element = h("section", { class: "card" }, h("h2", { class: "card-head" }, "In flight", count), list);

    function update(status) {
        const rows = status?.in_flight ?? [];
        element.hidden = !status;
        setText(count, countText(rows.length));
        while (list.children.length > rows.length) list.lastChild.remove();
        rows.forEach((row, index) => {
            const line = list.children[index] ?? list.appendChild(h("li", {},
                h("bdi", { class: "clip" }), h("span", { class: "soft" }),
                h("span", { class: "meter", "aria-hidden": "true" }, h("span", { class: "meter-fill" }))));
            const share = percent(row.received ?? 0, row.expected);
            const phase = row.phase ?? "downloading";
            const parts = [phase === "downloading" ? (row.expected ? `${share} %` : byteText(row.received ?? 0)) : phaseWords[phase] ?? phase];
            if (phase === "downloading" && row.bytes_per_second) parts.push(`${byteText(row.bytes_per_second)}/s`);
            if (row.attempt > 1) parts.push(`attempt ${row.attempt}`);
            if (row.host) parts.push(hostText(row.host));
            setText(line.children[0], row.title || row.key);
            setText(line.children[1], parts.join(" · "));
            line.querySelector(".meter-fill").style.setProperty("inline-size", `${phase === "waiting" ? 0 : phase === "downloading" ? share : 100}%`);
        });
    }
    return { element, update };
}

/** "images.example.org: paused 12 s, as it asked". */
function whyWaiting(host, at) {
    const seconds = host.paused_until ? Math.ceil((host.paused_until - at) / 1e6) : 0;
    if (seconds <= 0) return host.reason && !host.in_flight ? host.reason : null;
    const reason = { "retry-after": "as it asked", failures: "after several failures" }[host.reason] ?? host.reason;
    return `paused ${seconds} s${reason ? `, ${reason}` : ""}`;
}

export function hostList() {
    const list = h("ul", { class: "hosts", role: "list", "aria-label": "Hosts" });
    const element = h("section", { class: "card" }, h("h2", { class: "card-head", text: "Hosts" }), list);
    let last = null;
    let timer = 0;

    function update(status) {
        last = status;
        element.hidden = !status?.hosts?.length;
        clearTimeout(timer);
        if (element.hidden) return;
        const at = status.at ?? Date.now() * 1000;
        const hosts = status.hosts.slice(0, 50);
        while (list.children.length > hosts.length) list.lastChild.remove();
        hosts.forEach((host, index) => {
            const why = whyWaiting(host, at);
            const line = list.children[index] ?? list.appendChild(h("li", {}, icon("check"), h("bdi", { class: "clip" }), h("span", { class: "number" }), h("span", { class: "host-why" })));
            const waiting = why ? "1" : "0";
            if (line.dataset.waiting !== waiting) {
                line.dataset.waiting = waiting;
                line.firstChild.replaceWith(icon(why ? "clock" : "check"));
            }
            setText(line.children[1], hostText(host.origin));
            setText(line.children[2], `${host.in_flight}${host.allowance ? ` of ${host.allowance}` : ""} in flight`);
            setText(line.children[3], why ?? "");
        });
        // The seconds go on where nothing else changes.
        if (status.hosts.some((host) => host.paused_until > at)) timer = setTimeout(() => element.isConnected && last === status && update({ ...status, at: at + 1e6 }), 1000);
    }
    return { element, update };
}

/** What the grey place of an item says before its picture is there. */
export function stateText(state, phase, share) {
    if (phase === "downloading" || phase === "waiting") return share ? `Downloading ${share} %` : "Downloading…";
    if (phase) return phaseWords[phase] ?? phase;
    return { pending: "Queueing…", failed: "Error", removed: "Removed", gone: "Delisted" }[state] ?? "";
}
