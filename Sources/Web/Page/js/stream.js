// The one stream of events of the server, with what is needed to tell a tab that comes later how things are. It runs in a
// worker that all tabs share, since a browser has only six connections for a host; where there is no such worker, in the tab.

/** Sends [name, detail] to `deliver`: the server's events, and `open` and `lost`. */
export class Stream {
    constructor(deliver) {
        this.deliver = deliver;
        this.jobs = new Map();
        this.statuses = new Map();
        this.source = null;
        this.timer = 0;
        this.failures = 0;
        this.isOpen = null;
        this.problem = null;
    }

    /** What someone who comes later has to know. */
    replay(deliver) {
        if (this.isOpen === null) return;
        if (this.isOpen) deliver("open", {});
        else deliver("lost", this.problem);
        if (this.jobs.size > 0) deliver("jobs", { jobs: [...this.jobs.values()], isWhole: true });
        for (const status of this.statuses.values()) deliver("snapshot", status);
    }

    open() {
        if (this.source || this.timer) return;
        const source = new EventSource("/api/events");
        this.source = source;
        let isFirst = true;
        const on = (name, handler) => source.addEventListener(name, (event) => handler(JSON.parse(event.data)));
        source.addEventListener("open", () => {
            this.failures = 0;
            this.isOpen = true;
            this.statuses.clear();
            this.deliver("open", {});
        });
        source.addEventListener("error", () => this.lost());
        on("jobs", (detail) => {
            // The first of a stream has all jobs, later ones those that changed.
            if (isFirst) this.jobs.clear();
            for (const row of detail.jobs) this.jobs.set(row.name, row);
            for (const name of detail.removed ?? []) this.jobs.delete(name);
            this.deliver("jobs", { ...detail, isWhole: isFirst });
            isFirst = false;
        });
        on("snapshot", (status) => {
            this.statuses.set(status.job, status);
            this.deliver("snapshot", status);
        });
        on("change", (change) => {
            const status = merged(this.statuses.get(change.job), change);
            this.statuses.set(change.job, status);
            this.deliver("snapshot", status);
        });
        on("items", (detail) => this.deliver("items", detail));
        on("finished", (end) => {
            this.statuses.delete(end.job);
            this.deliver("finished", end);
        });
    }

    close() {
        clearTimeout(this.timer);
        this.timer = 0;
        this.source?.close();
        this.source = null;
    }

    /** A stream does not say why it ended; a plain request does. */
    async lost() {
        this.close();
        this.failures += 1;
        this.timer = setTimeout(() => {
            this.timer = 0;
            this.open();
        }, Math.min(15000, 500 * 2 ** Math.min(5, this.failures)));
        let status = 0;
        try {
            ({ status } = await fetch("/api/jobs"));
        } catch {
            // Nobody answers.
        }
        if (status === 200) return;
        this.isOpen = false;
        this.problem = { status };
        this.deliver("lost", this.problem);
    }
}

/** A change has only what changed; rows of collections are merged by key. */
function merged(before, change) {
    if (!before || before.run !== change.run) return { counts: {}, collections: [], in_flight: [], hosts: [], ...change };
    const after = { ...before, ...change };
    if (change.collections) {
        const rows = new Map(before.collections.map((row) => [row.key, row]));
        for (const row of change.collections) rows.set(row.key, { ...rows.get(row.key), ...row });
        after.collections = [...rows.values()];
    }
    return after;
}
