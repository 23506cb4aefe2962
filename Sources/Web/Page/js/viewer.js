// The viewer: one picture as large as the window, its neighbours ready, all that is known of it beside.
//
// Own code instead of PhotoSwipe: pan, zoom and swipe are 250 lines (zoom.js, with PhotoSwipe's numbers), a library would
// be five times that, is in no Debian package, and its markup would have to be fought for names, focus and the strict CSP.

import { get } from "./api.js";
import { button, h, icon, iconButton, isUnavailable, reducedMotion, setReason, setText } from "./dom.js";
import { rowAt } from "./item-list.js";
import { addViewerKeys } from "./viewer-keys.js";
import { markViewed, removeItem, toggleFavourite } from "./marks.js";
import { say } from "./messages.js";
import { Slide } from "./slide.js";
import { pagesOf, showDetails } from "./viewer-details.js";
import { Zoom } from "./zoom.js";

const DURATION = 333;
/** Between two pictures, as a share of the width. */
const SPACING = 1.1;

export class Viewer {
    /** `moved(id)` and `closed(index)` tell the gallery; `jobOf(found)` the job of an item. */
    constructor({ list, jobOf, moved, closed }) {
        Object.assign(this, { list, jobOf, moved, closed });
        this.slides = new Map();
        this.pageOf = 0;
        this.before = document.activeElement;
        this.heading = h("h2", {}, h("bdi"));
        this.subtitle = h("p", { class: "soft small" });
        this.star = iconButton("Favourite", "star", () => this.favourite(), { "aria-pressed": "false" });
        this.info = iconButton("Image details", "info", () => this.toggleDetails(), { "aria-pressed": "false" });
        this.original = h("a", { class: "button", target: "_blank", rel: "noopener noreferrer", title: "Open original" }, icon("open"), h("span", { class: "button-label", text: "Open original" }));
        this.removing = button("Remove", "trash", () => this.remove(), { title: "Remove: the file goes, no run fetches it again" });
        this.previous = this.arrow("Previous", "previous", -1);
        this.next = this.arrow("Next", "next", 1);
        this.strip = h("div", { class: "viewer-strip" });
        this.stage = h("div", { class: "viewer-stage", tabindex: "-1", autofocus: true }, this.strip, this.previous, this.next);
        this.details = h("aside", { class: "viewer-details", "aria-label": "Details", hidden: !Viewer.showsDetails });
        this.pages = h("div", { class: "viewer-pages" });
        this.dialog = h("dialog", { class: "viewer" },
            h("div", { class: "viewer-bar" }, h("div", { class: "viewer-title" }, this.heading, this.subtitle),
                this.star, this.info, this.original, this.removing, iconButton("Close", "cross", () => this.close())),
            this.stage, this.pages, this.details);
        this.dialog.addEventListener("cancel", (event) => { event.preventDefault(); this.close(); });
        this.zoom = new Zoom(this.stage, {
            swiped: (by) => this.step(by), dragged: (x) => this.shift(x), released: () => this.shift(0, true),
            pulled: (share, y) => this.pull(share, y), closed: () => this.close(),
        });
        this.keys = addViewerKeys(this);
        this.observer = new ResizeObserver(() => this.refit());
        this.onItems = () => this.refreshItem();
        list.addEventListener("items", this.onItems);
        this.info.setAttribute("aria-pressed", String(Viewer.showsDetails));
        document.body.append(this.dialog);
        this.dialog.showModal();
        this.observer.observe(this.stage);
    }

    arrow(label, iconName, by) {
        return h("button", {
            type: "button", class: `viewer-arrow viewer-${iconName}`, "aria-label": label, on: { click: (event) => isUnavailable(event.currentTarget) || this.step(by) },
        }, icon(iconName));
    }

    isOn(id) {
        return this.id === Number(id);
    }

    /** Shows an item; `index` is null where the list does not have it. */
    async show(id, index) {
        if (this.id === id) return;
        this.id = id;
        this.index = index ?? null;
        this.item = null;
        this.pageOf = 0;
        if (this.index !== null && !this.list.at(this.index)) await this.load(this.index);
        if (this.id !== id) return;
        const found = this.index !== null ? this.list.at(this.index) : null;
        this.arrange();
        this.showHead(found ? rowAt(found) : { title: "", state: "stored" });
        markViewed(id);
        clearTimeout(this.asking);
        // Someone who holds an arrow key down passes by; the rest is asked for where they stop.
        this.asking = setTimeout(() => this.askDetails(id), this.stepped ? 120 : 0);
    }

    load(index) {
        return this.list.load(Math.floor(index / 250));
    }

    async askDetails(id) {
        try {
            const item = await get(`/items/${id}`);
            if (this.id !== id || !this.dialog.open) return;
            this.item = item;
            this.showHead(item);
            this.currentSlide?.setItem(item);
            this.showPages();
            if (!this.details.hidden) showDetails(this.details, item);
        } catch (error) {
            if (this.id === id) this.currentSlide?.fail(error.message);
        }
    }

    showHead(item) {
        const name = item.title || "Untitled";
        this.dialog.setAttribute("aria-label", name);
        setText(this.heading.firstChild, name);
        const place = item.collection?.title ?? "";
        const where = this.index === null ? "" : `${(this.index + 1).toLocaleString("en")} of ${this.list.count.toLocaleString("en")}`;
        setText(this.subtitle, [where, place].filter(Boolean).join(" · "));
        const isFavourite = Boolean(item.favourite);
        this.star.setAttribute("aria-pressed", String(isFavourite));
        this.star.classList.toggle("is-favourite", isFavourite);
        this.star.replaceChildren(icon(isFavourite ? "star-full" : "star"));
        const isThere = item.state === "stored";
        if (isThere) this.original.href = `/files/${this.id}${item.sha256 ? `?v=${item.sha256}` : ""}`;
        else this.original.removeAttribute("href");
        this.original.toggleAttribute("hidden", !isThere);
        setReason(this.removing, item.state === "removed" ? "It is removed already" : null, "The file goes, and no run fetches it again");
        setReason(this.previous, this.canStep(-1) ? null : "This is the first");
        setReason(this.next, this.canStep(1) ? null : "This is the last");
    }

    get currentSlide() {
        return this.index === null ? this.slides.get("alone") : this.slides.get(this.index);
    }

    /** The slide that is seen, one before and two after it; others go. */
    arrange() {
        const wanted = this.index === null ? ["alone"] : [0, 1, -1, 2].map((by) => this.index + by).filter((index) => index >= 0 && index < this.list.count);
        for (const [key, slide] of this.slides) {
            if (wanted.includes(key)) continue;
            slide.dispose();
            this.slides.delete(key);
        }
        for (const key of wanted) {
            if (!this.slides.has(key)) this.makeSlide(key);
            const slide = this.slides.get(key);
            const by = key === "alone" ? 0 : key - this.index;
            slide.element.style.setProperty("transform", `translateX(${by * SPACING * 100}%)`);
            slide.element.toggleAttribute("inert", by !== 0);
            slide.setCurrent(by === 0, by);
        }
        this.strip.style.setProperty("transition", "none");
        this.strip.style.setProperty("transform", "none");
        this.refit();
    }

    makeSlide(key) {
        const slide = new Slide();
        slide.sized = () => slide === this.currentSlide && this.refit();
        this.slides.set(key, slide);
        this.strip.append(slide.element);
        if (key === "alone") return;
        const show = () => {
            const found = this.list.at(key);
            if (found && this.slides.get(key) === slide) slide.setRow(rowAt(found), this.jobOf(found));
        };
        if (this.list.at(key)) show();
        else this.load(key).then(show);
    }

    refit() {
        const slide = this.currentSlide;
        if (!slide) return;
        for (const other of this.slides.values()) other.layOut(this.stage.clientWidth, this.stage.clientHeight);
        this.zoom.set(slide.hasPicture ? slide.picture : null, slide.width, slide.height);
    }

    canStep(by) {
        return this.index !== null && this.index + by >= 0 && this.index + by < this.list.count;
    }

    step(by) {
        if (!this.canStep(by)) {
            this.shift(0, true);
            return;
        }
        const index = this.index + by;
        const go = async () => {
            if (!this.list.at(index)) await this.load(index);
            const id = this.list.idAt(index);
            if (id === undefined) return;
            this.stepped = true;
            this.show(id, index);
            this.moved(id);
        };
        clearTimeout(this.stepping);
        if (reducedMotion() || !this.isDragged) {
            go();
            return;
        }
        this.isDragged = false;
        this.shift(-by * SPACING * this.stage.clientWidth, true);
        this.stepping = setTimeout(go, DURATION);
    }

    /** Moves the strip of slides sideways. */
    shift(x, animated = false) {
        this.isDragged = x !== 0;
        const resisted = !animated && ((x > 0 && !this.canStep(-1)) || (x < 0 && !this.canStep(1))) ? x * 0.35 : x;
        this.strip.style.setProperty("transition", animated && !reducedMotion() ? `transform ${DURATION}ms cubic-bezier(.4,0,.22,1)` : "none");
        this.strip.style.setProperty("transform", `translate(${resisted}px, 0)`);
        this.dialog.style.removeProperty("background-color");
    }

    pull(share, y) {
        this.strip.style.setProperty("transition", "none");
        this.strip.style.setProperty("transform", `translate(0, ${y}px)`);
        this.dialog.style.setProperty("background-color", `rgb(11 12 14 / ${Math.max(20, 100 - 80 * Math.abs(share))}%)`);
    }

    async favourite() {
        const isOn = this.star.getAttribute("aria-pressed") === "true";
        if (this.index !== null) await toggleFavourite(this.list, this.index);
        else if (this.item) await toggleFavourite({ at: () => ({ columns: { id: [this.id], favourite: [isOn ? 1 : 0] }, row: 0 }), patch: ([row]) => Object.assign(this.item, row) }, 0);
        if (this.item) this.item.favourite = !isOn;
        this.refreshItem();
    }

    refreshItem() {
        const found = this.index === null ? null : this.list.at(this.index);
        if (!found) {
            if (this.item) this.showHead(this.item);
            return;
        }
        const row = rowAt(found);
        const changed = this.item && row.state !== this.item.state;
        if (this.item) Object.assign(this.item, { favourite: row.favourite, state: row.state });
        this.showHead(this.item ?? row);
        this.currentSlide?.setRow(row, this.jobOf(found));
        if (changed) this.askDetails(this.id);
        this.refit();
    }

    async remove() {
        if (isUnavailable(this.removing)) {
            say(this.removing.title);
            return;
        }
        const name = this.heading.textContent;
        if (await removeItem(this.list, this.id, name) && this.canStep(1)) this.step(1);
    }

    toggleDetails() {
        Viewer.showsDetails = this.details.hidden;
        this.details.hidden = !this.details.hidden;
        this.info.setAttribute("aria-pressed", String(!this.details.hidden));
        if (!this.details.hidden && this.item) showDetails(this.details, this.item);
    }

    /** Pages of a PDF and pictures of a ZIP, as a row of thumbnails below. */
    showPages() {
        const pages = pagesOf(this.item);
        this.pages.replaceChildren();
        if (pages.length < 2) return;
        this.pages.append(...pages.map(({ label, url, show }, number) => h("button", {
            type: "button", "aria-pressed": String(number === 0), "aria-label": label, on: { click: () => this.showPage(number) },
        }, h("img", { src: url, alt: "", loading: "lazy" }), h("span", { text: show }))));
    }

    showPage(number) {
        const pages = pagesOf(this.item);
        if (number < 0 || number >= pages.length) return;
        this.pageOf = number;
        [...this.pages.children].forEach((child, index) => child.setAttribute("aria-pressed", String(index === number)));
        this.pages.children[number].scrollIntoView({ block: "nearest", inline: "nearest" });
        this.currentSlide?.setPicture(pages[number]);
        this.refit();
    }

    close() {
        const { index } = this;
        this.dispose();
        if (this.before?.isConnected) this.before.focus({ preventScroll: true });
        this.closed(index);
    }

    dispose() {
        if (!this.dialog.isConnected) return;
        clearTimeout(this.asking);
        clearTimeout(this.stepping);
        this.keys();
        this.observer.disconnect();
        this.list.removeEventListener("items", this.onItems);
        for (const slide of this.slides.values()) slide.dispose();
        const messages = this.dialog.querySelector(".messages");
        if (messages) document.body.append(messages);
        this.dialog.close();
        this.dialog.remove();
    }
}

/** Whether details stand beside the picture; kept while someone goes from picture to picture. */
Viewer.showsDetails = false;
