// A short list that is there as a whole, with the face of an ItemList: recents, photos of a cluster on the map.

export class FixedList extends EventTarget {
    /** `ask()` resolves to columns. */
    constructor(ask) {
        super();
        this.ask = ask;
        this.columns = null;
        this.sections = null;
        this.indexOfID = new Map();
    }

    async open(item = null) {
        this.columns = await this.ask();
        this.indexOfID = new Map(this.columns.id.map((id, index) => [id, index]));
        this.dispatchEvent(new CustomEvent("count"));
        return this.indexOfID.get(Number(item)) ?? null;
    }

    get total() {
        return this.columns ? this.columns.id.length : null;
    }

    get count() {
        return this.total ?? 0;
    }

    at(index) {
        return this.columns && index >= 0 && index < this.columns.id.length ? { columns: this.columns, row: index } : null;
    }

    idAt(index) {
        return this.columns?.id[index];
    }

    load() {
        return Promise.resolve();
    }

    close() {}

    patch(rows) {
        const changed = [];
        for (const values of rows) {
            const index = this.indexOfID.get(values.id);
            if (index === undefined) continue;
            for (const [name, value] of Object.entries(values)) {
                if (name !== "id" && this.columns[name]) this.columns[name][index] = value;
            }
            changed.push(index);
        }
        if (changed.length) this.dispatchEvent(new CustomEvent("items", { detail: changed }));
    }
}
