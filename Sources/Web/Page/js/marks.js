// Favourites, what was viewed, and items taken away or brought back.

import { post } from "./api.js";
import { attempt, say } from "./messages.js";

/** Marks the item at `index` of a list, or takes the mark away; the list shows it at once. */
export async function toggleFavourite(list, index) {
    const found = list.at(index);
    if (!found) return;
    const id = found.columns.id[found.row];
    const on = !found.columns.favourite?.[found.row];
    list.patch([{ id, favourite: on ? 1 : 0 }]);
    const done = await attempt(async () => {
        await post("/favourites", { item: id, on });
        return true;
    });
    if (!done) list.patch([{ id, favourite: on ? 0 : 1 }]);
}

/** Removes an item's file, with a way back instead of a question before. */
export async function removeItem(list, id, title) {
    const done = await attempt(async () => (await post("/items/remove", { items: [id] })) ?? {});
    if (!done) return false;
    list.patch([{ id, state: "removed", thumbnail: null }]);
    const stays = done.stays ? ` ${done.stays.join(", ")} stays, as it was changed since it was stored.` : "";
    say(`Removed ${title || "the item"}. No run fetches it again.${stays}`, {
        action: ["Undo", () => attempt(async () => {
            await post("/items/restore", { items: [id] });
            list.patch([{ id, state: "pending" }]);
            say("Brought back: the next run fetches it if its list has it");
        })],
    });
    return true;
}

export const markViewed = (id) => post("/viewed", { item: id }).catch(() => {});
