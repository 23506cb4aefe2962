// Keys of the viewer. Arrows go to the next picture, or move a picture that is zoomed in.

import { addKeys } from "./keys.js";

export function addViewerKeys(viewer) {
    const { zoom } = viewer;
    const across = (by) => () => {
        const { x } = zoom.bounds();
        // At its edge a zoomed picture has nothing more to show there: the key leads on.
        const isAtEdge = by > 0 ? zoom.x <= x[0] + 1 : zoom.x >= x[1] - 1;
        if (zoom.isZoomed && !isAtEdge) zoom.pan(-by, 0);
        else viewer.step(by);
    };
    const along = (by) => () => zoom.isZoomed && zoom.pan(0, -by);
    return addKeys("Viewer", [
        ["ArrowLeft", "previous photo, or move left", across(-1)], ["ArrowRight", "next photo, or move right", across(1)],
        ["ArrowUp", "move up", along(-1)], ["ArrowDown", "move down", along(1)],
        ["z", "zoom in or out", () => zoom.toggle(zoom.view.width / 2, zoom.view.height / 2)],
        ["+, =", "larger", () => zoom.zoomTo(zoom.scale * 1.5)], ["-", "smaller", () => zoom.zoomTo(zoom.scale / 1.5)], ["0", "fit", () => zoom.toFit()],
        ["PageUp", "page before", () => viewer.showPage(viewer.pageOf - 1)], ["PageDown", "page after", () => viewer.showPage(viewer.pageOf + 1)],
        ["Home", "first photo", () => viewer.step(-viewer.index)], ["End", "last photo", () => viewer.step(viewer.list.count - 1 - viewer.index)],
        ["f", "favourite", () => viewer.favourite()], ["i", "image details", () => viewer.toggleDetails()],
        ["Delete", "remove, with a way back", () => viewer.remove()], ["Escape", "close", null],
    ]);
}
