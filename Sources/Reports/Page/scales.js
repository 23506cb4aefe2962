// Numbers as text, and scales from numbers to pixels with round ticks. Times are microseconds, sizes bytes.

// MARK: Numbers for people

const counts = new Intl.NumberFormat("en");
export const countText = (count) => counts.format(count);

export function byteText(bytes) {
    if (bytes < 1000) return `${Math.round(bytes)} B`;
    let value = bytes;
    for (const unit of ["kB", "MB", "GB", "TB", "PB"]) {
        value /= 1000;
        if (value < 999.95) return `${value.toFixed(1).replace(/\.0$/, "")} ${unit}`;
    }
    return `${(value / 1000).toFixed(1)} EB`;
}

export function durationText(us) {
    if (us < 1000) return `${Math.round(us)} µs`;
    if (us < 9950) return `${(us / 1000).toFixed(1).replace(/\.0$/, "")} ms`;
    if (us < 999500) return `${Math.round(us / 1000)} ms`;
    if (us < 59950000) return `${(us / 1e6).toFixed(1).replace(/\.0$/, "")} s`;
    const seconds = Math.round(us / 1e6), minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
    if (hours === 0) return seconds % 60 ? `${minutes} m ${seconds % 60} s` : `${minutes} m`;
    if (hours < 24) return minutes % 60 ? `${hours} h ${minutes % 60} m` : `${hours} h`;
    return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A time on an axis whose ticks are `step` apart: with as many digits as tell them apart. */
export function axisTimeText(us, step) {
    if (!(step < 1e6) || us < 1e6) return durationText(us);
    const digits = Math.min(6, Math.ceil(6 - Math.log10(step))), minutes = Math.floor(us / 60e6);
    return `${minutes ? `${minutes} m ` : ""}${((us - minutes * 60e6) / 1e6).toFixed(digits)} s`;
}

// MARK: Scales

/** From a domain to pixels; `ticks(n)` are about n round values of the domain. */
export function linear([from, to], [start, end]) {
    const span = to - from || 1;
    const scale = (value) => start + ((value - from) / span) * (end - start);
    scale.invert = (pixel) => from + ((pixel - start) / (end - start)) * span;
    scale.ticks = (count) => roundTicks(from, to, count, [1, 2, 5, 10]);
    return scale;
}

/** Of microseconds: ticks at round seconds, minutes and hours. */
export function time([from, to], range) {
    const scale = linear([from, to], range);
    scale.ticks = (count) => {
        const step = (to - from) / Math.max(1, count);
        const unit = [1e6, 60e6, 3600e6, 86400e6].filter((unit) => step >= unit / 10).pop();
        const steps = unit === 60e6 || unit === 3600e6 ? [1, 2, 5, 10, 15, 30, 60] : [1, 2, 5, 10];
        return unit ? roundTicks(from, to, count, steps, unit) : roundTicks(from, to, count, [1, 2, 5, 10]);
    };
    return scale;
}

/** Values below `from` lie at its pixel. */
export function log([from, to], [start, end]) {
    const low = Math.log10(Math.max(from, 1)), span = Math.log10(Math.max(to, 10)) - low || 1;
    const scale = (value) => start + ((Math.log10(Math.max(value, from, 1)) - low) / span) * (end - start);
    scale.invert = (pixel) => 10 ** (low + ((pixel - start) / (end - start)) * span);
    scale.ticks = (count) => {
        const decades = [];
        for (let power = Math.ceil(low - 1e-9); power <= low + span + 1e-9; power += 1) decades.push(10 ** power);
        if (decades.length >= 3 || decades.length >= count) {
            const every = Math.ceil(decades.length / Math.max(1, count));
            return decades.filter((_, index) => index % every === 0);
        }
        const fine = [];
        for (let power = Math.floor(low); power <= low + span; power += 1) {
            for (const step of [1, 2, 5]) fine.push(step * 10 ** power);
        }
        return fine.filter((value) => value >= from * 0.999 && value <= to * 1.001);
    };
    return scale;
}

function roundTicks(from, to, count, steps, unit) {
    if (!(to > from)) return [from];
    const rough = (to - from) / Math.max(1, count);
    const base = unit ?? 10 ** Math.floor(Math.log10(rough));
    let factor = 1;
    while (rough > base * factor * steps[steps.length - 1]) factor *= 10;
    const step = base * factor * (steps.find((candidate) => candidate * base * factor >= rough) ?? steps[steps.length - 1]);
    const ticks = [];
    for (let tick = Math.ceil(from / step) * step; tick <= to * (1 + 1e-9) && ticks.length < 100; tick += step) ticks.push(tick);
    return ticks;
}
