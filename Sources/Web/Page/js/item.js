// The address of one item: its collection, with the viewer open on it.

import { get, withQuery, jobPath } from "./api.js";
import { go } from "./router.js";

export async function show({ item }) {
    const { job, collection } = await get(`/items/${item}`);
    await go(withQuery(`${jobPath(job)}/photos`, { collection: collection?.key, item }), { replace: true });
    // Not shown: the address has changed meanwhile.
    return { title: "", element: document.createElement("div") };
}
