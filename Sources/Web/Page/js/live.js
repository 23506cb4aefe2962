// What is going on now: the jobs and their live runs, kept up to date by one stream of events. The page holds no state of
// its own; a stream that opens again begins with all of it.

import { get } from "./api.js";

/** Jobs by name, as /api/jobs has them, in the order of their names. */
export const jobs = new Map();

/** The status of each run at work, by the name of its job. */
export const statuses = new Map();

/** Events: `jobs`, `status` (detail: job), `items` (detail: {job, items}), `finished` (detail: {job}), `reachable`. */
export const changes = new EventTarget();

/** null: not known yet; false: the server does not answer, with the reason in `problem`. */
export let reachable = null;
export let problem = null;

let stream = null;
let timer = 0;
let failures = 0;

const emit = (name, detail) => changes.dispatchEvent(new CustomEvent(name, { detail }));

/** Opens the stream, and closes it while the tab is hidden: a browser has six connections for a host. */
export function start() {
    document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
    open();
}

function close() {
    clearTimeout(timer);
    stream?.close();
    stream = null;
}

function open() {
    close();
    if (document.hidden) return;
    stream = new EventSource("/api/events");
    stream.addEventListener("open", () => setReachable(true));
    stream.addEventListener("error", lost);
    on("jobs", ({ jobs: rows }) => keepJobs(rows));
    on("snapshot", (status) => keepStatus(status.job, status));
    on("change", (change) => keepStatus(change.job, merged(statuses.get(change.job), change)));
    on("items", (detail) => emit("items", detail));
    on("finished", (end) => {
        statuses.delete(end.job);
        const job = jobs.get(end.job);
        if (job) job.live = null;
        emit("status", end.job);
        emit("finished", end);
    });
}

function on(name, handler) {
    stream.addEventListener(name, (event) => handler(JSON.parse(event.data)));
}

/** A stream does not say why it ended; a plain request does. */
async function lost() {
    close();
    failures += 1;
    const wait = Math.min(15000, 500 * 2 ** Math.min(5, failures));
    timer = setTimeout(open, wait);
    try {
        keepJobs(await get("/jobs"), true);
        problem = null;
    } catch (error) {
        problem = error;
        setReachable(false);
    }
}

function setReachable(value) {
    if (value) failures = 0;
    if (reachable === value) return;
    const recovered = reachable === false && value;
    reachable = value;
    emit("reachable", { recovered });
}

function keepJobs(rows, complete = false) {
    if (complete || jobs.size === 0) jobs.clear();
    for (const row of rows) jobs.set(row.name, row);
    emit("jobs");
}

function keepStatus(name, status) {
    statuses.set(name, status);
    const job = jobs.get(name);
    if (job && (!job.live || job.live.run !== status.run || job.live.state !== status.state)) {
        job.live = { run: status.run, state: status.state };
        emit("jobs");
    }
    emit("status", name);
}

/** A change has only what changed; rows of collections are merged by key. */
function merged(before, change) {
    if (!before || before.run !== change.run) return change;
    const after = { ...before, ...change };
    if (change.collections) {
        const rows = new Map(before.collections.map((row) => [row.key, row]));
        for (const row of change.collections) rows.set(row.key, { ...rows.get(row.key), ...row });
        after.collections = [...rows.values()];
    }
    return after;
}

/** The jobs, asked for at once where the stream has not brought them yet. */
export async function loadJobs() {
    if (jobs.size === 0) keepJobs(await get("/jobs"), true);
    return jobs;
}

export async function loadJob(name) {
    await loadJobs();
    return jobs.get(name);
}

/** How far a run is: `total` items listed so far, `ended` of them with any outcome. */
export function progressOf({ counts }) {
    const total = counts.listed ?? 0;
    return { total, ended: Math.min(total, (counts.done ?? 0) + (counts.cancelled ?? 0)) };
}

/** The live status of an item, by its id: {phase, received, expected} or undefined. */
export function inFlight(job, id) {
    return statuses.get(job)?.in_flight?.find((row) => row.item === id);
}
