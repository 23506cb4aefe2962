// The frame of the page: navigation, what is live, and what to do when the server is away.

import { fill, h, icon, setText } from "./dom.js";
import { byteText, percent } from "./format.js";
import * as keys from "./keys.js";
import * as live from "./live.js";
import * as router from "./router.js";

// The frame itself is in index.html: it is painted before any script has arrived.
const links = new Map([...document.querySelectorAll(".side nav a")].map((link) => [link.textContent, link]));
const status = document.querySelector(".live");
const main = document.querySelector("main");
const banner = document.querySelector(".banner");
let title = "runner";

document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
});

function arrived({ section, title: viewTitle, same }) {
    for (const [name, link] of links) {
        if (name === section) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
    title = viewTitle ? `${viewTitle} · runner` : "runner";
    showTitle();
    if (!same && document.activeElement !== document.body && !main.contains(document.activeElement)) main.focus({ preventScroll: true });
}

/** `12 % flags` in the tab while a run is at work. */
function showTitle() {
    const first = [...live.statuses.values()][0];
    const text = first ? `${runPercent(first)} % ${first.job} · ${title}` : title;
    if (document.title !== text) document.title = text;
}

function runPercent(status) {
    const { ended, total } = live.progressOf(status);
    return percent(ended, total);
}

function showLive() {
    const rows = [...live.statuses.values()];
    const words = { listing: "Listing", running: "Running", paused: "Paused", stopping: "Stopping", finished: "Finished" };
    if (live.reachable === false) {
        setText(status, "Not connected");
    } else if (rows.length === 0) {
        setText(status, live.reachable ? "Nothing is running" : "Connecting…");
    } else {
        // One line for each run, updated in place: names that do not change are not announced again.
        while (status.children.length > rows.length || (status.firstChild && !status.firstElementChild)) status.lastChild.remove();
        rows.forEach((row, index) => {
            const line = status.children[index] ?? status.appendChild(
                h("a", { class: "live-run" }, h("bdi", { class: "live-name" }), h("span", { class: "live-state" }),
                    h("span", { class: "meter", "aria-hidden": "true" }, h("span", { class: "meter-fill" }))));
            const [name, state, meter] = line.children;
            line.href = `/jobs/${encodeURIComponent(row.job)}`;
            line.dataset.state = row.state;
            setText(name, row.job);
            const rate = row.state === "running" ? ` · ${byteText(row.rates?.bytes_per_second ?? 0)}/s` : "";
            setText(state, `${words[row.state] ?? row.state} ${runPercent(row)} %${rate}`);
            meter.firstChild.style.setProperty("inline-size", `${runPercent(row)}%`);
        });
    }
    showTitle();
}

function showReachable(event) {
    const signIn = live.problem?.status === 401;
    banner.hidden = live.reachable !== false;
    if (live.reachable === false) {
        fill(banner, icon("warning"), h("p", {},
            h("strong", { text: signIn ? "This browser is not signed in. " : "The server of this page does not answer. " }),
            signIn ? "Open the link that runner web printed when it started."
                : "Runs go on without it. Start it with runner web; this page connects again by itself."));
    }
    showLive();
    if (event?.detail?.recovered) router.refresh();
}

/** No more often than four times a second: each makes the browser lay out the side again. */
let waiting = 0;
function showLiveSoon() {
    if (waiting) return;
    waiting = setTimeout(() => {
        waiting = 0;
        showLive();
    }, 250);
}

showLive();
keys.start();
live.changes.addEventListener("reachable", showReachable);
live.changes.addEventListener("status", showLiveSoon);
router.start(main, arrived);
live.start();
