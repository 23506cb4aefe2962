// Modules that are loaded when they are needed.

import { Problem } from "./api.js";

/** Whether a module is missing. A browser may remember that it did not arrive: only loading the page again asks anew. */
export let isIncomplete = false;

/** The module that `load`, a call of `import()`, brings. Throws the `Problem` of a server that does not answer. */
export async function part(load) {
    try {
        return await load();
    } catch {
        isIncomplete = true;
        throw new Problem(0, "The server of this page does not answer");
    }
}
