// One picture of the grid, or the grey place where it will be.

import { thumbnailURL } from "./api.js";
import { h, icon, setText } from "./dom.js";
import { drawPreview } from "./thumbhash.js";
import { stateText } from "./job-lists.js";

/** A tile is used again for another item: making elements is what costs time while someone scrolls. */
export class Tile {
    constructor() {
        this.image = h("img", { alt: "", decoding: "async", draggable: "false" });
        this.preview = h("canvas", { class: "tile-preview", "aria-hidden": "true" });
        this.word = h("b");
        this.why = h("span", { class: "tile-why" });
        this.meter = h("span", { class: "tile-meter" });
        this.state = h("span", { class: "tile-state" }, this.word, this.why, this.meter);
        this.title = h("bdi", { class: "tile-title" });
        this.star = icon("star-full");
        this.link = h("a", { class: "tile-link", tabindex: "-1" }, this.preview, this.image, this.state, this.title, this.star);
        this.element = h("div", { class: "tile", role: "listitem" }, this.link);
        this.image.addEventListener("load", () => this.element.classList.add("is-loaded"));
        this.image.addEventListener("error", () => this.image.removeAttribute("src"));
        this.index = -1;
        this.id = null;
        this.source = null;
        this.place = "";
    }

    /** Puts the tile at its place: numbers of pixels. */
    move(left, top, width, height) {
        const place = `${left},${top},${width},${height}`;
        if (place === this.place) return;
        this.place = place;
        const { style } = this.element;
        style.setProperty("transform", `translate(${left}px, ${top}px)`);
        style.setProperty("width", `${width}px`);
        style.setProperty("height", `${height}px`);
        this.element.classList.toggle("is-small", width < 110 || height < 90);
    }

    /**
     * Shows an item: `found` is {columns, row}, or null while it is not loaded; `flight` is its progress, if it has any.
     * The picture itself comes with `load()`.
     */
    show(index, count, found, address, flight) {
        const id = found ? found.columns.id[found.row] : null;
        if (index !== this.index) {
            this.element.setAttribute("aria-posinset", index + 1);
            this.element.setAttribute("aria-setsize", count);
        }
        if (id !== this.id) this.clear();
        this.index = index;
        this.id = id;
        if (!found) return;
        const { columns, row } = found;
        const title = columns.title[row] || "Untitled";
        const state = columns.state[row];
        const share = flight?.expected ? Math.round((100 * (flight.received ?? 0)) / flight.expected) : null;
        const word = flight || !columns.thumbnail?.[row] || state !== "stored" ? stateText(state, flight?.phase, share) : "";
        this.link.href = address;
        if (this.element.getAttribute("aria-label") !== title) this.element.setAttribute("aria-label", title);
        const name = word ? `${title}, ${word}` : title;
        if (this.link.getAttribute("aria-label") !== name) this.link.setAttribute("aria-label", name);
        setText(this.title, title);
        this.element.dataset.state = state;
        this.element.classList.toggle("is-favourite", Boolean(columns.favourite?.[row]));
        this.source = thumbnailURL(id, columns.thumbnail?.[row]);
        const noPicture = state === "stored" && !this.source ? columns.media_type?.[row] ?? "" : "";
        setText(this.word, word || noPicture);
        setText(this.why, state === "failed" && !flight ? columns.detail?.[row] || columns.failure?.[row] || "" : "");
        this.state.hidden = !(word || noPicture) || (state === "stored" && Boolean(this.source) && !flight);
        this.meter.hidden = share === null;
        if (share !== null) this.meter.style.setProperty("inline-size", `${share}%`);
        const preview = columns.preview?.[row];
        if (preview && preview !== this.preview.dataset.hash) drawPreview(this.preview, preview);
        this.preview.hidden = !preview;
        if (!this.source && this.image.hasAttribute("src")) this.unload();
    }

    load() {
        if (!this.source || this.image.getAttribute("src") === this.source) return;
        this.element.classList.remove("is-loaded");
        this.image.src = this.source;
        // From the browser's cache: there is nothing to fade in.
        if (this.image.complete) this.element.classList.add("is-loaded", "is-instant");
    }

    unload() {
        this.image.removeAttribute("src");
        this.element.classList.remove("is-loaded", "is-instant");
    }

    clear() {
        this.unload();
        this.source = null;
        this.id = null;
        this.link.removeAttribute("href");
        this.link.removeAttribute("aria-label");
        this.element.setAttribute("aria-label", "Loading");
        setText(this.title, "");
        this.state.hidden = true;
        this.preview.hidden = true;
        delete this.preview.dataset.hash;
        delete this.element.dataset.state;
        this.element.classList.remove("is-favourite");
    }
}
