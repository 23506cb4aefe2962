// One picture of the viewer: first its blurred preview or thumbnail, then the picture; grey with words where it is missing.

import { fileURL, pictureURL, thumbnailURL } from "./api.js";
import { fill, h } from "./dom.js";
import { stateText } from "./job-lists.js";
import * as live from "./live.js";
import { drawPreview } from "./thumbhash.js";

/** A spinner before that is a flicker. */
const SPINNER_AFTER = 2000;
/** What a browser shows by itself; others are shown by the pictures that were made of them. */
const SHOWN = /^image\/(jpeg|png|gif|webp|avif)$/;

/** Often the thumbnail's size is all that is known: the picture is as large as the screen then, until it says otherwise. */
function likelySize(width, height) {
    const longest = Math.max(width, height);
    const factor = longest >= 128 && longest <= 1024 ? 2400 / longest : 1;
    return [Math.round(width * factor), Math.round(height * factor)];
}

export class Slide {
    constructor() {
        this.width = 1200;
        this.height = 800;
        this.hasPicture = false;
        this.isCurrent = false;
        this.sized = () => {};
        this.preview = h("canvas", { hidden: true, "aria-hidden": "true" });
        this.thumbnail = h("img", { alt: "", hidden: true });
        this.image = h("img", { alt: "", hidden: true, decoding: "async" });
        this.picture = h("div", { class: "slide-picture", hidden: true }, this.preview, this.thumbnail, this.image);
        this.state = h("div", { class: "slide-state" });
        this.element = h("div", { class: "slide" }, this.picture, this.state);
        this.image.addEventListener("load", () => this.loaded());
        this.image.addEventListener("error", () => this.source && this.fail("This picture could not be loaded"));
    }

    /** What the list knows: enough to show something at once. */
    setRow(row, job) {
        if (this.row && this.row.id === row.id && this.row.state === row.state && this.row.thumbnail === row.thumbnail) return;
        const isNew = this.row?.id !== row.id;
        this.row = row;
        const thumbnail = thumbnailURL(row.id, row.thumbnail);
        const isShown = row.state === "stored" && SHOWN.test(row.media_type ?? "");
        this.hasPicture = row.state === "stored" && Boolean(thumbnail || isShown || this.original);
        this.image.alt = row.title || "Untitled";
        if (row.width && row.height && isNew) [this.width, this.height] = likelySize(row.width, row.height);
        this.preview.hidden = !row.preview;
        if (row.preview) drawPreview(this.preview, row.preview);
        this.thumbnail.hidden = !thumbnail;
        if (thumbnail) this.thumbnail.src = thumbnail;
        this.original = isShown ? fileURL(row.id, row.sha256) : this.original ?? null;
        this.picture.hidden = !this.hasPicture;
        if (this.hasPicture) fill(this.state);
        else this.showState(row, job);
        if (this.isCurrent) this.begin();
        this.sized();
    }

    /** What the server knows: pages and entries, the digest that makes the address a lasting one. */
    setItem(item) {
        if (!this.row) this.setRow({ ...item, thumbnail: item.pictures?.find(({ kind }) => kind === "thumbnail")?.sha256?.slice(0, 16) ?? null }, item.job);
        const page = item.pictures?.find(({ kind }) => kind === "page" || kind === "entry");
        if (!SHOWN.test(item.media_type ?? "") && page && item.state === "stored") this.setPicture({ url: pictureURL(item.id, page), width: page.width, height: page.height });
        else if (item.state === "stored" && !this.hasPicture) this.showKind(item);
    }

    /** Shows another picture of this item: a page of a PDF, an entry of a ZIP. */
    setPicture({ url, width, height }) {
        this.hasPicture = true;
        this.picture.hidden = false;
        fill(this.state);
        [this.width, this.height] = [width, height];
        this.original = url;
        this.source = null;
        this.begin();
        this.sized();
    }

    showState(row, job) {
        const flight = live.inFlight(job, row.id);
        const share = flight?.expected ? Math.round((100 * flight.received) / flight.expected) : null;
        const word = stateText(row.state, flight?.phase, share) || "No picture";
        fill(this.state, h("div", { class: "slide-grey" }, h("b", { text: word }), h("span", { text: row.state === "failed" ? row.detail || row.failure || "" : row.media_type && !word ? row.media_type : "" })));
    }

    showKind(item) {
        fill(this.state, h("div", { class: "slide-grey" }, h("b", { text: item.media_type ?? "File" }), h("span", { text: "There is no picture of this file; Open original saves it." })));
    }

    fail(text) {
        clearTimeout(this.spinning);
        if (!this.thumbnail.hidden && this.hasPicture) return;
        this.picture.hidden = true;
        fill(this.state, h("div", { class: "slide-grey" }, h("b", { text: "Error" }), h("span", { text })));
    }

    /** `by` is the distance from the slide that is seen; the next one is loaded too, farther ones show thumbnails. */
    setCurrent(isCurrent, by) {
        this.isCurrent = isCurrent || Math.abs(by) === 1;
        if (this.isCurrent) this.begin();
        else this.cancel();
    }

    begin() {
        if (!this.hasPicture || !this.original || this.source === this.original) return;
        this.source = this.original;
        this.image.hidden = false;
        this.image.src = this.source;
        clearTimeout(this.spinning);
        this.spinning = setTimeout(() => fill(this.state, h("span", { class: "spinner", role: "progressbar", "aria-label": "Loading" })), SPINNER_AFTER);
    }

    /** A picture that nobody looks at any more is not fetched to its end. */
    cancel() {
        clearTimeout(this.spinning);
        if (!this.source || this.image.complete) return;
        this.source = null;
        this.image.removeAttribute("src");
        this.image.hidden = true;
    }

    loaded() {
        clearTimeout(this.spinning);
        if (this.hasPicture) fill(this.state);
        const { naturalWidth, naturalHeight } = this.image;
        // The size of what came counts: a thumbnail's may have stood in for it.
        if (naturalWidth && (Math.abs(naturalWidth - this.width) > 1 || Math.abs(naturalHeight - this.height) > 1)) {
            [this.width, this.height] = [naturalWidth, naturalHeight];
            this.sized();
        }
    }

    /** A slide that is not the one being zoomed lies fitted in the middle. */
    layOut(width, height) {
        const { style } = this.picture;
        style.setProperty("width", `${this.width}px`);
        style.setProperty("height", `${this.height}px`);
        const scale = Math.min(1, width / this.width, height / this.height);
        style.setProperty("transition", "none");
        style.setProperty("transform", `translate(${(width - this.width * scale) / 2}px, ${(height - this.height * scale) / 2}px) scale(${scale})`);
    }

    dispose() {
        clearTimeout(this.spinning);
        this.source = null;
        this.image.removeAttribute("src");
        this.element.remove();
    }
}
