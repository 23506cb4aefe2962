// Plots on canvas, for the page and for reports: each answers one question, has its numbers in words beside it, and never
// means anything by colour alone. Plain functions of data; colours are custom properties of the element they are in.

/** 1, 2 and 5 times powers of ten: about `count` steps from 0 to `most`. */
export function ticks(most, count = 5) {
    if (!(most > 0)) return [0];
    const raw = most / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((by) => by * power).find((size) => size >= raw * 0.999);
    return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, index) => index * step);
}

/** Where buckets of a logarithmic histogram begin: 1, 2, 5 times powers of ten around `least` and `most`. */
function decades(least, most) {
    const starts = [];
    for (let power = 10 ** Math.floor(Math.log10(Math.max(1, least))); power <= most; power *= 10) {
        for (const step of [1, 2, 5]) if (power * step * 2.5 > least && power * step <= most) starts.push(power * step);
    }
    return starts.length ? starts : [1];
}

function quantile(sorted, share) {
    return sorted.length ? sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? sorted[0] : null;
}

/**
 * A canvas that draws itself at the size it gets and in the colours of the scheme. `draw(pen)` gets
 * {context, width, height, color(name), text(words, x, y, {align, baseline, strong})}. Returned is {element, redraw, stop}.
 */
export function chart({ label, height, draw, hover = null }) {
    const canvas = document.createElement("canvas");
    canvas.className = "chart";
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", label);
    canvas.style.setProperty("block-size", `${height}px`);
    const tip = document.createElement("div");
    tip.className = "chart-tip";
    tip.hidden = true;
    const element = document.createElement("div");
    element.className = "chart-box";
    element.append(canvas, tip);
    let frame = 0;

    function redraw() {
        cancelAnimationFrame(frame);
        frame = requestAnimationFrame(() => {
            const { clientWidth: width, clientHeight } = canvas;
            if (width === 0) return;
            const dense = devicePixelRatio || 1;
            canvas.width = Math.round(width * dense);
            canvas.height = Math.round(clientHeight * dense);
            const context = canvas.getContext("2d");
            context.scale(dense, dense);
            const style = getComputedStyle(element);
            const color = (name) => style.getPropertyValue(`--${name}`).trim();
            const text = (words, x, y, { align = "start", baseline = "middle", strong = false } = {}) => {
                context.font = `${strong ? 600 : 400} 12px ${style.fontFamily}`;
                context.fillStyle = color(strong ? "ink" : "ink-soft");
                context.textAlign = align;
                context.textBaseline = baseline;
                context.fillText(words, x, y);
            };
            draw({ context, width, height: clientHeight, color, text });
        });
    }

    const observer = new ResizeObserver(redraw);
    observer.observe(canvas);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", redraw);
    if (hover) {
        canvas.addEventListener("pointermove", (event) => {
            const words = hover(event.offsetX, event.offsetY, canvas.clientWidth, canvas.clientHeight);
            tip.hidden = !words;
            if (!words) return;
            tip.textContent = words;
            tip.style.setProperty("transform", `translate(${Math.max(0, Math.min(canvas.clientWidth - tip.offsetWidth, event.offsetX + 12))}px, ${Math.max(0, event.offsetY - tip.offsetHeight - 10)}px)`);
        });
        canvas.addEventListener("pointerleave", () => (tip.hidden = true));
    }
    return { element, canvas, redraw, stop() { observer.disconnect(); scheme.removeEventListener("change", redraw); } };
}

const EDGE = { left: 56, right: 12, top: 10, bottom: 26 };

function grid({ context, width, height, color, text }, values, most, format) {
    const inner = height - EDGE.top - EDGE.bottom;
    for (const value of values) {
        const y = Math.round(height - EDGE.bottom - (value / most) * inner) + 0.5;
        context.strokeStyle = color("line");
        context.beginPath();
        context.moveTo(EDGE.left, y);
        context.lineTo(width - EDGE.right, y);
        context.stroke();
        text(format(value), EDGE.left - 8, y, { align: "end" });
    }
}

/** How long transfers took: bars over a logarithmic axis, with p50, p90 and p99 as lines that carry their names. */
export function histogram({ values, format, count = (n) => String(n), height = 220 }) {
    const sorted = Float64Array.from(values).sort();
    const starts = decades(sorted[0] ?? 1, sorted.at(-1) ?? 1);
    const counts = new Array(starts.length).fill(0);
    for (const value of sorted) {
        let bucket = starts.length - 1;
        while (bucket > 0 && starts[bucket] > value) bucket -= 1;
        counts[bucket] += 1;
    }
    const most = Math.max(1, ...counts);
    const marks = [["p50", 0.5], ["p90", 0.9], ["p99", 0.99]].filter(([name]) => name !== "p99" || sorted.length >= 100)
        .map(([name, share]) => [name, quantile([...sorted], share)]);
    const place = (value, width) => {
        let bucket = starts.length - 1;
        while (bucket > 0 && starts[bucket] > value) bucket -= 1;
        const end = starts[bucket + 1] ?? starts[bucket] * 2.2;
        const within = Math.min(1, Math.max(0, Math.log(value / starts[bucket]) / Math.log(end / starts[bucket])));
        return EDGE.left + ((bucket + within) * (width - EDGE.left - EDGE.right)) / starts.length;
    };
    return chart({
        label: `How long transfers took: ${marks.map(([name, value]) => `${name} ${format(value)}`).join(", ")}, of ${count(sorted.length)} transfers`, height,
        hover: (x, _, width) => {
            const bucket = Math.floor(((x - EDGE.left) / (width - EDGE.left - EDGE.right)) * starts.length);
            return counts[bucket] === undefined ? null : `${format(starts[bucket])} and more: ${count(counts[bucket])}`;
        },
        draw(pen) {
            const { context, width, color, text } = pen;
            const inner = pen.height - EDGE.top - EDGE.bottom - 14, each = (width - EDGE.left - EDGE.right) / starts.length;
            grid(pen, ticks(most, 4), most * (1 + 14 / inner), count);
            counts.forEach((value, bucket) => {
                context.fillStyle = color("phase-wait");
                const tall = (value / most) * inner;
                context.beginPath();
                context.roundRect(EDGE.left + bucket * each + 2, pen.height - EDGE.bottom - tall, Math.max(1, each - 4), tall, [4, 4, 0, 0]);
                context.fill();
                if (each > 44 || bucket % Math.ceil(44 / each) === 0) text(format(starts[bucket]), EDGE.left + bucket * each, pen.height - 8, { align: "start" });
            });
            let last = -Infinity, level = 0;
            for (const [name, value] of marks) {
                const x = Math.round(place(value, width)) + 0.5;
                context.strokeStyle = color("ink");
                context.setLineDash([3, 3]);
                context.beginPath();
                level = x - last < 34 ? level + 1 : 0;
                context.moveTo(x, EDGE.top + level * 15 + 2);
                context.lineTo(x, pen.height - EDGE.bottom);
                context.stroke();
                context.setLineDash([]);
                text(name, x + 4, EDGE.top + level * 15 + 4, { strong: true });
                last = x;
            }
        },
    });
}

/** Something over time, as an area: `values` of equal spans of `step` microseconds each. */
export function area({ label, values, step, format, time, height = 220 }) {
    const most = Math.max(1e-9, ...values);
    return chart({
        label, height,
        hover: (x, _, width) => {
            const index = Math.floor(((x - EDGE.left) / (width - EDGE.left - EDGE.right)) * values.length);
            return values[index] === undefined ? null : `${time(index * step)}: ${format(values[index])}`;
        },
        draw(pen) {
            const { context, width, color, text } = pen;
            const inner = pen.height - EDGE.top - EDGE.bottom, room = width - EDGE.left - EDGE.right;
            grid(pen, ticks(most, 4), most, format);
            context.lineWidth = 1;
            const point = (index) => [EDGE.left + ((index + 0.5) * room) / values.length, pen.height - EDGE.bottom - (values[index] / most) * inner];
            context.beginPath();
            context.moveTo(EDGE.left, pen.height - EDGE.bottom);
            values.forEach((_, index) => context.lineTo(...point(index)));
            context.lineTo(width - EDGE.right, pen.height - EDGE.bottom);
            context.fillStyle = color("accent");
            context.globalAlpha = 0.18;
            context.fill();
            context.globalAlpha = 1;
            context.beginPath();
            values.forEach((_, index) => context.lineTo(...point(index)));
            context.strokeStyle = color("accent");
            context.lineWidth = 2;
            context.lineJoin = "round";
            context.stroke();
            context.lineWidth = 1;
            const end = values.length * step;
            for (const at of ticks(end, Math.max(2, Math.floor(room / 110)))) text(time(at), EDGE.left + (at / end) * room, pen.height - 8, { align: at === 0 ? "start" : "center" });
        },
    });
}
