// The map: every place and photo with coordinates, and pins of one's own. What is seen of it is in the address.

import { get, jobPath, thumbnailURL, withQuery } from "./api.js";
import { button, fill, h, icon, iconButton, title } from "./dom.js";
import { FixedList } from "./fixed-list.js";
import { plural } from "./format.js";
import { gallery, listProblem } from "./gallery.js";
import { ItemList } from "./item-list.js";
import { addKeys } from "./keys.js";
import * as live from "./live.js";
import { drawBorders } from "./map-borders.js";
import { addMarkers } from "./map-markers.js";
import { Pins } from "./map-pins.js";
import { onLongPress } from "./map-press.js";
import { setQuery } from "./router.js";

const WORLD = { zoom: 2, lat: 25, lng: 10 };
const MOST_LISTED = 200;
let library = null;

function loadLibrary() {
    library ??= (async () => {
        for (const file of ["leaflet.css", "markercluster.css"]) document.head.append(h("link", { rel: "stylesheet", href: `/page/leaflet/${file}` }));
        document.head.append(h("link", { rel: "stylesheet", href: "/page/css/map.css" }));
        for (const file of ["leaflet.js", "markercluster.js"]) {
            await new Promise((resolve, reject) => document.head.append(h("script", { src: `/page/leaflet/${file}`, on: { load: resolve, error: reject } })));
        }
    })();
    return library;
}

/** `#zoom/latitude/longitude`, or null. */
function viewOf(hash) {
    const found = /^#(\d+(?:\.\d+)?)\/(-?\d+(?:\.\d+)?)\/(-?\d+(?:\.\d+)?)$/.exec(hash);
    if (!found) return null;
    const [zoom, lat, lng] = found.slice(1).map(Number);
    return lat >= -90 && lat <= 90 && lng >= -540 && lng <= 540 ? { zoom: Math.min(12, zoom), lat, lng } : null;
}

export async function show(place) {
    const [, data] = await Promise.all([loadLibrary(), get("/map"), live.loadJobs()]);
    const { L } = window;
    const canvas = h("div", { class: "map-canvas" });
    const region = h("section", { class: "map-region", role: "region", "aria-label": "Map" }, canvas);
    const panel = h("aside", { class: "map-panel", "aria-label": "Places on the map" });
    const element = h("div", { class: "view-full map-view" }, h("h1", { class: "hidden", text: "Map" }), region, panel);
    let photos = null;
    let shown = "";
    let cluster = null;
    let map, pins, markers, endBorders;

    /** Leaflet needs the size of an element that is in the page. */
    function arrive() {
        map = L.map(canvas, { minZoom: 2, maxZoom: 12, worldCopyJump: true, zoomControl: false, attributionControl: false, maxBounds: [[-86, -1000], [86, 1000]], maxBoundsViscosity: 0.8, tap: false });
        const view = viewOf(location.hash);
        const points = data.collections.filter((row) => row.latitude !== null).map((row) => [row.latitude, row.longitude]);
        if (view) map.setView([view.lat, view.lng], view.zoom);
        else if (points.length) map.fitBounds(points, { padding: [50, 50], maxZoom: 10 });
        else map.setView([WORLD.lat, WORLD.lng], WORLD.zoom);
        endBorders = drawBorders(map);
        pins = new Pins(map, (pin) => setQuery({ pin: pin.id, job: null, collection: null, item: null }, { state: { isInside: true } }));
        markers = addMarkers(map, data, {
            openPlace: (row) => setQuery({ job: row.job, collection: row.key, pin: null, item: null }, { state: { isInside: true } }),
            openPhotos: openCluster,
        });
        region.append(h("div", { class: "map-buttons" },
            button("Add pin", "pin", () => pins.add(map.getCenter().wrap()), { title: "Add a pin in the middle of the map; a long press or a right click adds one anywhere" }),
            h("div", { class: "map-zoom" }, iconButton("Zoom in", "plus", () => map.zoomIn()), iconButton("Zoom out", "minus", () => map.zoomOut()))));
        region.append(h("p", { class: "map-source", text: "Borders: Natural Earth" }));
        onLongPress(canvas, (at) => pins.add(map.mouseEventToLatLng(at).wrap()));
        map.on("contextmenu", (event) => pins.add(event.latlng.wrap()));
        map.on("moveend", () => {
            keepView();
            if (!shown) showList();
        });
        canvas.setAttribute("aria-label", "Map, arrow keys move it");
        canvas.setAttribute("role", "application");
        pins.load().catch(() => {}).then(() => showPanel(place.query));
    }

    function keepView() {
        const { lat, lng } = map.getCenter().wrap();
        const hash = `#${map.getZoom()}/${lat.toFixed(4)}/${lng.toFixed(4)}`;
        if (location.hash !== hash) history.replaceState(history.state, "", location.pathname + location.search + hash);
    }

    function closePhotos() {
        photos?.leave();
        photos = null;
    }

    function showPanel(query) {
        const key = query.pin ? `pin ${query.pin}` : query.collection ? `${query.job} ${query.collection}` : cluster ? "cluster" : "";
        if (key !== shown || key === "" || query.pin) {
            shown = key;
            closePhotos();
            if (query.pin) showPin(pins.rows.find(({ id }) => id === Number(query.pin)));
            else if (query.collection) showPlace(data.collections.find((row) => row.job === query.job && row.key === query.collection) ?? { job: query.job, key: query.collection, title: query.collection });
            else if (cluster) showCluster();
            else showList();
        }
        photos?.setItem(query.item ?? null);
    }

    const back = () => iconButton("Close", "cross", () => {
        cluster = null;
        if (history.state?.isInside) history.back();
        else setQuery({ pin: null, job: null, collection: null, item: null });
        if (shown === "cluster") showPanel({});
    });

    /** The same places as on the map, for those who do not see it or do not point. */
    function showList() {
        const bounds = map.getBounds();
        const rows = markers.located.filter((row) => bounds.contains([row.latitude, row.longitude]) || bounds.contains([row.latitude, row.longitude + 360]) || bounds.contains([row.latitude, row.longitude - 360]));
        const nothing = markers.located.length === 0 && data.items.id.length === 0;
        panel.classList.toggle("is-list", true);
        fill(panel,
            h("div", { class: "map-panel-head" }, h("h2", { text: nothing ? "No places yet" : plural(rows.length, "place here", "places here") })),
            nothing && h("p", { class: "soft small map-nothing", text: "Places come from jobs whose source knows coordinates, such as flickr. Long press the map to add a pin." }),
            h("ul", { class: "map-list" }, rows.slice(0, MOST_LISTED).map((row) => h("li", {}, h("a", { href: withQuery("/map", { job: row.job, collection: row.key }) + location.hash },
                h("span", { class: "map-list-cover" }, row.cover?.thumbnail ? h("img", { src: thumbnailURL(row.cover.id, row.cover.thumbnail), alt: "", loading: "lazy" }) : icon("photos")),
                h("span", { class: "map-list-text" }, title(row.title || row.key, { class: "clip" }), h("bdi", { class: "soft small clip", text: [row.subtitle, row.section].filter(Boolean).join(", ") })),
                h("span", { class: "soft small", text: (row.stored ?? 0).toLocaleString("en") }))))));
    }

    const noPhotos = (text) => h("p", { class: "soft small map-nothing", text });

    function showPhotos(list, head, jobOf, missing = null) {
        panel.classList.toggle("is-list", false);
        photos = gallery({ list, jobOf, nothing: () => missing ?? noPhotos("No photos here yet.") });
        const current = photos;
        fill(panel, h("div", { class: "map-panel-head" }, head, back()), current.element);
        current.ready.catch((error) => photos === current && error.name !== "AbortError" && current.element.replaceChildren(missing && error.status === 404 ? missing : listProblem(error)));
    }

    function showPlace(row) {
        if (row.latitude !== undefined && row.latitude !== null && !map.getBounds().contains([row.latitude, row.longitude])) map.setView([row.latitude, row.longitude], Math.max(5, map.getZoom()));
        showPhotos(new ItemList(`${jobPath(row.job)}/items`, { collection: row.key }),
            h("div", { class: "map-panel-title" }, h("h2", {}, h("a", { href: `${jobPath(row.job)}/photos?collection=${encodeURIComponent(row.key)}` }, title(row.title || row.key))),
                h("p", { class: "soft small", text: [row.subtitle, row.section].filter(Boolean).join(", ") })), () => row.job);
    }

    function showPin(pin) {
        if (!pin) {
            setQuery({ pin: null }, { replace: true });
            return;
        }
        showPhotos(new ItemList(`${jobPath(pin.job)}/items`, { collection: `pin:${pin.name}` }), pins.head(pin, () => setQuery({ pin: null })), () => pin.job,
            noPhotos("No photos around this pin yet: New Collection fetches some."));
    }

    function openCluster(rows, text) {
        cluster = { rows: rows.slice(0, 500), text };
        shown = "";
        setQuery({ pin: null, job: null, collection: null, item: null });
    }

    function showCluster() {
        const { rows, text } = cluster;
        const byJob = Map.groupBy(rows, ({ job }) => job);
        showPhotos(new FixedList(async () => {
            const parts = await Promise.all([...byJob].map(async ([job, own]) => {
                const columns = await get(withQuery(`${jobPath(job)}/items`, { ids: own.map(({ id }) => id).join(",") }));
                return { ...columns, job: columns.id.map(() => job) };
            }));
            return parts.reduce((all, part) => Object.fromEntries(Object.keys(all).filter((name) => Array.isArray(all[name])).map((name) => [name, all[name].concat(part[name])])));
        }), h("div", { class: "map-panel-title" }, h("h2", { text })), (found) => found.columns.job[found.row]);
    }

    const forget = addKeys("Map", [
        ["n", "add pin in the middle", () => pins?.add(map.getCenter().wrap())], ["+, =", "zoom in", () => map?.zoomIn()], ["-", "zoom out", () => map?.zoomOut()],
    ]);
    return {
        title: "Map",
        element,
        arrive,
        update({ query }) {
            const view = viewOf(location.hash);
            const { lat, lng } = map.getCenter().wrap();
            if (view && (view.zoom !== map.getZoom() || Math.abs(view.lat - lat) > 0.001 || Math.abs(view.lng - lng) > 0.001)) map.setView([view.lat, view.lng], view.zoom);
            if (query.pin || query.collection) cluster = null;
            showPanel(query);
        },
        leave() {
            forget();
            closePhotos();
            endBorders?.();
            map?.remove();
        },
    };
}
