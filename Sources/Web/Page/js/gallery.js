// A list of items as a grid, with the viewer over it. The item that is open is in the address, so that links and Back work.

import { h } from "./dom.js";
import { Grid } from "./grid.js";
import * as live from "./live.js";
import { attempt, empty } from "./messages.js";
import { part } from "./parts.js";
import { setQuery } from "./router.js";

/**
 * `list` is an ItemList; `jobOf(found)` tells the job of an item; `nothing` makes the element for a list without items.
 * `opened` is what `list.open()` returned, where that was called before. `setItem(id)` opens the viewer on an item or, with null, closes it.
 */
export function gallery({ list, opened = null, jobOf, nothing, seen }) {
    const box = h("div", { class: "gallery" });
    const grid = new Grid({ list, jobOf, seen, address: (found, id) => itemAddress(id) });
    let viewer = null;
    let wanted = null;
    opened ??= list.open(new URLSearchParams(location.search).get("item"));
    box.append(grid.element);

    function showCount() {
        if (list.total === 0) box.replaceChildren(nothing());
        else if (!grid.element.isConnected || grid.element.parentElement !== box) box.replaceChildren(grid.element);
    }

    const onItems = (event) => list.patch(event.detail.items);
    const onStatus = () => grid.refreshStates();
    live.changes.addEventListener("items", onItems);
    live.changes.addEventListener("status", onStatus);
    list.addEventListener("count", showCount);
    list.addEventListener("block", showCount);
    showCount();

    async function setItem(id) {
        wanted = id;
        if (!id) {
            viewer?.close();
            viewer = null;
            return;
        }
        if (viewer?.isOn(id)) return;
        const loaded = await attempt(() => part(() => import("./viewer.js")));
        if (!loaded) return;
        let index = list.indexOfID.get(Number(id));
        // A link from elsewhere: the list knows where it is in this list, if it is.
        if (index === undefined) index = await opened.catch(() => null);
        if (wanted !== id) return;
        if (viewer) {
            viewer.show(Number(id), index);
            return;
        }
        viewer = new loaded.Viewer({ list, jobOf, moved: (next) => setQuery({ item: next }, { replace: true, state: history.state }), closed: leaveItem });
        await viewer.show(Number(id), index);
    }

    /** Back to the grid: the step that opened the viewer is taken back, so that Back then leads to what was before. */
    function leaveItem(lastIndex) {
        viewer = null;
        if (new URLSearchParams(location.search).has("item")) {
            if (history.state?.isInside) history.back();
            else setQuery({ item: null }, { replace: true });
        }
        if (lastIndex !== null && lastIndex !== undefined) grid.reveal(lastIndex, { centre: false });
    }

    return {
        element: box,
        grid,
        list,
        setItem,
        ready: opened,
        leave() {
            viewer?.dispose();
            grid.close();
            list.close();
            live.changes.removeEventListener("items", onItems);
            live.changes.removeEventListener("status", onStatus);
        },
    };
}

function itemAddress(id) {
    const url = new URL(location.href);
    url.searchParams.set("item", id);
    return url.pathname + url.search + url.hash;
}

/** What a list that could not be loaded shows. */
export function listProblem(error) {
    return empty({ iconName: "warning", heading: error.title ?? "The list could not be loaded", text: error.detail || error.message });
}
