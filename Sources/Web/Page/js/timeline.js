// The timeline of a run: a lane for each place in flight, a bar for each transfer, its phases in their order. Wheel zooms,
// drag pans, arrow keys and + and - do the same; hover tells, a click opens the item.

import { chart, ticks } from "./charts.js";

const LANE = 11;
const MOST_LANES = 48;
const EDGE = { left: 8, right: 8, top: 4, bottom: 24 };

/** Puts transfers into lanes so that none overlap: each into the first that is free when it begins. */
function lanesOf(bars) {
    const ends = [];
    for (const bar of bars) {
        let lane = ends.findIndex((end) => end <= bar.start);
        if (lane < 0) lane = ends.push(0) - 1;
        ends[lane] = bar.end;
        bar.lane = lane;
    }
    return ends.length;
}

/**
 * `bars` are {start, end, phases: [[name, microseconds]], failed, label}, in microseconds from the beginning of the run
 * and in the order of `start`. `opened(bar)` is called on a click.
 */
export function timeline({ label, bars, time, opened }) {
    const lanes = Math.min(MOST_LANES, lanesOf(bars));
    const whole = Math.max(1, ...bars.map(({ end }) => end));
    let from = 0, to = whole, moved = false;
    const longest = Math.max(0, ...bars.map(({ start, end }) => end - start));
    const at = (x, width) => from + ((x - EDGE.left) / (width - EDGE.left - EDGE.right)) * (to - from);

    function first(start) {
        let low = 0, high = bars.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (bars[middle].start < start - longest) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    function find(x, y, width) {
        const moment = at(x, width), lane = Math.floor((y - EDGE.top) / LANE), slack = ((to - from) / width) * 2;
        for (let i = first(moment); i < bars.length && bars[i].start <= moment + slack; i++) {
            if (bars[i].lane === lane && bars[i].end >= moment - slack) return bars[i];
        }
        return null;
    }

    const plot = chart({
        label, height: lanes * LANE + EDGE.top + EDGE.bottom,
        hover: (x, y, width) => (moved ? null : find(x, y, width)?.label ?? null),
        draw({ context, width, height, color, text }) {
            const room = width - EDGE.left - EDGE.right, scale = room / (to - from);
            const place = (moment) => EDGE.left + (moment - from) * scale;
            context.strokeStyle = color("line");
            const step = ticks(to - from, Math.max(2, Math.floor(room / 110)))[1] ?? to - from;
            for (let moment = Math.ceil(from / step) * step; moment <= to; moment += step) {
                const x = Math.round(place(moment)) + 0.5;
                context.beginPath();
                context.moveTo(x, 0);
                context.lineTo(x, height - EDGE.bottom);
                context.stroke();
                text(time(moment), Math.max(EDGE.left, x), height - 8, { align: x < 40 ? "start" : x > width - 40 ? "end" : "center" });
            }
            context.save();
            context.beginPath();
            context.rect(EDGE.left, 0, room, height - EDGE.bottom);
            context.clip();
            for (let i = first(from); i < bars.length && bars[i].start <= to; i++) {
                const bar = bars[i];
                if (bar.end < from || bar.lane >= lanes) continue;
                const y = EDGE.top + bar.lane * LANE;
                let moment = bar.start;
                for (const [name, length] of bar.phases) {
                    context.fillStyle = color(`phase-${name}`);
                    context.fillRect(place(moment), y, Math.max(0.6, length * scale - 0.4), LANE - 2);
                    moment += length;
                }
                if (bar.failed) {
                    // A cross at its end as well: red alone would not be seen by everyone.
                    const x = place(bar.end), middle = y + (LANE - 2) / 2;
                    context.strokeStyle = color("failed");
                    context.lineWidth = 2;
                    context.beginPath();
                    context.moveTo(x - 3, middle - 3);
                    context.lineTo(x + 3, middle + 3);
                    context.moveTo(x + 3, middle - 3);
                    context.lineTo(x - 3, middle + 3);
                    context.stroke();
                    context.lineWidth = 1;
                }
            }
            context.restore();
        },
    });

    function look(start, length) {
        const wanted = Math.min(whole, Math.max(whole / 5000, length));
        from = Math.max(0, Math.min(whole - wanted, start));
        to = from + wanted;
        plot.redraw();
    }

    const zoom = (factor, middle = (from + to) / 2) => look(middle - (middle - from) * factor, (to - from) * factor);
    const { canvas } = plot;
    canvas.classList.add("is-timeline");
    canvas.tabIndex = 0;
    canvas.addEventListener("wheel", (event) => {
        // A wheel over a plot that shows all goes on scrolling the page, unless it zooms in.
        if (!event.ctrlKey && event.deltaY > 0 && to - from >= whole) return;
        event.preventDefault();
        zoom(2 ** (Math.max(-120, Math.min(120, event.deltaY)) / 240), at(event.offsetX, canvas.clientWidth));
    }, { passive: false });
    let drag = null;
    canvas.addEventListener("pointerdown", (event) => {
        drag = { x: event.clientX, from, pointer: event.pointerId };
        moved = false;
    });
    canvas.addEventListener("pointermove", (event) => {
        if (!drag) return;
        const dx = event.clientX - drag.x;
        if (Math.abs(dx) < 4 && !moved) return;
        if (!moved) canvas.setPointerCapture(drag.pointer);
        moved = true;
        look(drag.from - (dx / canvas.clientWidth) * (to - from), to - from);
    });
    const end = (event) => {
        if (drag && !moved && event.type === "pointerup") {
            const bar = find(event.offsetX, event.offsetY, canvas.clientWidth);
            if (bar) opened(bar);
        }
        drag = null;
        moved = false;
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("keydown", (event) => {
        const span = to - from;
        const act = {
            ArrowLeft: () => look(from - span / 5, span), ArrowRight: () => look(from + span / 5, span),
            "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1.6), 0: () => look(0, whole),
            Home: () => look(0, span), End: () => look(whole, span),
        }[event.key];
        if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        act();
    });
    return plot;
}
