// Fills the plots and the table of a report from the data that it carries. The numbers are in the page without it.

import { area, bars, histogram, outcomes, phases, scatter, surface } from "./charts.js";
import { byteText, countText, durationText } from "./scales.js";
import { timeline } from "./timeline.js";
import { itemTable } from "./report-items.js";

/** The data of a run: gzip in base64, so that no text in it can be taken for markup. */
async function load(element) {
    const bytes = Uint8Array.from(atob(element.textContent.trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return prepare(await new Response(stream).json());
}

/** Columns of microseconds, with starts summed up again. */
function prepare(data) {
    let start = 0;
    data.start = data.start.map((delta) => (start += delta) * data.unit);
    data.queue = data.start.map((start, at) => start - data.listed[at] * data.unit);
    data.elapsed = data.earlier.map((earlier, at) => phases.slice(1).reduce((sum, phase) => sum + data[phase][at], earlier));
    data.total = data.title.map((_, at) => (at < data.asked ? data.dns[at] + data.connect[at] + data.tls[at] + data.wait[at] + data.receive[at] : -1));
    data.name = (at) => data.title[at] || data.key[at] || data.path[at];
    data.url = (at) => (data.origins[data.origin[at]] ?? "") + data.path[at];
    data.reason = (at) => (data.failure[at] ? data.failures[data.failure[at] - 1] : "");
    data.lines = (at) => {
        const lines = [data.name(at), outcomes[data.outcome[at]] + (data.reason(at) ? `: ${data.reason(at)}` : "")];
        if (data.total[at] < 0) return lines;
        lines.push(`${durationText(data.total[at])}, ${byteText(data.size[at])}${data.attempts[at] > 1 ? `, ${data.attempts[at]} attempts` : ""}`);
        lines.push(phases.filter((phase) => data[phase][at] > 0).map((phase) => `${phase} ${durationText(data[phase][at])}`).join(", "));
        return lines;
    };
    return data;
}

function show(section, data) {
    const plot = (name) => section.querySelector(`canvas[data-plot="${name}"]`);
    let chart = null;
    if (data.title.length === 0) return void (plot("history") && drawHistory(plot("history"), data));
    const table = itemTable(section, data, (at) => chart?.choose(at < data.asked ? at : -1));
    const lane = plot("timeline");
    if (lane) {
        const lanes = Math.max(1, ...data.lane);
        lane.style.blockSize = `${Math.min(Math.max((lanes + 1) * 14, 120), 420) + 32}px`;
        const spans = { start: data.start, length: data.elapsed, lane: data.lane, outcome: data.outcome, parts: phases.slice(1).map((phase) => data[phase]) };
        chart = timeline(lane, spans, { label: data.lines, pick: (at) => table.choose(at) });
    }
    if (plot("times")) histogram(plot("times"), data.histogram);
    if (plot("sizes")) {
        const at = data.start.map((_, index) => index).filter((index) => data.size[index] > 0 && data.total[index] >= 0);
        const points = { x: at.map((index) => data.size[index]), y: at.map((index) => data.total[index]), outcome: at.map((index) => data.outcome[index]) };
        scatter(plot("sizes"), points, { label: (index) => data.lines(at[index]), pick: (index) => { table.choose(at[index]); chart?.choose(at[index]); } });
    }
    if (plot("throughput")) area(plot("throughput"), data.throughput);
    if (plot("history")) drawHistory(plot("history"), data);
    for (const canvas of section.querySelectorAll("canvas[data-spark]")) spark(canvas, data.sparks[Number(canvas.dataset.spark)]);
    table.restore();
}

function drawHistory(canvas, data) {
    bars(canvas, data.history.map((run) => ({
        run: run.run, value: run.duration, outcome: run.outcome,
        lines: [`run ${run.run}, ${run.outcome}`, new Date(run.started / 1000).toLocaleString(), run.duration === null ? "duration not known" : durationText(run.duration), `${countText(run.items)} items, ${countText(run.failed)} failed`],
    })));
}

/** How the waits of a host are spread, small. */
function spark(canvas, counts) {
    const most = Math.max(1, ...counts);
    surface(canvas, (context, width, height, colour) => {
        const step = width / counts.length;
        context.fillStyle = colour("phase-wait");
        counts.forEach((count, index) => {
            const tall = count === 0 ? 0 : Math.max(2, (count / most) * height);
            context.fillRect(index * step, height - tall, Math.max(1, step - 1), tall);
        });
    });
}

/** Light, dark, or as the system has it. */
function schemes() {
    const words = { auto: "Scheme: as the system", light: "Scheme: light", dark: "Scheme: dark" };
    const button = document.createElement("button");
    let scheme = "auto";
    button.type = "button";
    button.textContent = words[scheme];
    document.querySelector(".top").append(button);
    button.addEventListener("click", () => {
        scheme = { auto: "light", light: "dark", dark: "auto" }[scheme];
        if (scheme === "auto") delete document.documentElement.dataset.scheme; else document.documentElement.dataset.scheme = scheme;
        button.textContent = words[scheme];
        dispatchEvent(new Event("scheme"));
    });
}

async function main() {
    schemes();
    if (typeof DecompressionStream === "undefined") return;
    document.documentElement.classList.add("drawn");
    for (const section of document.querySelectorAll("section[data-run]")) {
        const element = document.getElementById(`data-${section.dataset.run}`);
        if (element) show(section, await load(element));
    }
    document.documentElement.dataset.ready = "";
}

main();
