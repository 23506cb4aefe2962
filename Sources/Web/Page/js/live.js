// What is going on now: the jobs and their live runs, kept up to date by one stream of events. The page holds no state of
// its own; a stream that opens again begins with all of it.

import { get } from "./api.js";
import { Stream } from "./stream.js";

/** Jobs by name, as /api/jobs has them, in the order of their names. */
export const jobs = new Map();

/** The status of each run at work, by the name of its job. */
export const statuses = new Map();

/** Events: `jobs`, `status` (detail: job), `items` (detail: {job, items}), `finished` (detail: {job}), `reachable`. */
export const changes = new EventTarget();

/** null: not known yet; false: the server does not answer, with the reason in `problem`. */
export let reachable = null;
export let problem = null;

const emit = (name, detail) => changes.dispatchEvent(new CustomEvent(name, { detail }));

/** Listens while this tab can be seen. */
export function start() {
    let tell = inThisTab;
    const look = () => tell(document.hidden ? "hidden" : "visible");
    if ("SharedWorker" in window) {
        const worker = new SharedWorker("/page/js/stream-worker.js", { type: "module", name: "runner" });
        worker.port.addEventListener("message", ({ data: [name, detail] }) => take(name, detail));
        worker.port.start();
        tell = (word) => worker.port.postMessage(word);
        // The server went away before the worker's script was here.
        worker.addEventListener("error", () => {
            tell = inThisTab;
            look();
        });
    }
    document.addEventListener("visibilitychange", look);
    addEventListener("pagehide", () => tell("gone"));
    // Back from the browser's own cache of pages.
    addEventListener("pageshow", (event) => event.persisted && look());
    look();
}

let ownStream = null;

/** What the worker does, without one. */
function inThisTab(word) {
    ownStream ??= new Stream(take);
    if (word === "visible") ownStream.open();
    else ownStream.close();
}

function take(name, detail) {
    if (name === "open") setReachable(true, null);
    else if (name === "lost") setReachable(false, detail);
    else if (name === "jobs") keepJobs(detail.jobs, detail.isWhole, detail.removed);
    else if (name === "snapshot") keepStatus(detail.job, detail);
    else if (name === "items") emit("items", detail);
    else if (name === "finished") finish(detail);
}

function setReachable(value, reason) {
    if (reachable === value && problem?.status === reason?.status) return;
    const recovered = reachable === false && value;
    reachable = value;
    problem = reason;
    if (value) dropOldRuns();
    emit("reachable", { recovered });
}

/** A stream that opens again tells of every run at work; what it does not tell of has ended meanwhile. */
function dropOldRuns() {
    for (const name of [...statuses.keys()]) {
        statuses.delete(name);
        emit("status", name);
    }
}

function finish(end) {
    statuses.delete(end.job);
    const job = jobs.get(end.job);
    if (job) job.live = null;
    emit("status", end.job);
    emit("jobs");
    emit("finished", end);
    settle(end.job, 20);
}

const settling = new Set();

/** The stream says that a run has ended a moment before the catalog knows how: its row is asked for until it does. */
function settle(name, attempts) {
    if (settling.has(name)) return;
    settling.add(name);
    setTimeout(async () => {
        settling.delete(name);
        try {
            keepJobs(await get("/jobs"), true);
        } catch {
            return;  // The stream says so too, and brings the jobs when it is open again.
        }
        const job = jobs.get(name);
        if (job?.last_run?.outcome !== "running") emit("finished", { job: name });
        else if (!job.live && attempts > 1) settle(name, attempts - 1);
    }, 300);
}

function keepJobs(rows, isWhole = false, removed = []) {
    if (isWhole) jobs.clear();
    for (const row of rows) {
        const status = statuses.get(row.name);
        // The run itself is a moment ahead of the rows.
        if (row.live && status?.run === row.live.run) row.live.state = status.state;
        jobs.set(row.name, row);
        if (!row.live && row.last_run?.outcome === "running") settle(row.name, 20);
        if (!row.live && statuses.has(row.name)) {
            statuses.delete(row.name);
            emit("status", row.name);
        }
    }
    for (const name of removed) jobs.delete(name);
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

/** The jobs, asked for at once where the stream has not brought them yet. */
export async function loadJobs() {
    if (jobs.size === 0) keepJobs(await get("/jobs"), true);
    return jobs;
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
