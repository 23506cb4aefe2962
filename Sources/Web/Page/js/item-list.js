// A list of items of any length: blocks of columns, loaded when they are near the view.

import { get, withQuery } from "./api.js";

export const BLOCK = 250;
/** Blocks that are kept; the farthest from the last asked for go first. */
const MOST_BLOCKS = 48;

/** Events: `count` (the total is known), `block` (detail: its number), `items` (detail: indices that changed), `waiting`, `problem`. */
export class ItemList extends EventTarget {
    /** `path` is that of the API, `filter` its parameters. */
    constructor(path, filter = {}) {
        super();
        this.path = path;
        this.filter = filter;
        this.total = null;
        this.sections = null;
        this.after = [null];
        this.blocks = new Map();
        this.loading = new Map();
        this.nexts = new Map();
        this.isOpen = false;
        this.indexOfID = new Map();
        this.closing = new AbortController();
    }

    /** Loads the first block, and in parallel where the other blocks begin. Resolves when something can be shown. */
    async open(item = null) {
        // Without it, as in other orders than that of the list, the list grows at its end, block after block.
        const index = (this.filter.sort ? Promise.reject(new Error("there is no index")) : this.askIndex(item, 8)).catch((error) => {
            if (error.name === "AbortError") throw error;
            this.isOpen = true;
            this.grow(0);
            return null;
        });
        await this.load(0);
        return index;
    }

    /** Where blocks begin. On a busy machine the time limit of the server may end it early: it is asked again. */
    askIndex(item, attempts) {
        return get(withQuery(`${this.path}/index`, { ...this.filter, every: BLOCK, item }), { signal: this.closing.signal })
            .then((answer) => {
                if (answer.total === null && attempts > 1) setTimeout(() => this.closing.signal.aborted || this.askIndex(null, attempts - 1).catch(() => {}), 1500);
                // What has been found meanwhile, block after block, may reach farther than an index that ran out of time.
                if (answer.after.length >= this.after.length) this.after = answer.after;
                this.isOpen = answer.total === null;
                this.total = answer.total ?? Math.max(this.total ?? 0, this.after.length * BLOCK);
                this.sections = answer.sections ?? this.sections;
                this.dispatchEvent(new CustomEvent("count"));
                return answer.index ?? null;
            });
    }

    close() {
        this.closing.abort();
        for (const { abort } of this.loading.values()) abort.abort();
    }

    get count() {
        return this.total ?? 0;
    }

    /** {columns, row} of the item at `index`, or null while its block is not there. */
    at(index) {
        const columns = this.blocks.get(Math.floor(index / BLOCK));
        const row = index % BLOCK;
        return columns && row < columns.id.length ? { columns, row } : null;
    }

    /** The id at `index`, or undefined. */
    idAt(index) {
        const found = this.at(index);
        return found?.columns.id[found.row];
    }

    load(number) {
        if (this.blocks.has(number)) return Promise.resolve();
        const known = this.loading.get(number);
        if (known) return known.promise;
        if (number >= this.after.length) return Promise.resolve();
        const abort = new AbortController();
        const promise = this.fetch(number, abort.signal)
            .catch((error) => {
                if (error.name === "AbortError") return;
                this.dispatchEvent(new CustomEvent("problem", { detail: error }));
                if (number === 0) throw error;
            })
            .finally(() => this.loading.get(number)?.abort === abort && this.loading.delete(number));
        this.loading.set(number, { abort, promise });
        return promise;
    }

    /** A block may come in several pages: a search that ran out of time gives what it has, and where it goes on. */
    async fetch(number, signal) {
        let block = null;
        let after = this.after[number];
        do {
            const answer = await this.getPatiently(withQuery(this.path, { ...this.filter, after, limit: BLOCK - (block?.id.length ?? 0) }), signal);
            const columns = answer.items ?? answer;
            if (!block) block = Object.fromEntries(Object.entries(columns).filter(([name, value]) => Array.isArray(value) && name !== "sections"));
            else for (const name of Object.keys(block)) block[name] = block[name].concat(columns[name]);
            after = answer.next ?? null;
            this.keep(number, block, after, answer.sections);
        } while (after !== null && block.id.length < BLOCK);
    }

    /** A long list takes the server a moment to sort: it says when to ask again. */
    async getPatiently(path, signal) {
        for (let attempt = 0; ; attempt++) {
            try {
                return await get(path, { signal });
            } catch (error) {
                if (!error.retryAfter || attempt === 60) throw error;
                this.dispatchEvent(new CustomEvent("waiting", { detail: error }));
                await new Promise((resolve) => setTimeout(resolve, error.retryAfter * 1000));
                signal.throwIfAborted();
            }
        }
    }

    keep(number, columns, next, sections) {
        this.blocks.set(number, columns);
        this.nexts.set(number, next);
        if (sections) this.sections = sections;
        columns.id.forEach((id, row) => this.indexOfID.set(id, number * BLOCK + row));
        if (this.total === null || (next === null && number >= this.after.length - 1)) this.total = number * BLOCK + columns.id.length;
        this.grow(number);
        if (this.blocks.size > MOST_BLOCKS) this.forget(number);
        this.dispatchEvent(new CustomEvent("block", { detail: number }));
    }

    /** Where nobody knows the length of the list, its end moves on with the last block. */
    grow(number) {
        const next = this.nexts.get(number);
        if (!this.isOpen || !next || number !== this.after.length - 1 || this.blocks.get(number).id.length < BLOCK) return;
        this.after.push(next);
        this.total = Math.max(this.total, this.after.length * BLOCK);
        this.dispatchEvent(new CustomEvent("count"));
    }

    forget(near) {
        let farthest = near;
        for (const number of this.blocks.keys()) {
            if (Math.abs(number - near) > Math.abs(farthest - near)) farthest = number;
        }
        for (const id of this.blocks.get(farthest).id) this.indexOfID.delete(id);
        this.blocks.delete(farthest);
    }

    /** Cancels what is being loaded for blocks that are no longer near the view. */
    keepOnly(first, last) {
        for (const [number, { abort }] of this.loading) {
            if (number === 0 || (number >= first && number <= last)) continue;
            abort.abort();
            // At once, so that someone who scrolls back asks anew instead of waiting for what will not come.
            this.loading.delete(number);
        }
    }

    /** Takes over new values of items, rows with an id; those that are not loaded are passed over. */
    patch(rows) {
        const changed = [];
        for (const values of rows) {
            const index = this.indexOfID.get(values.id);
            const found = index === undefined ? null : this.at(index);
            if (!found) continue;
            for (const [name, value] of Object.entries(values)) {
                if (name !== "id" && found.columns[name]) found.columns[name][found.row] = value;
            }
            changed.push(index);
        }
        if (changed.length) this.dispatchEvent(new CustomEvent("items", { detail: changed }));
    }
}

/** One row of columns as an object. */
export function rowAt({ columns, row }) {
    const values = {};
    for (const name of Object.keys(columns)) {
        if (Array.isArray(columns[name])) values[name] = columns[name][row];
    }
    return values;
}
