// Plots on canvas for `runner report --format html`. No dependency, no markup from data.
//
// Colours are custom properties of the style sheet (--downloaded … --cancelled, --phase-queue … --phase-store, --ink,
// --ink-soft, --line, --line-strong, --surface, --accent), so that a plot follows its page's scheme. Times are microseconds,
// sizes bytes. What a colour says a letter, a shape or the hover text says as well.

import { axisTimeText, byteText, countText, durationText, linear, log, time } from "./scales.js";

export const phases = ["queue", "dns", "connect", "tls", "wait", "receive", "store"];
export const outcomes = ["downloaded", "unchanged", "fresh", "evicted", "failed", "cancelled"];
/** A run's outcome where there is no room for the word. */
export const runLetters = { complete: "", partial: "!", failed: "×", interrupted: "–", running: "…" };

// MARK: A canvas that keeps its sharpness and its scheme

/** Calls `draw(context, width, height, colour)` now and whenever size, scheme or data change. */
export function surface(canvas, draw) {
    let isWaiting = false;
    const paint = () => {
        isWaiting = false;
        const ratio = window.devicePixelRatio || 1;
        const { clientWidth: width, clientHeight: height } = canvas;
        if (width === 0 || height === 0) return;
        if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
        }
        const style = getComputedStyle(canvas), known = new Map();
        const colour = (name) => {
            if (!known.has(name)) known.set(name, style.getPropertyValue(`--${name}`).trim() || style.color);
            return known.get(name);
        };
        const context = canvas.getContext("2d");
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, width, height);
        context.font = `12px ${style.fontFamily}`;
        context.lineWidth = 1;
        draw(context, width, height, colour);
    };
    const redraw = () => {
        if (isWaiting) return;
        isWaiting = true;
        requestAnimationFrame(paint);
    };
    new ResizeObserver(redraw).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    matchMedia("print").addEventListener("change", paint);
    // A page with a switch of its own says so.
    addEventListener("scheme", redraw);
    redraw();
    return redraw;
}

/** Draws both axes with their ticks and returns nothing; `x` and `y` are scales with the texts of their ticks. */
export function axes(context, colour, { x, xText, y, yText, left, right, top, bottom }) {
    context.fillStyle = colour("ink-soft");
    context.strokeStyle = colour("line");
    if (y) {
        context.textAlign = "right";
        context.textBaseline = "middle";
        for (const tick of y.ticks(Math.max(2, Math.floor((bottom - top) / 44)))) {
            const at = Math.round(y(tick)) + 0.5;
            if (at < top - 1 || at > bottom + 1) continue;
            line(context, left, at, right, at);
            context.fillText(yText(tick), left - 6, at);
        }
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    let lastEnd = -Infinity;
    const ticks = x.ticks(Math.max(2, Math.floor((right - left) / 76)));
    for (const tick of ticks) {
        const at = Math.round(x(tick)) + 0.5;
        if (at < left - 1 || at > right + 1) continue;
        line(context, at, top, at, bottom);
        const text = xText(tick, ticks[1] - ticks[0]), half = context.measureText(text).width / 2;
        const centre = Math.min(Math.max(at, left - 20 + half), right + 14 - half);
        if (centre - half < lastEnd + 8) continue;
        context.fillText(text, centre, bottom + 6);
        lastEnd = centre + half;
    }
    context.strokeStyle = colour("line-strong");
    line(context, left, bottom + 0.5, right, bottom + 0.5);
}

export function line(context, x1, y1, x2, y2) {
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
}

/** One text beside the pointer for all plots of a document. */
export function hover(canvas, find) {
    const tip = document.querySelector(".plot-tip") ?? document.body.appendChild(document.createElement("div"));
    tip.className = "plot-tip";
    tip.hidden = true;
    // A screen reader has the table.
    tip.setAttribute("aria-hidden", "true");
    const hide = () => { tip.hidden = true; };
    canvas.addEventListener("pointerleave", hide);
    canvas.addEventListener("pointermove", (event) => {
        const lines = event.buttons === 0 ? find(event.offsetX, event.offsetY) : null;
        tip.hidden = !lines;
        if (!lines) return;
        tip.replaceChildren(...lines.map((text) => Object.assign(document.createElement("div"), { textContent: text })));
        const box = tip.getBoundingClientRect();
        tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8))}px`;
        tip.style.top = `${event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 12 : event.clientY + 18}px`;
    });
    return hide;
}

// MARK: Bars, histogram and lines

/** How often times fall into bins: `{ edges, counts, marks: [{ name, value }] }`, `edges` one longer than `counts`. */
export function histogram(canvas, data) {
    let { edges, counts: bins, marks } = data;
    let layout = null;
    const redraw = surface(canvas, (context, width, height, colour) => {
        const [left, right, top, bottom] = [52, width - 14, 22, height - 26];
        const x = log([edges[0], edges[edges.length - 1]], [left, right]);
        const y = linear([0, Math.max(1, ...bins)], [bottom, top]);
        layout = { x, left, right };
        axes(context, colour, { x, xText: durationText, y, yText: countText, left, right, top, bottom });
        context.fillStyle = colour("unchanged");
        bins.forEach((count, index) => {
            if (count === 0) return;
            const from = x(edges[index]), to = x(edges[index + 1]);
            context.fillRect(from + 0.5, Math.min(y(count), bottom - 2), Math.max(1, to - from - 1), Math.max(2, bottom - y(count)));
        });
        context.strokeStyle = colour("ink");
        context.fillStyle = colour("ink");
        context.textBaseline = "bottom";
        let lastEnd = -Infinity;
        marks.forEach(({ name, value }) => {
            const at = Math.round(x(value)) + 0.5, half = context.measureText(name).width / 2;
            context.setLineDash([4, 3]);
            line(context, at, top, at, bottom);
            context.setLineDash([]);
            context.textAlign = "center";
            const centre = Math.max(at, lastEnd + half + 4);
            context.fillText(name, centre, top - 4);
            lastEnd = centre + half;
        });
    });
    hover(canvas, (x) => {
        if (!layout || x < layout.left || x > layout.right) return null;
        const value = layout.x.invert(x), index = edges.findIndex((edge, at) => value >= edge && value < edges[at + 1]);
        return index < 0 ? null : [`${durationText(edges[index])} – ${durationText(edges[index + 1])}`, `${countText(bins[index])} transfers`];
    });
    return { redraw, update(next) { ({ edges, counts: bins, marks } = next); redraw(); } };
}

/** A value over time, as an area: `{ start, step, values }` in microseconds from the run's start. */
export function area(canvas, data, { text = (value) => `${byteText(value)}/s` } = {}) {
    let { start, step, values } = data;
    let layout = null;
    const redraw = surface(canvas, (context, width, height, colour) => {
        const [left, right, top, bottom] = [72, width - 14, 10, height - 26];
        const x = time([start, start + step * values.length], [left, right]);
        const y = linear([0, Math.max(1, ...values)], [bottom, top]);
        layout = { x, left, right };
        axes(context, colour, { x, xText: axisTimeText, y, yText: text, left, right, top, bottom });
        context.beginPath();
        context.moveTo(left, bottom);
        values.forEach((value, index) => {
            context.lineTo(x(start + index * step), y(value));
            context.lineTo(x(start + (index + 1) * step), y(value));
        });
        context.lineTo(right, bottom);
        context.closePath();
        context.globalAlpha = 0.25;
        context.fillStyle = colour("phase-receive");
        context.fill();
        context.globalAlpha = 1;
        context.strokeStyle = colour("phase-receive");
        context.stroke();
    });
    hover(canvas, (x) => {
        if (!layout || x < layout.left || x > layout.right) return null;
        const index = Math.min(values.length - 1, Math.max(0, Math.floor((layout.x.invert(x) - start) / step)));
        return [durationText(start + index * step), text(values[index])];
    });
    return { redraw, update(next) { ({ start, step, values } = next); redraw(); } };
}

/** A bar for each run, the last one marked: `[{ run, value, outcome, lines }]`. */
export function bars(canvas, data, { text = durationText, pick } = {}) {
    let runs = data;
    let layout = null;
    const redraw = surface(canvas, (context, width, height, colour) => {
        const [left, right, top, bottom] = [64, width - 14, 20, height - 26];
        const y = (text === durationText ? time : linear)([0, Math.max(1, ...runs.map(({ value }) => value ?? 0))], [bottom, top]);
        const step = (right - left) / runs.length;
        layout = { left, step };
        const x = linear([0, runs.length], [left, right]);
        x.ticks = () => [];
        axes(context, colour, { x, xText: String, y, yText: text, left, right, top, bottom });
        const colours = { complete: "downloaded", partial: "evicted", failed: "failed", interrupted: "cancelled", running: "unchanged" };
        context.textAlign = "center";
        let lastEnd = -Infinity;
        runs.forEach(({ run, value, outcome }, index) => {
            const at = left + index * step, wide = Math.max(1, Math.min(step - 2, 40)), height = Math.max(3, bottom - y(value ?? 0));
            const from = at + (step - wide) / 2, centre = at + step / 2;
            context.fillStyle = colour(colours[outcome] ?? "fresh");
            context.fillRect(from, bottom - height, wide, height);
            context.fillStyle = colour("ink");
            context.textBaseline = "bottom";
            if (runLetters[outcome]) context.fillText(runLetters[outcome], centre, bottom - height - 1);
            context.textBaseline = "top";
            const half = context.measureText(String(run)).width / 2, isLast = index === runs.length - 1;
            context.fillStyle = isLast ? colour("ink") : colour("ink-soft");
            const last = runs[runs.length - 1], lastStart = right - step / 2 - context.measureText(String(last.run)).width / 2;
            if (!isLast && (centre - half < lastEnd + 10 || centre + half > lastStart - 10)) return;
            context.fillText(String(run), centre, bottom + 6);
            lastEnd = centre + half;
        });
    });
    const index = (x) => (layout ? Math.floor((x - layout.left) / layout.step) : -1);
    hover(canvas, (x) => runs[index(x)]?.lines ?? null);
    if (pick) canvas.addEventListener("click", (event) => { if (runs[index(event.offsetX)]) pick(runs[index(event.offsetX)]); });
    return { redraw, update(next) { runs = next; redraw(); } };
}

// MARK: Scatter

/** Points of size against time, both logarithmic: `{ x, y, outcome }`, outcomes as indices into `outcomes`. */
export function scatter(canvas, data, { label, pick, xText = byteText, yText = durationText } = {}) {
    let points = data;
    let layout = null;
    const extent = (values) => {
        let low = Infinity, high = 1;
        for (const value of values) {
            if (value > 0 && value < low) low = value;
            if (value > high) high = value;
        }
        low = Math.max(1, Math.min(low, high));
        return [low / 1.2, high * 1.2];
    };
    const redraw = surface(canvas, (context, width, height, colour) => {
        const [left, right, top, bottom] = [64, width - 14, 10, height - 26];
        const x = log(extent(points.x), [left, right]), y = log(extent(points.y), [bottom, top]);
        layout = { x, y };
        axes(context, colour, { x, xText, y, yText, left, right, top, bottom });
        const size = points.x.length > 5000 ? 2 : 4;
        context.globalAlpha = points.x.length > 2000 ? 0.45 : 0.8;
        for (const [index, name] of outcomes.entries()) {
            context.fillStyle = context.strokeStyle = colour(name);
            for (let at = 0; at < points.x.length; at += 1) {
                if (points.outcome[at] !== index) continue;
                const [px, py] = [x(points.x[at]), y(points.y[at])];
                if (name === "failed") {
                    line(context, px - 3, py - 3, px + 3, py + 3);
                    line(context, px - 3, py + 3, px + 3, py - 3);
                } else if (name === "unchanged") {
                    context.strokeRect(px - size / 2, py - size / 2, size, size);
                } else {
                    context.fillRect(px - size / 2, py - size / 2, size, size);
                }
            }
        }
        context.globalAlpha = 1;
    });
    const nearest = (px, py) => {
        if (!layout) return -1;
        let best = -1, distance = 144;
        for (let at = 0; at < points.x.length; at += 1) {
            const dx = layout.x(points.x[at]) - px, dy = layout.y(points.y[at]) - py, square = dx * dx + dy * dy;
            if (square < distance) [best, distance] = [at, square];
        }
        return best;
    };
    hover(canvas, (px, py) => { const at = nearest(px, py); return at < 0 || !label ? null : label(at); });
    if (pick) canvas.addEventListener("click", (event) => { const at = nearest(event.offsetX, event.offsetY); if (at >= 0) pick(at); });
    return { redraw, update(next) { points = next; redraw(); } };
}
