// Blurred previews: a thumbhash, 25 bytes that hold the lowest frequencies of a picture, drawn to a small canvas that the
// browser scales up. The form is Evan Wallace's (https://evanw.github.io/thumbhash/, MIT).

/** Draws the hash, base64, on the canvas; a hash that is damaged draws nothing. */
export function drawPreview(canvas, text) {
    canvas.dataset.hash = text;
    try {
        const { width, height, pixels } = decode(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
        canvas.width = width;
        canvas.height = height;
        canvas.getContext("2d").putImageData(new ImageData(pixels, width, height), 0, 0);
    } catch {
        canvas.width = canvas.height = 1;
    }
}

/** The pixels of a hash, at most 32 on a side. */
function decode(hash) {
    if (hash.length < 5) throw new RangeError("too short for a thumbhash");
    const header = hash[0] | (hash[1] << 8) | (hash[2] << 16);
    const rest = hash[3] | (hash[4] << 8);
    const hasAlpha = header >> 23, isLandscape = rest >> 15;
    const most = hasAlpha ? 5 : 7, short = Math.max(1, rest & 7), least = Math.max(3, short);
    const columns = isLandscape ? most : least, rows = isLandscape ? least : most;
    let nibble = 2 * (hasAlpha ? 6 : 5);
    const channel = (across, down, scale) => {
        const factors = [];
        for (let y = 0; y < down; y++) {
            for (let x = y ? 0 : 1; x * down < across * (down - y); x++, nibble++) {
                factors.push({ x, y, value: (((hash[nibble >> 1] >> ((nibble & 1) << 2)) & 15) / 7.5 - 1) * scale });
            }
        }
        return factors;
    };
    const light = { base: (header & 63) / 63, factors: channel(columns, rows, ((header >> 18) & 31) / 31) };
    const yellow = { base: ((header >> 6) & 63) / 31.5 - 1, factors: channel(3, 3, (((rest >> 3) & 63) / 63) * 1.25) };
    const red = { base: ((header >> 12) & 63) / 31.5 - 1, factors: channel(3, 3, (((rest >> 9) & 63) / 63) * 1.25) };
    const alpha = hasAlpha
        ? { base: (hash[5] & 15) / 15, factors: channel(5, 5, (hash[5] >> 4) / 15) }
        : { base: 1, factors: [] };

    const ratio = isLandscape ? most / short : short / most;
    const width = Math.round(ratio > 1 ? 32 : 32 * ratio), height = Math.round(ratio > 1 ? 32 / ratio : 32);
    const pixels = new Uint8ClampedArray(width * height * 4);
    const waves = (count, size) => Array.from({ length: size }, (_, i) => Array.from({ length: count }, (_, c) => Math.cos((Math.PI / size) * (i + 0.5) * c)));
    const acrossWaves = waves(7, width), downWaves = waves(7, height);
    for (let y = 0, at = 0; y < height; y++) {
        for (let x = 0; x < width; x++, at += 4) {
            const [l, p, q, a] = [light, yellow, red, alpha].map(({ base, factors }) =>
                factors.reduce((sum, factor) => sum + factor.value * acrossWaves[x][factor.x] * downWaves[y][factor.y] * 2, base));
            const b = l - (2 / 3) * p, r = (3 * l - b + q) / 2, g = r - q;
            pixels.set([255 * r, 255 * g, 255 * b, 255 * a], at);
        }
    }
    return { width, height, pixels };
}
