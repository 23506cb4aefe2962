// How outcomes and states look everywhere: a colour, a shape and a word each, never the colour alone.

import { h } from "./dom.js";
import { ageText, countText, durationText, plural, timeText } from "./format.js";

/** Of transfers, in the order in which bars show them. The colours are custom properties of the style sheet. */
export const outcomes = [
    { key: "downloaded", word: "downloaded" }, { key: "unchanged", word: "unchanged" }, { key: "fresh", word: "fresh" },
    { key: "evicted", word: "evicted" }, { key: "failed", word: "failed" }, { key: "cancelled", word: "cancelled" },
];

const runOutcomes = {
    complete: { word: "Complete", icon: "check" }, partial: { word: "Partial", icon: "warning" },
    failed: { word: "Failed", icon: "cross" }, interrupted: { word: "Interrupted", icon: "stop" },
    running: { word: "Running", icon: "play" }, listing: { word: "Listing", icon: "play" },
    paused: { word: "Paused", icon: "pause" }, stopping: { word: "Stopping", icon: "stop" },
};

export const runSeconds = (run) => (run.finished_at && run.started_at ? (run.finished_at - run.started_at) / 1e6 : null);

/** The last run in words: "Complete 3 h ago: 23 downloaded, 4 failed, in 23 s". */
export function verdict(run) {
    if (!run) return "Never run";
    const word = runOutcomes[run.outcome]?.word ?? run.outcome;
    if (run.outcome === "running") return `Running since ${ageText(run.started_at).replace(" ago", "")}`;
    const parts = outcomes.filter(({ key }) => run[key] > 0).map(({ key, word }) => `${countText(run[key])} ${word}`);
    const seconds = runSeconds(run);
    const took = seconds === null ? "" : `, in ${durationText(seconds * 1e6)}`;
    return `${word} ${ageText(run.finished_at ?? run.started_at)}: ${parts.join(", ") || "nothing to do"}${took}`;
}

/** A bar of the outcomes of a run, with its legend in words and numbers. */
export function outcomeBar(run, { legend = true } = {}) {
    const present = outcomes.filter(({ key }) => run[key] > 0);
    const total = present.reduce((sum, { key }) => sum + run[key], 0);
    const text = present.map(({ key, word }) => `${countText(run[key])} ${word}`).join(", ") || "nothing";
    return h("div", { class: "outcomes" },
        h("div", { class: "outcome-bar", role: "img", "aria-label": text }, total === 0
            ? h("span", { class: "outcome-none", style: { "flex-grow": "1" } })
            : present.map(({ key, word }) => h("span", {
                class: `outcome outcome-${key}`, title: `${countText(run[key])} ${word}`, style: { "flex-grow": String(Math.max(run[key], total / 120)) },
            }))),
        legend && h("ul", { class: "legend" }, present.map(({ key, word }) =>
            h("li", {}, h("span", { class: `swatch outcome-${key}` }), h("b", { text: countText(run[key]) }), ` ${word}`))));
}

/** The last runs of a job, oldest at the left: colour and shape by outcome, height by duration; each opens its run. */
export function runStrip(runs, job) {
    const shown = runs.slice(0, 50).reverse();
    const longest = Math.max(1, ...shown.map((run) => runSeconds(run) ?? 0));
    return h("ol", { class: "strip", "aria-label": `Last ${plural(shown.length, "run")} of ${job}` }, shown.map((run) => {
        const seconds = runSeconds(run);
        const text = `Run ${run.id}, ${runOutcomes[run.outcome]?.word.toLowerCase() ?? run.outcome}, ${timeText(run.started_at)}`
            + (seconds === null ? "" : `, took ${durationText(seconds * 1e6)}`) + (run.failed ? `, ${countText(run.failed)} failed` : "");
        const height = 18 + 82 * Math.sqrt((seconds ?? 0) / longest);
        return h("li", {}, h("a", { href: `/runs/${run.id}`, title: text, "aria-label": text, class: `strip-run run-${run.outcome}` },
            h("span", { class: "strip-bar", style: { "block-size": `${height}%` } })));
    }));
}

/** A run's outcome as a badge with an icon's shape beside the word. */
export function badge(outcome, iconOf) {
    const { word, icon: name } = runOutcomes[outcome] ?? { word: outcome, icon: "info" };
    return h("span", { class: `badge run-${outcome}` }, iconOf(name), word);
}
