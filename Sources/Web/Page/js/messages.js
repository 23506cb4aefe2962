// Short messages at the edge of the screen, and the questions that Reset asks.

import { button, h, icon } from "./dom.js";

let list;

/** A message that goes by itself; `action` is [label, handler], such as Undo. */
export function say(text, { kind = "info", action = null, seconds = action ? 10 : 5 } = {}) {
    list ??= document.body.appendChild(h("div", { class: "messages", role: "log", "aria-label": "Messages" }));
    // A modal dialog is above everything else; the message has to be in it to be seen.
    const host = document.querySelector("dialog.viewer[open]") ?? document.body;
    if (list.parentElement !== host) host.append(list);
    const message = h("div", { class: `message message-${kind}` },
        kind === "error" && icon("warning"), h("span", { class: "message-text", text }),
        action && h("button", { type: "button", class: "button button-quiet", text: action[0], on: { click: () => { close(); action[1](); } } }));
    const close = () => message.remove();
    let timer = setTimeout(close, seconds * 1000);
    message.addEventListener("pointerenter", () => clearTimeout(timer));
    message.addEventListener("pointerleave", () => (timer = setTimeout(close, 2500)));
    list.append(message);
    while (list.children.length > 3) list.firstChild.remove();
}

/** Runs `work` and says what went wrong. Returns its value, or undefined. */
export async function attempt(work) {
    try {
        return await work();
    } catch (error) {
        if (error.name !== "AbortError") say(error.message, { kind: "error", seconds: 8 });
        return undefined;
    }
}

/** Asks before what cannot be undone. Resolves to true or false. */
export function ask({ title, text, confirm }) {
    return new Promise((resolve) => {
        const dialog = h("dialog", { class: "sheet", "aria-labelledby": "ask-title" },
            h("h2", { id: "ask-title", text: title }), h("p", { text }),
            h("div", { class: "sheet-buttons" },
                button("Cancel", null, () => dialog.close("")),
                button(confirm, null, () => dialog.close("yes"), { class: "button button-danger" })));
        dialog.addEventListener("close", () => {
            dialog.remove();
            resolve(dialog.returnValue === "yes");
        });
        document.body.append(dialog);
        dialog.showModal();
    });
}

/** Asks for a line of text. Resolves to the text, or null. */
export function askText({ title, label, value = "", confirm }) {
    return new Promise((resolve) => {
        const input = h("input", { type: "text", id: "ask-text", value, maxlength: 100, autocomplete: "off" });
        const done = (event) => {
            event.preventDefault();
            if (input.value.trim()) dialog.close("yes");
        };
        const dialog = h("dialog", { class: "sheet", "aria-labelledby": "ask-title" },
            h("h2", { id: "ask-title", text: title }),
            h("form", { on: { submit: done } }, h("label", { for: "ask-text", text: label }), input,
                h("div", { class: "sheet-buttons" },
                    button("Cancel", null, () => dialog.close("")),
                    h("button", { type: "submit", class: "button button-strong", text: confirm }))));
        dialog.addEventListener("close", () => {
            dialog.remove();
            resolve(dialog.returnValue === "yes" ? input.value.trim() : null);
        });
        document.body.append(dialog);
        dialog.showModal();
        input.select();
    });
}

/** What stands where there is nothing to show, with the command that changes it. */
export function empty({ iconName, heading, text, command = null, action = null }) {
    return h("div", { class: "empty" },
        icon(iconName), h("h2", { text: heading }), h("p", { text }), command && h("pre", {}, h("code", { text: command })), action);
}
