// Elements without markup: text only ever becomes a text node, styles are set through the DOM, so that titles from
// the network stay text and the page needs no `unsafe-inline`.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. `properties`: `class`, `on: {event: handler}`, `data: {}`, `style: {}` (custom properties too), `text`;
 * a value of `undefined`, `null` or `false` is left out, `true` is an empty attribute, the rest become attributes.
 */
export function h(tag, properties, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties ?? {})) {
        if (value === undefined || value === null || value === false) continue;
        if (name === "class") element.className = value;
        else if (name === "text") element.textContent = value;
        else if (name === "on") for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
        else if (name === "data") Object.assign(element.dataset, value);
        else if (name === "style") for (const [key, style] of Object.entries(value)) element.style.setProperty(key, style);
        else element.setAttribute(name, value === true ? "" : value);
    }
    append(element, children);
    return element;
}

function append(element, children) {
    for (const child of children) {
        if (child === undefined || child === null || child === false) continue;
        if (Array.isArray(child)) append(element, child);
        else element.append(child);
    }
}

/** Replaces what is in `element`. */
export function fill(element, ...children) {
    element.replaceChildren();
    append(element, children);
    return element;
}

/** A picture of icons.svg, hidden from screen readers: the button around it has the name. */
export function icon(name) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", "icon");
    svg.setAttribute("aria-hidden", "true");
    const use = document.createElementNS(SVG, "use");
    use.setAttribute("href", `/page/icons.svg#${name}`);
    svg.append(use);
    return svg;
}

/** A button with an icon and a visible word. */
export function button(label, iconName, handler, properties = {}) {
    return h("button", { type: "button", class: "button", on: { click: handler }, ...properties },
        iconName && icon(iconName), h("span", { class: "button-label", text: label }));
}

/** A button of an icon alone; its name is also its tooltip. */
export function iconButton(label, iconName, handler, properties = {}) {
    return h("button", {
        type: "button", class: "button button-icon", "aria-label": label, title: label, on: { click: handler }, ...properties,
    }, icon(iconName));
}

/**
 * Makes `element` unavailable with a reason, or available with `null`. It stays focusable, so that the reason can be
 * heard and seen; a click on it does nothing.
 */
export function setReason(element, reason, tooltip = "") {
    if (reason) element.setAttribute("aria-disabled", "true");
    else element.removeAttribute("aria-disabled");
    const title = reason || tooltip;
    if (title) element.title = title;
    else element.removeAttribute("title");
}

export const isUnavailable = (element) => element.getAttribute("aria-disabled") === "true";

/** Text whose direction is its own: a title in any script beside text in another. */
export function title(text, properties = {}) {
    return h("bdi", { text: text || "Untitled", ...properties });
}

/** Sets the text only where it differs: a screen reader is not told the same again, a selection survives. */
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
