// What can be done to a run, as buttons: each says what it will do, and is unavailable with a reason.

import { get, jobPath, post } from "./api.js";
import { button, isUnavailable, setReason } from "./dom.js";
import { plural } from "./format.js";
import * as live from "./live.js";
import { ask, attempt, say } from "./messages.js";

/** Begins a run of the job; `body` is what /api/jobs/NAME/run takes. */
export function runJob(name, body = {}) {
    return attempt(async () => {
        await post(`${jobPath(name)}/run`, body);
        say(`${name} starts`);
    });
}

/** Why this job cannot be run from here, or null. */
function whyNotRun(job) {
    if (job.live) return "It is running";
    if (!job.runnable) return job.error || (job.file ? "Its job file cannot be run from this page" : "The page was started without its job file: runner web FOLDER");
    return null;
}

/**
 * The buttons Run, Pause, Resume, Stop and, with `all`, Retry failed and Reset. `update()` sets what is possible.
 */
export function runControls(name, { all = false } = {}) {
    const command = (verb, body) => () => {
        const job = live.jobs.get(name);
        if (job?.live) return attempt(() => post(`/runs/${job.live.run}/${verb}`, body));
    };
    const guarded = (work) => function click() {
        if (isUnavailable(this)) say(this.title);
        else work();
    };
    const run = button("Run", "play", guarded(() => runJob(name)), { class: "button button-strong" });
    const pause = button("Pause", "pause", guarded(command("pause", {})));
    const resume = button("Resume", "play", guarded(command("resume", {})));
    const stop = button("Stop", "stop", guarded(command("cancel", { run: true, now: false })));
    const retry = all && button("Retry failed", "retry", guarded(() => retryFailed(name)));
    const reset = all && button("Reset", "reset", guarded(() => resetJob(name)));

    function update() {
        const job = live.jobs.get(name);
        if (!job) return;
        const state = job.live?.state ?? null;
        const failed = live.statuses.get(name)?.counts?.failed ?? job.failed ?? job.last_run?.failed ?? 0;
        setReason(run, whyNotRun(job), "Fetch what is missing or has changed");
        setReason(pause, !state ? "Nothing is running" : state === "paused" ? "It is paused" : state === "stopping" ? "It is stopping" : null,
            "Begin nothing more; partial files are kept");
        setReason(resume, !state ? "Nothing is running" : state !== "paused" ? "It is not paused" : null, "Go on");
        setReason(stop, !state ? "Nothing is running" : state === "stopping" ? "It is stopping" : null,
            "End the run; what is in flight may finish");
        if (retry) setReason(retry, failed === 0 ? "Nothing failed" : state ? null : whyNotRun(job), `Ask again for ${plural(failed, "item")} that failed`);
        if (reset) setReason(reset, state ? "It is running: stop it first" : null, "Delete everything that this job stored");
        pause.hidden = state === "paused";
        resume.hidden = all ? state !== "paused" : !state || state !== "paused";
        run.hidden = Boolean(state);
        stop.hidden = !state && !all;
    }
    update();
    return { elements: [run, pause, resume, stop, retry, reset].filter(Boolean), update };
}

function retryFailed(name) {
    const job = live.jobs.get(name);
    if (job?.live) return attempt(() => post(`/runs/${job.live.run}/retry`, { failed: true }));
    return runJob(name, { failed: true });
}

async function resetJob(name) {
    const job = live.jobs.get(name) ?? (await get("/jobs")).find((row) => row.name === name);
    const sure = await ask({
        title: `Reset ${name}?`,
        text: `This deletes ${plural(job.stored, "stored file")} below ${job.directory} and what the catalog knows of them. It cannot be undone.`,
        confirm: "Reset",
    });
    if (!sure) return;
    await attempt(async () => {
        await post(`${jobPath(name)}/reset`, { collection: null });
        say(`${name} was reset`);
    });
}
