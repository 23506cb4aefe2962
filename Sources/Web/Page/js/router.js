// Addresses of the page and what they show. A view is a module that exports `show(place)`, which returns
// {title, element, update?(place), leave?()}; `update` is for a change of the query alone.

import * as missing from "./missing.js";
import * as parts from "./parts.js";

const routes = [
    [/^\/$/, () => import("./jobs.js"), "Jobs"],
    [/^\/jobs\/(?<job>[^/]+)$/, () => import("./job.js"), "Jobs"],
    [/^\/jobs\/(?<job>[^/]+)\/photos$/, () => import("./photos.js"), "Jobs"],
    [/^\/jobs\/(?<job>[^/]+)\/runs$/, () => import("./runs.js"), "Jobs"],
    [/^\/runs\/(?<run>\d+)$/, () => import("./run.js"), "Jobs"],
    [/^\/items\/(?<item>\d+)$/, () => import("./item.js"), "Jobs"],
    [/^\/map$/, () => import("./map.js"), "Map"],
    [/^\/places$/, () => import("./places.js"), "Places"],
    [/^\/recents$/, () => import("./recents.js"), "Recents"],
    [/^\/favourites$/, () => import("./favourites.js"), "Favourites"],
];

let main;
let current = null;
let arrivals = 0;
let onArrival = () => {};

/** `arrived({section, title})` is called after each change of view. */
export function start(element, arrived) {
    main = element;
    onArrival = arrived;
    addEventListener("popstate", () => show());
    document.addEventListener("click", followLink);
    return show();
}

/** Goes to an address of the page; `replace` leaves no step for Back. */
export function go(address, { replace = false, state = null } = {}) {
    history[replace ? "replaceState" : "pushState"](state, "", address);
    return show();
}

/** Changes parameters of the present address; `null` removes one. */
export function setQuery(parameters, options) {
    const url = new URL(location.href);
    for (const [name, value] of Object.entries(parameters)) {
        if (value === null || value === undefined || value === "") url.searchParams.delete(name);
        else url.searchParams.set(name, value);
    }
    return go(url.pathname + url.search + url.hash, options);
}

function followLink(event) {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest("a[href]");
    if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (/^\/(files|pictures|api|page)\//.test(link.pathname)) return;
    event.preventDefault();
    go(link.pathname + link.search + link.hash, { state: { isInside: true } });
}

function match(path) {
    for (const [pattern, load, section] of routes) {
        const found = pattern.exec(path);
        if (!found) continue;
        try {
            const parameters = Object.fromEntries(
                Object.entries(found.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)]));
            return { load, section, parameters };
        } catch {
            return null;  // A percent sign that begins no character.
        }
    }
    return null;
}

async function show() {
    const arrival = ++arrivals;
    const found = match(location.pathname) ?? { load: () => missing, section: null, parameters: {} };
    const place = { ...found.parameters, path: location.pathname, query: Object.fromEntries(new URLSearchParams(location.search)) };
    if (current && current.path === place.path && current.view.update) {
        current.view.update(place);
        onArrival({ section: found.section, title: current.view.title, same: true });
        return;
    }
    let view;
    try {
        const { show: make } = await parts.part(found.load);
        view = await make(place);
    } catch (error) {
        view = missing.problem(error);
    }
    if (arrival !== arrivals) {
        view.leave?.();
        return;
    }
    current?.view.leave?.();
    current = { path: place.path, view };
    main.replaceChildren(view.element);
    view.arrive?.();
    onArrival({ section: found.section, title: view.title, same: false });
}

/** Shows the present address anew, after the server was away. */
export function refresh() {
    if (parts.isIncomplete) {
        location.reload();
        return;
    }
    if (!current) return;
    if (current.view.refresh) {
        current.view.refresh();
    } else {
        current.view.leave?.();
        current = null;
        show();
    }
}
