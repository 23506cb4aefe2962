// Numbers, sizes, durations and ages for people. Sizes are decimal, as in the reports.

const counts = new Intl.NumberFormat("en");

export const countText = (count) => counts.format(count ?? 0);

export function plural(count, one, many = `${one}s`) {
    return `${countText(count)} ${count === 1 ? one : many}`;
}

export function byteText(bytes) {
    if (bytes === null || bytes === undefined) return "–";
    if (bytes < 1000) return `${Math.round(bytes)} B`;
    let value = bytes;
    for (const unit of ["kB", "MB", "GB", "TB", "PB"]) {
        value /= 1000;
        if (value < 999.95) return `${value.toFixed(1)} ${unit}`;
    }
    return `${(value / 1000).toFixed(1)} EB`;
}

/** Of microseconds: `850 µs`, `1.3 ms`, `310 ms`, `1.2 s`, `3 min 4 s`, `2 h 5 min`. */
export function durationText(microseconds) {
    if (microseconds === null || microseconds === undefined) return "–";
    if (microseconds < 1000) return `${Math.round(microseconds)} µs`;
    if (microseconds < 9950) return `${(microseconds / 1000).toFixed(1)} ms`;
    if (microseconds < 999500) return `${Math.round(microseconds / 1000)} ms`;
    if (microseconds < 59_950_000) return `${(microseconds / 1e6).toFixed(1)} s`;
    const seconds = Math.round(microseconds / 1e6), minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
    if (hours === 0) return `${minutes} min ${seconds % 60} s`;
    return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Of seconds that are left, without false precision. */
export function remainingText(seconds) {
    if (seconds === null || seconds === undefined) return "";
    if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s left`;
    return `${durationText(seconds * 1e6).replace(/ \d+ s$/, "")} left`;
}

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** The exact time, of microseconds since 1970. */
export const timeText = (at) => (at ? dates.format(new Date(at / 1000)) : "–");

/** How long ago, of microseconds since 1970. */
export function ageText(at, now = Date.now()) {
    if (!at) return "never";
    const seconds = Math.max(0, (now - at / 1000) / 1000);
    if (seconds < 45) return "just now";
    if (seconds < 3570) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
    if (seconds < 84600) return `${Math.round(seconds / 3600)} h ago`;
    if (seconds < 86400 * 45) return plural(Math.round(seconds / 86400), "day") + " ago";
    if (seconds < 86400 * 540) return `${Math.round(seconds / 86400 / 30.4)} months ago`;
    return plural(Math.round(seconds / 86400 / 365.25), "year") + " ago";
}

/** Whole percent, never 100 before the end and never 0 after the beginning. */
export function percent(part, whole) {
    if (!whole) return 0;
    if (part >= whole) return 100;
    return part > 0 ? Math.min(99, Math.max(1, Math.round((100 * part) / whole))) : 0;
}

/** `https://host` without what everyone knows. */
export const hostText = (origin) => String(origin ?? "").replace(/^https?:\/\//, "");
