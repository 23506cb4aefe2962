// Keys of the grid: by geometry, from wherever the focus is, at once.

import { addKeys, isWriting } from "./keys.js";
import { toggleFavourite } from "./marks.js";

export function addGridKeys(grid) {
    /** The item from which keys start: the one in focus, else the first in view. */
    const start = () => {
        const tile = grid.tiles.get(grid.focused);
        return tile?.element.contains(document.activeElement) ? grid.focused : grid.firstIndex;
    };
    const isFocused = () => grid.tiles.get(grid.focused)?.element.contains(document.activeElement);
    const to = (index) => {
        if (grid.list.count > 0) grid.reveal(index);
    };
    const step = (by) => () => to(isFocused() ? start() + by : start());
    const line = (by) => () => {
        if (!isFocused()) return to(start());
        const tile = grid.tiles.get(grid.focused);
        const row = grid.blocks.neighbourRow(grid.focused, by);
        if (!tile || !row) return undefined;
        const middle = centre(tile.element);
        const [first, last] = row;
        let best = first, distance = Infinity;
        for (let index = first; index <= last; index++) {
            const other = grid.tiles.get(index);
            if (!other) continue;
            const off = Math.abs(centre(other.element) - middle);
            if (off < distance) [best, distance] = [index, off];
        }
        return to(best);
    };
    const page = (by) => () => {
        const from = start();
        const target = grid.blocks.topOf(from) + by * Math.max(100, grid.viewHeight - 120);
        to(by > 0 && target >= grid.blocks.height - 40 ? grid.list.count - 1 : Math.max(0, grid.blocks.indexAt(Math.max(0, target))));
    };
    return addKeys("Photos", [
        ["ArrowLeft", "previous photo", step(-1)], ["ArrowRight", "next photo", step(1)],
        ["ArrowUp", "row above", line(-1)], ["ArrowDown", "row below", line(1)],
        ["Home", "first photo", () => to(0)], ["End", "last photo", () => to(grid.list.count - 1)],
        ["PageUp", "screen above", page(-1)], ["PageDown", "screen below", page(1)],
        ["Enter", "open", (event) => open(event)],
        ["f", "favourite", () => isFocused() && toggleFavourite(grid.list, grid.focused)],
    ]);

    function open(event) {
        // A link or a button in focus does its own.
        const control = event.target instanceof Element && event.target.closest("a, button");
        if (control && !isWriting(control)) control.click();
        else if (grid.list.count > 0) to(grid.firstIndex);
    }
}

function centre(element) {
    const { left, width } = element.getBoundingClientRect();
    return left + width / 2;
}
