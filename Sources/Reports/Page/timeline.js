// The transfers of a run in time: what was in flight when, and what each waited for.

import { axes, hover, outcomes, phases, surface } from "./charts.js";
import { axisTimeText, time } from "./scales.js";

/**
 * A lane for each slot in flight and a bar for each transfer, coloured by phase.
 *
 * `spans` has arrays in the order of `start`: `start`, `length`, `lane`, `outcome` and `parts`, an array for each of the
 * phases dns to store; what of a bar comes before its parts is earlier attempts. `label(i)` are the lines of the hover text,
 * `pick(i)` is called with the bar that was clicked, or -1.
 */
export function timeline(canvas, spans, { label, pick } = {}) {
    const bar = phases.slice(1);
    let view = null, whole = [0, 1], lanes = 1, picked = -1, layout = null, reach = null;
    const prepare = () => {
        reach = new Float64Array(spans.start.length);
        let end = 0;
        lanes = 1;
        for (let at = 0; at < spans.start.length; at += 1) {
            end = Math.max(end, spans.start[at] + spans.length[at]);
            reach[at] = end;
            lanes = Math.max(lanes, spans.lane[at] + 1);
        }
        whole = [Math.min(0, spans.start[0] ?? 0), Math.max(1, end)];
        view = [...whole];
    };
    prepare();
    /** The first bar that ends after a time. */
    const first = (from) => {
        let [low, high] = [0, reach.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (reach[middle] < from) low = middle + 1; else high = middle;
        }
        return low;
    };
    const redraw = surface(canvas, (context, width, height, colour) => {
        const [left, right, top, bottom] = [36, width - 14, 6, height - 26];
        const x = time(view, [left, right]), lane = (bottom - top) / lanes;
        layout = { x, left, right, top, bottom, lane };
        axes(context, colour, { x, xText: axisTimeText, left, right, top, bottom });
        context.save();
        context.beginPath();
        context.rect(left, top, right - left, bottom - top);
        context.clip();
        const painted = new Float64Array(lanes).fill(-Infinity), thick = lane > 3 ? lane - 1 : lane;
        for (let at = first(view[0]); at < spans.start.length && spans.start[at] <= view[1]; at += 1) {
            const start = spans.start[at], end = start + spans.length[at], row = spans.lane[at];
            const x1 = x(start), x2 = Math.max(x(end), x1 + 1), y = top + row * lane;
            // Bars narrower than a pixel become one strip.
            if (x2 < painted[row] + 0.5) continue;
            painted[row] = x2;
            const isFailed = outcomes[spans.outcome[at]] === "failed";
            if (x2 - x1 < 3) {
                context.fillStyle = colour(isFailed ? "failed" : `phase-${longest(at)}`);
                context.fillRect(x1, y, Math.max(1, x2 - x1), thick);
                continue;
            }
            const total = bar.reduce((sum, _, part) => sum + spans.parts[part][at], 0);
            let from = Math.max(start, end - total);
            context.fillStyle = colour("line-strong");
            context.fillRect(x1, y + thick / 4, x(from) - x1, thick / 2);
            bar.forEach((name, part) => {
                const length = spans.parts[part][at];
                if (length <= 0) return;
                context.fillStyle = colour(`phase-${name}`);
                context.fillRect(x(from), y, Math.max(0.5, x(from + length) - x(from)), thick);
                from += length;
            });
            if (isFailed) {
                context.strokeStyle = colour("failed");
                context.lineWidth = 2;
                context.strokeRect(x1 + 1, y + 1, Math.max(1, x2 - x1 - 2), Math.max(1, thick - 2));
                context.lineWidth = 1;
                if (thick >= 8 && x2 - x1 >= 12) {
                    context.fillStyle = colour("failed");
                    context.textAlign = "right";
                    context.textBaseline = "middle";
                    context.fillText("×", x2 - 3, y + thick / 2);
                }
            }
        }
        if (picked >= 0) {
            const x1 = x(spans.start[picked]), x2 = x(spans.start[picked] + spans.length[picked]);
            context.strokeStyle = colour("ink");
            context.lineWidth = 2;
            context.strokeRect(x1 - 2, top + spans.lane[picked] * lane - 1, Math.max(4, x2 - x1 + 4), thick + 2);
            context.lineWidth = 1;
        }
        context.restore();
        context.fillStyle = colour("ink-soft");
        context.textAlign = "right";
        context.textBaseline = "middle";
        const every = Math.max(1, Math.ceil(16 / lane));
        for (let row = 0; row < lanes; row += every) context.fillText(String(row + 1), left - 6, top + row * lane + Math.max(lane / 2, 6));
    });
    const longest = (at) => {
        let best = 3;
        for (let part = 0; part < bar.length; part += 1) if (spans.parts[part][at] > spans.parts[best][at]) best = part;
        return bar[best];
    };
    const find = (px, py) => {
        if (!layout || px < layout.left || py < layout.top || py > layout.bottom) return -1;
        const row = Math.floor((py - layout.top) / layout.lane), moment = layout.x.invert(px), slack = layout.x.invert(px + 3) - moment;
        let best = -1, distance = Infinity;
        for (let at = first(moment - slack); at < spans.start.length && spans.start[at] <= moment + slack; at += 1) {
            if (spans.lane[at] !== row) continue;
            const away = Math.max(spans.start[at] - moment, moment - spans.start[at] - spans.length[at], 0);
            if (away <= slack && away < distance) [best, distance] = [at, away];
        }
        return best;
    };
    const show = (from, to) => {
        const least = Math.min(10, whole[1] - whole[0]);
        const span = Math.min(Math.max(to - from, least), whole[1] - whole[0]);
        const start = Math.min(Math.max(from, whole[0]), whole[1] - span);
        view = [start, start + span];
        redraw();
    };
    const zoom = (factor, pixel) => {
        if (!layout) return;
        const at = layout.x.invert(pixel ?? (layout.left + layout.right) / 2);
        show(at - (at - view[0]) * factor, at + (view[1] - at) * factor);
    };
    const pan = (share) => show(view[0] + (view[1] - view[0]) * share, view[1] + (view[1] - view[0]) * share);
    const isWhole = () => view[1] - view[0] >= (whole[1] - whole[0]) * 0.999;

    const hide = hover(canvas, (px, py) => { const at = find(px, py); return at < 0 || !label ? null : label(at); });
    canvas.addEventListener("wheel", (event) => {
        // All of it is seen: the page goes on.
        if (event.deltaY > 0 && isWhole()) return;
        event.preventDefault();
        hide();
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX / canvas.clientWidth);
        else zoom(1.0015 ** event.deltaY, event.offsetX);
    }, { passive: false });
    const pointers = new Map();
    let moved = 0;
    canvas.addEventListener("pointerdown", (event) => {
        pointers.set(event.pointerId, event.offsetX);
        moved = 0;
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
        if (!pointers.has(event.pointerId) || !layout) return;
        const before = [...pointers.values()], old = pointers.get(event.pointerId);
        pointers.set(event.pointerId, event.offsetX);
        const after = [...pointers.values()];
        moved += Math.abs(event.offsetX - old);
        if (after.length === 1) {
            const shift = layout.x.invert(old) - layout.x.invert(event.offsetX);
            show(view[0] + shift, view[1] + shift);
        } else if (after.length === 2) {
            const width = (pair) => Math.max(20, Math.abs(pair[0] - pair[1]));
            zoom(width(before) / width(after), (after[0] + after[1]) / 2);
        }
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
    canvas.addEventListener("click", (event) => {
        if (moved > 4) return;
        picked = find(event.offsetX, event.offsetY);
        redraw();
        pick?.(picked);
    });
    canvas.addEventListener("dblclick", () => show(...whole));
    canvas.addEventListener("keydown", (event) => {
        const act = { "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6), ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), 0: () => show(...whole), Home: () => show(...whole) }[event.key];
        if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        act();
    });
    return {
        redraw,
        /** Marks a bar, and shows it when it is out of sight. */
        choose(at) {
            picked = at;
            if (at >= 0 && (spans.start[at] > view[1] || spans.start[at] + spans.length[at] < view[0])) {
                const span = view[1] - view[0];
                show(spans.start[at] - span / 2, spans.start[at] + span / 2);
            }
            redraw();
        },
        update(next) { spans = next; picked = -1; prepare(); redraw(); },
        get lanes() { return lanes; },
        get view() { return [...view]; },
    };
}
