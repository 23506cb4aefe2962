// Where every item of a list would be: blocks of known or estimated height, one below the other.

import { estimate, justify, NEUTRAL, ratioOf } from "./grid-layout.js";
import { BLOCK } from "./item-list.js";

const HEADING = 44;

export class GridBlocks {
    constructor(list) {
        this.list = list;
        this.blocks = [];
        this.count = 0;
        this.width = 0;
        this.mean = NEUTRAL;
        this.known = 0;
        /** Counts every change of a height. */
        this.version = 0;
    }

    get height() {
        const last = this.blocks.at(-1);
        return last ? last.top + last.height + this.side : 0;
    }

    setWidth(width) {
        const isPhone = width < 560;
        this.width = width;
        this.gap = isPhone ? 3 : 6;
        this.side = isPhone ? 3 : 16;
        this.target = isPhone ? 118 : width < 1000 ? 170 : width < 1900 ? 205 : 250;
        this.rebuild();
    }

    get inner() {
        return this.width - 2 * this.side;
    }

    /** Makes the blocks anew, after the count or the width changed. */
    rebuild() {
        this.count = this.list.count;
        this.blocks = [];
        const sections = this.list.sections?.length ? this.list.sections : [{ title: null, count: this.count }];
        let start = 0;
        for (const section of sections) {
            const end = Math.min(this.count, start + section.count);
            for (let at = start, first = true; at < end; at += BLOCK, first = false) {
                this.blocks.push({
                    number: this.blocks.length, start: at, count: Math.min(BLOCK, end - at), heading: first ? section.title : null,
                    head: first && section.title ? HEADING : 0, top: 0, height: 0, rows: null, ratios: null, isExact: false,
                });
            }
            start = end;
        }
        for (const block of this.blocks) block.height = block.head + estimate(block.count, this.mean, this.inner, this.target, this.gap);
        this.stack(0);
    }

    /** Puts the blocks below one another again, from the one numbered `from`. */
    stack(from) {
        this.version += 1;
        let top = from > 0 ? this.blocks[from - 1].top + this.blocks[from - 1].height : 0;
        for (let i = from; i < this.blocks.length; i++) {
            this.blocks[i].top = top;
            top += this.blocks[i].height;
        }
    }

    /** The number of the block at a pixel, clamped to what is there. */
    numberAt(pixel) {
        let low = 0, high = this.blocks.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.blocks[middle].top <= pixel) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    numberOf(index) {
        let low = 0, high = this.blocks.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.blocks[middle].start <= index) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    /** The first item of the row at a pixel. */
    indexAt(pixel) {
        if (this.count === 0) return 0;
        const block = this.blocks[this.numberAt(pixel)];
        this.layOut(block);
        const within = pixel - block.top - block.head;
        const row = block.rows.find(([, , top, height]) => top + height + this.gap > within) ?? block.rows.at(-1);
        return block.start + row[0];
    }

    rowOf(index) {
        const block = this.blocks[this.numberOf(index)];
        this.layOut(block);
        const at = block.rows.findIndex(([start, end]) => index - block.start >= start && index - block.start < end);
        return { block, at: Math.max(0, at) };
    }

    topOf(index) {
        if (this.count === 0) return 0;
        const { block, at } = this.rowOf(index);
        return block.top + (at === 0 && block.heading ? 0 : block.head + block.rows[at][2]);
    }

    rowHeightOf(index) {
        const { block, at } = this.rowOf(index);
        return block.rows[at][3] + (at === 0 ? block.head : 0);
    }

    /** The items of the row above (-1) or below (1) that of `index`, as [first, last], or null at the end. */
    neighbourRow(index, by) {
        const { block, at } = this.rowOf(index);
        let [target, row] = [block, at + by];
        if (row < 0 || row >= block.rows.length) {
            target = this.blocks[this.blocks.indexOf(block) + by];
            if (!target) return null;
            this.layOut(target);
            row = by < 0 ? target.rows.length - 1 : 0;
        }
        const [start, end] = target.rows[row];
        return [target.start + start, target.start + end - 1];
    }

    /** Lays a block out: by the sizes of its items where they are loaded, else by what they probably are. */
    layOut(block) {
        if (block.isExact || (block.rows && !this.isLoaded(block))) return;
        const ratios = new Array(block.count);
        const exact = this.isLoaded(block);
        let sum = 0;
        for (let i = 0; i < block.count; i++) {
            const found = exact ? this.list.at(block.start + i) : null;
            ratios[i] = found ? ratioOf(found.columns.width?.[found.row], found.columns.height?.[found.row]) : this.mean;
            sum += ratios[i];
        }
        const { rows, height } = justify(ratios, this.inner, this.target, this.gap);
        const before = block.height;
        Object.assign(block, { ratios, rows, isExact: exact, height: block.head + height });
        // Estimates learn once: blocks that shift while someone scrolls would be a jump of the scroll bar.
        if (exact && this.known === 0) {
            this.known = block.count;
            this.learn(sum / block.count);
        } else if (before !== block.height) {
            this.stack(block.number + 1);
        }
    }

    learn(mean) {
        this.mean = mean;
        for (const block of this.blocks) {
            if (!block.rows) block.height = block.head + estimate(block.count, mean, this.inner, this.target, this.gap);
        }
        this.stack(0);
    }

    isLoaded(block) {
        return this.list.at(block.start) !== null && this.list.at(block.start + block.count - 1) !== null;
    }

    /**
     * Lays out what is between two pixels. `anchor` is the pixel at the top of the view; returned is where it is now: at
     * the same picture where that was known, else at the same share of its block.
     */
    settle(from, to, anchor) {
        if (this.blocks.length === 0) return 0;
        const held = this.blocks[this.numberAt(anchor)];
        const wasExact = held.isExact;
        const within = anchor - held.top, share = within / Math.max(1, held.height);
        for (let number = this.numberAt(from); number < this.blocks.length && this.blocks[number].top < to; number++) {
            this.layOut(this.blocks[number]);
        }
        if (anchor === 0) return 0;
        return held.top + (wasExact ? within : share * held.height);
    }

    between(from, to) {
        const found = [];
        for (let number = this.numberAt(from); number < this.blocks.length && this.blocks[number].top < to; number++) {
            found.push(this.blocks[number]);
        }
        return found;
    }
}
