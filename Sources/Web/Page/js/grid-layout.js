// Justified rows: pictures at their own aspect ratio, every row as wide as the grid. Pure functions of numbers.

/** A picture wider or taller than this is cut to it in the grid; the viewer shows it whole. */
const WIDEST = 3.2;
const TALLEST = 0.5;
/** Where a size is not known yet. */
export const NEUTRAL = 4 / 3;

export function ratioOf(width, height) {
    if (!(width > 0 && height > 0)) return NEUTRAL;
    return Math.min(WIDEST, Math.max(TALLEST, width / height));
}

/**
 * The rows of one block, each [start, end, top, height], and the block's height with a gap below each row.
 *
 * Of all ways to cut the block into rows, the one whose heights are nearest to the target altogether: every row is as wide
 * as the grid, the last one too, so blocks follow one another without a ragged row between.
 */
export function justify(ratios, width, target, gap) {
    const count = ratios.length;
    const costs = new Float64Array(count + 1).fill(Infinity);
    const froms = new Int32Array(count + 1);
    costs[0] = 0;
    for (let start = 0; start < count; start++) {
        let own = 0;
        for (let end = start + 1; end <= count; end++) {
            own += ratios[end - 1];
            const height = (width - gap * (end - start - 1)) / own;
            // Lower than half: one more picture makes it worse only.
            if (height < target * 0.5 && end > start + 1) break;
            const off = Math.log(Math.min(height, target * 2) / target);
            const cost = costs[start] + off * off;
            if (cost < costs[end]) {
                costs[end] = cost;
                froms[end] = start;
            }
        }
    }
    const cuts = [];
    for (let end = count; end > 0; end = froms[end]) cuts.push([froms[end], end]);
    let top = 0;
    const rows = cuts.reverse().map(([start, end]) => {
        let own = 0;
        for (let i = start; i < end; i++) own += ratios[i];
        const height = Math.round(Math.min((width - gap * (end - start - 1)) / own, target * 1.45));
        const row = [start, end, top, height];
        top += height + gap;
        return row;
    });
    return { rows, height: top };
}

/** The places of a row's pictures: [left, width] each. They fill the row to the pixel unless the row is short. */
export function placesOf(ratios, [start, end, , height], width, gap) {
    const places = [];
    let own = 0;
    for (let i = start; i < end; i++) own += ratios[i];
    const room = width - gap * (end - start - 1);
    const unit = room / own <= height * 1.02 ? room / own : height;
    let exact = 0, left = 0;
    for (let i = start; i < end; i++) {
        exact += ratios[i] * unit;
        const right = Math.round(exact) + gap * (i - start);
        places.push([left, right - left]);
        left = right + gap;
    }
    return places;
}

/** How high a block will be, before the sizes of its pictures are known. */
export function estimate(count, meanRatio, width, target, gap) {
    const perRow = (width + gap) / (target * meanRatio + gap);
    const rows = Math.max(1, Math.round(count / perRow));
    return rows * (Math.min(target * 1.45, (width + gap) / (meanRatio * (count / rows)) - gap / meanRatio) + gap);
}
