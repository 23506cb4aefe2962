// The grid: rows of pictures over a list of any length. Only what is in view, and a screen around it, is in the page.

import { h, setText } from "./dom.js";
import { GridBlocks } from "./grid-blocks.js";
import { addGridKeys } from "./grid-keys.js";
import { Tile } from "./grid-tile.js";
import { BLOCK } from "./item-list.js";
import { placesOf } from "./grid-layout.js";
import { inFlight } from "./live.js";
import { VirtualScroll } from "./virtual-scroll.js";

/** Pixels that tiles are from the base of their layer at most: beyond that numbers of a transform lose precision. */
const REBASE = 200_000;

export class Grid {
    /**
     * `list` is an ItemList or the like. `address(id)` is the link of an item, `jobOf(found)` the job that it is of,
     * `seen(ids)` is called with what is in view when the hand rests.
     */
    constructor({ list, address, jobOf, seen = () => {} }) {
        Object.assign(this, { list, address, jobOf, seen });
        this.tiles = new Map();
        this.pool = [];
        this.headings = new Map();
        this.base = 0;
        this.focused = 0;
        this.frame = 0;
        this.resting = 0;
        this.movedAt = 0;
        this.speed = 0;
        this.layer = h("div", { class: "grid-layer", role: "list", "aria-label": "Photos" });
        this.headLayer = h("div", { class: "grid-layer" });
        this.space = h("div", { class: "grid-space" }, this.headLayer, this.layer);
        this.element = h("div", { class: "grid", tabindex: "-1" }, this.space);
        this.blocks = new GridBlocks(list);
        this.scroll = new VirtualScroll(this.element, this.space, () => this.scrolled());
        this.observer = new ResizeObserver(() => this.resized());
        this.observer.observe(this.element);
        this.listeners = { count: () => this.counted(), block: (event) => this.arrived(event.detail), items: (event) => this.changed(event.detail) };
        for (const [name, handler] of Object.entries(this.listeners)) list.addEventListener(name, handler);
        this.forgetKeys = addGridKeys(this);
        this.layer.addEventListener("focusin", (event) => {
            const tile = [...this.tiles.values()].find(({ element }) => element.contains(event.target));
            if (tile) this.setFocused(tile.index);
        });
    }

    close() {
        cancelAnimationFrame(this.frame);
        clearTimeout(this.resting);
        this.observer.disconnect();
        this.forgetKeys();
        for (const [name, handler] of Object.entries(this.listeners)) this.list.removeEventListener(name, handler);
    }

    /** The first item in view, which is what a change of width keeps in view. */
    get firstIndex() {
        return this.blocks.indexAt(this.scroll.top);
    }

    resized() {
        const { clientWidth, clientHeight } = this.element;
        if (clientWidth === 0 || (clientWidth === this.width && clientHeight === this.viewHeight)) return;
        const first = this.width ? this.firstIndex : 0;
        const atTop = this.scroll.top < 4;
        if (clientWidth !== this.width) this.blocks.setWidth(clientWidth);
        this.width = clientWidth;
        this.viewHeight = clientHeight;
        this.scroll.resize(this.blocks.height, atTop ? 0 : this.blocks.topOf(first));
        this.render();
    }

    counted() {
        if (!this.width) return;
        const first = this.firstIndex;
        const within = this.scroll.top - this.blocks.topOf(first);
        this.blocks.rebuild();
        this.scroll.resize(this.blocks.height, this.blocks.topOf(first) + within);
        this.render();
    }

    arrived() {
        if (this.list.count !== this.blocks.count) this.counted();
        else this.renderSoon();
    }

    changed(indices) {
        for (const index of indices) {
            const tile = this.tiles.get(index);
            if (tile) this.showTile(tile, index);
        }
    }

    /** Shows again what is in flight. */
    refreshStates() {
        for (const [index, tile] of this.tiles) {
            if (tile.element.dataset.state === "pending") this.showTile(tile, index);
        }
    }

    scrolled() {
        const now = performance.now();
        this.speed = Math.abs(this.scroll.top - (this.lastTop ?? 0)) / Math.max(1, now - this.movedAt);
        this.lastTop = this.scroll.top;
        this.movedAt = now;
        this.renderSoon();
    }

    renderSoon() {
        if (this.frame) return;
        this.frame = requestAnimationFrame(() => {
            this.frame = 0;
            this.render();
        });
    }

    render() {
        if (!this.width || this.blocks.count === 0) {
            this.removeTiles(() => false);
            return;
        }
        const over = this.viewHeight;
        const { scroll, blocks } = this;
        // Blocks in and near the view are laid out by the sizes of their pictures; the pixel at the top of the view stays.
        const top = blocks.settle(scroll.top - over, scroll.top + this.viewHeight + over, scroll.top);
        if (blocks.version !== this.version) {
            this.version = blocks.version;
            scroll.resize(blocks.height, top);
            blocks.settle(scroll.top - over, scroll.top + this.viewHeight + over, scroll.top);
        }
        const from = scroll.top - over * 0.75, to = scroll.top + this.viewHeight + over * 0.75;
        this.moveLayer();
        this.wanted = new Set();
        const wantedHeads = new Set();
        for (const block of blocks.between(from, to)) {
            if (block.heading) {
                wantedHeads.add(block.start);
                this.showHeading(block);
            }
            for (const row of block.rows) {
                const top = block.top + block.head + row[2];
                if (top + row[3] < from || top > to) continue;
                const places = placesOf(block.ratios, row, this.width - 2 * blocks.side, blocks.gap);
                for (let i = row[0]; i < row[1]; i++) {
                    const [left, width] = places[i - row[0]];
                    this.putTile(block.start + i, left + blocks.side, top - this.base, width, row[3]);
                }
            }
        }
        const { activeElement } = document;
        this.removeTiles((tile) => this.wanted.has(tile.index) || tile.element.contains(activeElement));
        for (const [start, element] of this.headings) {
            if (wantedHeads.has(start)) continue;
            element.remove();
            this.headings.delete(start);
        }
        this.rest();
    }

    /** Positions are relative to a base that follows the view, so that they stay small at forty million pixels. */
    moveLayer() {
        const { top, offset } = this.scroll;
        if (Math.abs(top - this.base) > REBASE) this.base = Math.round(top);
        const shift = this.base + Math.round(offset);
        if (shift === this.shift) return;
        this.shift = shift;
        for (const layer of [this.layer, this.headLayer]) layer.style.setProperty("transform", `translateY(${shift}px)`);
    }

    putTile(index, left, top, width, height) {
        let tile = this.tiles.get(index);
        if (!tile) {
            tile = this.pool.pop() ?? new Tile();
            this.tiles.set(index, tile);
            this.showTile(tile, index);
            if (!tile.element.isConnected) this.layer.append(tile.element);
        } else if (tile.id === null || tile.id !== this.list.idAt(index)) {
            this.showTile(tile, index);
        }
        this.wanted.add(index);
        tile.move(left, top, width, height);
        // While someone races past, nothing is asked for.
        if (this.speed < 8) tile.load();
    }

    showTile(tile, index) {
        const found = this.list.at(index);
        const id = found?.columns.id[found.row];
        const job = found && this.jobOf(found);
        const flight = found && found.columns.state[found.row] !== "stored" ? inFlight(job, id) : undefined;
        tile.show(index, this.list.count, found, found && this.address(found, id), flight);
        tile.link.tabIndex = index === this.focused ? 0 : -1;
        if (tile.source && this.speed < 8) tile.load();
    }

    removeTiles(stays) {
        for (const [index, tile] of this.tiles) {
            if (stays(tile)) continue;
            this.tiles.delete(index);
            tile.element.remove();
            tile.clear();
            tile.index = -1;
            tile.place = "";
            if (this.pool.length < 200) this.pool.push(tile);
        }
    }

    showHeading(block) {
        let element = this.headings.get(block.start);
        if (!element) {
            element = h("h2", { class: "grid-heading" }, h("bdi"));
            this.headings.set(block.start, element);
            this.headLayer.append(element);
        }
        setText(element.firstChild, block.heading);
        element.style.setProperty("transform", `translate(${this.blocks.side}px, ${block.top - this.base}px)`);
    }

    /** When nothing moves: blocks near the view are loaded, others no longer, and what is seen is told. */
    rest() {
        const first = Math.floor(this.blocks.indexAt(this.scroll.top - this.viewHeight) / BLOCK);
        const last = Math.floor(this.blocks.indexAt(this.scroll.top + 2 * this.viewHeight) / BLOCK);
        if (this.speed < 8 || performance.now() - this.movedAt > 100) this.loadBlocks(first, last);
        clearTimeout(this.resting);
        this.resting = setTimeout(() => {
            this.speed = 0;
            this.loadBlocks(first, last);
            for (const tile of this.tiles.values()) tile.load();
            const ids = [];
            const bottom = this.scroll.top + this.viewHeight;
            for (let i = this.blocks.indexAt(this.scroll.top); i < this.list.count && ids.length < 500 && this.blocks.topOf(i) < bottom; i++) {
                const found = this.list.at(i);
                if (found) ids.push(found.columns.id[found.row]);
            }
            this.seen(ids);
        }, 150);
    }

    loadBlocks(first, last) {
        this.list.keepOnly?.(first - 1, last + 1);
        for (let number = first; number <= last; number++) this.list.load(number);
    }

    setFocused(index) {
        const before = this.tiles.get(this.focused);
        if (before) before.link.tabIndex = -1;
        this.focused = index;
        const tile = this.tiles.get(index);
        if (tile) tile.link.tabIndex = 0;
    }

    /** Brings an item into view, its block loaded, and gives it the focus. */
    async reveal(index, { focus = true, centre = false } = {}) {
        const wanted = Math.max(0, Math.min(this.list.count - 1, index));
        this.setFocused(wanted);
        this.bring(wanted, centre);
        await this.list.load(Math.floor(wanted / BLOCK));
        if (this.focused !== wanted) return;
        this.bring(wanted, centre);
        if (focus) this.tiles.get(wanted)?.link.focus({ preventScroll: true });
    }

    bring(index, centre) {
        this.blocks.settle(this.blocks.topOf(index) - this.viewHeight, this.blocks.topOf(index) + this.viewHeight, this.scroll.top);
        const top = this.blocks.topOf(index), height = this.blocks.rowHeightOf(index);
        let to = this.scroll.top;
        if (centre) to = top - (this.viewHeight - height) / 2;
        else if (top - 8 < to) to = top - 8;
        else if (top + height + 8 > to + this.viewHeight) to = top + height + 8 - this.viewHeight;
        this.scroll.resize(this.blocks.height, to);
        this.render();
    }
}
