// Pins that someone drops: kept in the catalog for a job that lists photos around them.

import { get, post, remove } from "./api.js";
import { button, fill, h, icon, title } from "./dom.js";
import * as live from "./live.js";
import { ask, askText, attempt, say } from "./messages.js";
import { runJob } from "./run-controls.js";

/** Kilometres around a new pin. */
const RADIUS = 5;

export class Pins {
    /** `opened(pin)` is called when one is clicked. */
    constructor(map, opened) {
        this.map = map;
        this.opened = opened;
        this.layer = window.L.layerGroup().addTo(map);
        this.markers = new Map();
        this.rows = [];
    }

    async load() {
        this.rows = (await get("/pins")).pins;
        this.show();
    }

    show() {
        this.layer.clearLayers();
        this.markers.clear();
        for (const pin of this.rows) this.addMarker(pin);
    }

    addMarker(pin) {
        const { L } = window;
        const picture = h("span", { class: "map-pin" }, icon("pin"));
        const marker = L.marker([pin.latitude, pin.longitude], {
            draggable: true, autoPan: true, zIndexOffset: 1000,
            icon: L.divIcon({ className: "map-pin-place", html: picture, iconSize: [36, 36], iconAnchor: [18, 34] }),
        });
        marker.on("add", () => name(marker, `Pin ${pin.name}`));
        marker.on("click", () => this.opened(pin));
        marker.on("dragend", () => {
            const { lat, lng } = marker.getLatLng().wrap();
            this.move(pin, lat, lng);
        });
        marker.addTo(this.layer);
        this.markers.set(pin.id, marker);
    }

    /** Asks for a name, and which job when there are several that take pins. */
    async add({ lat, lng }) {
        const takers = [...live.jobs.values()].filter((job) => job.pins).map((job) => job.name);
        if (takers.length === 0) {
            say("No job takes pins: write `pins: catalog` into the source of a flickr job", { kind: "error", seconds: 9 });
            return;
        }
        const answer = await askPin(takers, `Pin ${this.rows.length + 1}`);
        if (!answer) return;
        const before = new Set(this.rows.map(({ id }) => id));
        await attempt(async () => {
            await post("/pins", { job: answer.job, name: answer.name, latitude: lat, longitude: lng, radius: RADIUS });
            await this.load();
            const pin = this.rows.find(({ id }) => !before.has(id));
            if (pin) this.opened(pin);
        });
    }

    move(pin, latitude, longitude) {
        const before = { latitude: pin.latitude, longitude: pin.longitude };
        return attempt(async () => {
            await post(`/pins/${pin.id}`, { latitude, longitude });
            Object.assign(pin, { latitude, longitude });
            this.markers.get(pin.id)?.setLatLng([latitude, longitude]);
            say(`Moved ${pin.name}`, { action: ["Undo", () => this.move(pin, before.latitude, before.longitude)] });
            this.opened(pin);
        }).then(() => this.markers.get(pin.id)?.setLatLng([pin.latitude, pin.longitude]));
    }

    async rename(pin) {
        const name = await askText({ title: "Rename pin", label: "Name", value: pin.name, confirm: "Rename" });
        if (!name || name === pin.name) return;
        await attempt(async () => {
            await post(`/pins/${pin.id}`, { name });
            pin.name = name;
            this.show();
            this.opened(pin);
        });
    }

    async remove(pin, done) {
        if (!await ask({ title: `Remove ${pin.name}?`, text: "The pin goes. Photos that were found around it stay until their job is reset.", confirm: "Remove" })) return;
        await attempt(async () => {
            await remove(`/pins/${pin.id}`);
            await this.load();
            done();
        });
    }

    /** What can be done with a pin, as the head of the list beside the map. */
    head(pin, done) {
        const element = h("div", { class: "map-pin-head" });
        fill(element,
            h("h2", {}, icon("pin"), title(pin.name)),
            h("p", { class: "soft small", text: `${pin.latitude.toFixed(4)}, ${pin.longitude.toFixed(4)} · ${pin.radius ?? RADIUS} km around · ${pin.job}` }),
            h("div", { class: "buttons" },
                button("New Collection", "photos", () => runJob(pin.job, { pin: pin.id }), { class: "button button-strong", title: "Fetch photos around this pin; those of before go" }),
                button("Rename", "edit", () => this.rename(pin)),
                button("Move here", "map", () => {
                    const { lat, lng } = this.map.getCenter().wrap();
                    this.move(pin, lat, lng);
                }, { title: "Move the pin to the middle of the map; dragging it does the same" }),
                button("Remove", "trash", () => this.remove(pin, done))));
        return element;
    }
}

/** A marker, once it has an element, is a button with a name that keys press too. */
export function name(marker, text) {
    const element = marker.getElement?.();
    if (!element) return;
    element.setAttribute("role", "button");
    element.setAttribute("aria-label", text);
    element.title = text;
    if (element.dataset.hasKeys) return;
    element.dataset.hasKeys = "1";
    element.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        marker.fire("click", { latlng: marker.getLatLng() }, true);
    });
}

function askPin(jobs, suggestion) {
    return new Promise((resolve) => {
        const input = h("input", { type: "text", id: "pin-name", value: suggestion, maxlength: 100, autocomplete: "off" });
        const choice = h("select", { id: "pin-job" }, jobs.map((job) => h("option", { value: job, text: job })));
        const dialog = h("dialog", { class: "sheet", "aria-labelledby": "pin-title" },
            h("h2", { id: "pin-title", text: "Add pin" }),
            h("form", { on: { submit: (event) => { event.preventDefault(); if (input.value.trim()) dialog.close("yes"); } } },
                h("label", { for: "pin-name", text: "Name" }), input,
                jobs.length > 1 && [h("label", { for: "pin-job", text: "Job" }), choice],
                h("div", { class: "sheet-buttons" }, button("Cancel", null, () => dialog.close("")),
                    h("button", { type: "submit", class: "button button-strong", text: "Add" }))));
        dialog.addEventListener("close", () => {
            dialog.remove();
            resolve(dialog.returnValue === "yes" ? { name: input.value.trim(), job: choice.value || jobs[0] } : null);
        });
        document.body.append(dialog);
        dialog.showModal();
        input.select();
    });
}
