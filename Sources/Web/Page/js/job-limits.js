// How many transfers at once: a slider from 1 to 256 that takes effect while the run goes on.

import { post } from "./api.js";
import { h, setText } from "./dom.js";
import { byteText } from "./format.js";
import * as live from "./live.js";
import { attempt } from "./messages.js";

// The slider is logarithmic: from 1 to 2 matters as much as from 128 to 256.
const STEPS = 64;
const valueAt = (position) => Math.round(2 ** ((8 * position) / STEPS));
const positionOf = (value) => Math.round((STEPS * Math.log2(Math.max(1, Math.min(256, value)))) / 8);

export function limitsCard(name) {
    let timer = 0;
    let touchedAt = -Infinity;
    const output = h("output", { for: "concurrency" });
    const slider = h("input", {
        type: "range", id: "concurrency", min: "0", max: String(STEPS), step: "1", "aria-label": "Concurrency",
        on: { input: changed, keydown: (event) => step(event) },
    });
    const note = h("p", { class: "soft small" });
    const element = h("section", { class: "card", "aria-label": "Limits" },
        h("div", { class: "card-body" }, h("h2", { text: "Transfers at once" }),
            h("div", { class: "limits" }, h("span", { class: "soft small", text: "1" }), slider, output), note));

    function showValue(value) {
        setText(output, String(value));
        slider.setAttribute("aria-valuetext", `${value} at once`);
    }

    function changed() {
        send(valueAt(Number(slider.value)));
    }

    /** An arrow key always changes the number, also where steps of the scale round to the same one. */
    function step(event) {
        const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 16, PageDown: -16 }[event.key];
        if (!by) return;
        event.preventDefault();
        send(Math.max(1, Math.min(256, Number(output.textContent) + by)));
    }

    function send(value) {
        touchedAt = performance.now();
        slider.value = String(positionOf(value));
        showValue(value);
        clearTimeout(timer);
        timer = setTimeout(() => attempt(async () => {
            const run = live.jobs.get(name)?.live?.run;
            if (run !== undefined) await post(`/runs/${run}/limits`, { concurrency: value });
        }), 120);
    }

    function update(status) {
        element.hidden = !status;
        if (!status) return;
        // What someone sets at this moment is not pulled from under the finger.
        if (performance.now() - touchedAt > 1500) {
            slider.value = String(positionOf(status.concurrency));
            showValue(status.concurrency);
        }
        const rate = status.bandwidth ? `at most ${byteText(status.bandwidth)}/s` : status.bandwidth_until && "any bandwidth";
        setText(note, [
            status.per_host && `at most ${status.per_host} to one host`,
            rate && rate + (status.bandwidth_until ? ` until ${status.bandwidth_until}` : ""),
        ].filter(Boolean).join(", "));
        note.hidden = !note.textContent;
    }
    return { element, update };
}
