// The table of items: sorted, filtered and searched, with the rows on the screen in the document and no others. What was
// chosen is in the address, so that a reader can send it.

import { outcomes, phases } from "./charts.js";
import { byteText, countText, durationText } from "./scales.js";

const rowHeight = 33;
const letters = { downloaded: "↓", unchanged: "=", fresh: "○", evicted: "−", failed: "×", cancelled: "–" };

function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (key === "class") element.className = value; else element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
}

export function itemTable(section, data, chosen) {
    const run = section.dataset.run, box = section.querySelector("[data-items]");
    const columns = [
        { key: "title", word: "Title", text: data.name, value: data.name, isText: true },
        { key: "outcome", word: "Outcome", text: (at) => `${letters[outcomes[data.outcome[at]]] ?? ""} ${data.reason(at) || outcomes[data.outcome[at]]}`, value: (at) => outcomes[data.outcome[at]] + data.reason(at), isText: true },
        { key: "time", word: "Time", text: (at) => (data.total[at] < 0 ? "–" : durationText(data.total[at])), value: (at) => data.total[at] },
        { key: "wait", word: "Wait", text: (at) => (at < data.asked ? durationText(data.wait[at]) : "–"), value: (at) => data.wait[at] ?? -1, isWide: true },
        { key: "size", word: "Size", text: (at) => (data.size[at] < 0 ? "–" : byteText(data.size[at])), value: (at) => data.size[at] },
        { key: "host", word: "Host", text: (at) => (data.origins[data.origin[at]] ?? "").replace(/^https?:\/\//, ""), value: (at) => data.origins[data.origin[at]] ?? "", isText: true, isWide: true },
        { key: "start", word: "Began", text: (at) => (at < data.asked ? `+${durationText(data.start[at])}` : "–"), value: (at) => data.start[at] ?? -1, isWide: true },
    ];
    const state = { sort: "", down: false, outcome: "", host: "", q: "", item: -1 };
    let rows = [];

    // MARK: The controls

    const present = outcomes.filter((_, index) => data.outcome.includes(index));
    const select = (name, label, values) => {
        const element = make("select", { "aria-label": label, name }, new Option(`${label}: all`, ""), ...values.map(([value, text]) => new Option(text, value)));
        element.addEventListener("change", () => { state[name] = element.value; apply(); });
        return element;
    };
    const outcomeSelect = select("outcome", "Outcome", present.map((name) => [name, name]));
    const hostSelect = select("host", "Host", data.origins.slice(0, 200).map((origin) => [origin, origin.replace(/^https?:\/\//, "")]));
    const search = make("input", { type: "search", placeholder: "Search titles and URLs", "aria-label": "Search titles and URLs" });
    let typing = 0;
    search.addEventListener("input", () => {
        clearTimeout(typing);
        typing = setTimeout(() => { state.q = search.value; apply(); }, 120);
    });
    const count = make("output", { class: "count" });

    // MARK: The table

    const head = make("tr", {}, ...columns.map((column) => {
        const button = make("button", { type: "button" }, column.word);
        button.addEventListener("click", () => {
            // A first click shows the largest numbers, or the first letters.
            state.down = state.sort === column.key ? !state.down : !column.isText;
            state.sort = column.key;
            apply();
        });
        column.head = make("th", { scope: "col", class: cellClass(column) }, button);
        return column.head;
    }));
    const body = make("tbody");
    const table = make("table", { "aria-label": "Items" }, make("thead", {}, head), body);
    const scroller = make("div", { class: "items-scroll", tabindex: "0", role: "region", "aria-label": "Items, scrollable" }, table);
    const details = make("div", { class: "details", "aria-live": "polite" });
    box.replaceChildren(make("div", { class: "controls" }, search, outcomeSelect, hostSelect, count), scroller, details);
    box.hidden = false;

    function cellClass(column) {
        return [column.isText ? "text" : "number", column.isWide ? "wide" : ""].join(" ").trim();
    }

    function apply(isRestoring = false) {
        const words = state.q.toLowerCase(), outcome = outcomes.indexOf(state.outcome), host = data.origins.indexOf(state.host);
        rows = [];
        for (let at = 0; at < data.title.length; at += 1) {
            if (outcome >= 0 && data.outcome[at] !== outcome) continue;
            if (host >= 0 && data.origin[at] !== host) continue;
            if (words && !data.name(at).toLowerCase().includes(words) && !data.url(at).toLowerCase().includes(words) && !data.reason(at).includes(words)) continue;
            rows.push(at);
        }
        const column = columns.find(({ key }) => key === state.sort);
        if (column) sort(column);
        for (const { key, head } of columns) {
            if (key === state.sort) head.setAttribute("aria-sort", state.down ? "descending" : "ascending"); else head.removeAttribute("aria-sort");
        }
        table.setAttribute("aria-rowcount", rows.length + 1);
        count.textContent = rows.length === data.title.length ? `${countText(rows.length)} items` : `${countText(rows.length)} of ${countText(data.title.length)} items`;
        scroller.scrollTop = 0;
        paint();
        if (!isRestoring) remember();
    }

    function sort(column) {
        const sign = state.down ? -1 : 1;
        if (column.isText) {
            const texts = new Map(rows.map((at) => [at, column.value(at)]));
            const order = new Intl.Collator(undefined, { numeric: true });
            // Comparing by letters of any script is slow: texts of plain letters are compared without it.
            rows.sort((one, other) => {
                const [a, b] = [texts.get(one), texts.get(other)];
                return sign * (a === b ? 0 : rows.length > 5000 ? (a < b ? -1 : 1) : order.compare(a, b)) || one - other;
            });
        } else {
            const values = new Float64Array(data.title.length);
            for (const at of rows) values[at] = column.value(at);
            rows.sort((one, other) => sign * (values[one] - values[other]) || one - other);
        }
    }

    // MARK: The rows that are seen

    function paint() {
        const height = scroller.clientHeight || 440, from = Math.max(0, Math.floor(scroller.scrollTop / rowHeight) - 6);
        const to = Math.min(rows.length, from + Math.ceil(height / rowHeight) + 12);
        const space = (size) => {
            const cell = make("td", { colspan: columns.length });
            cell.style.blockSize = `${size}px`;
            return make("tr", { "aria-hidden": "true", class: "space" }, cell);
        };
        const shown = rows.slice(from, to).map((at, index) => {
            const row = make("tr", { "aria-rowindex": from + index + 2, "data-at": at, class: `outcome-${outcomes[data.outcome[at]]}` });
            if (at === state.item) row.setAttribute("aria-current", "true");
            for (const column of columns) {
                const text = column.text(at);
                const cell = make(column.key === "title" ? "th" : "td", { class: cellClass(column) });
                if (column.key === "title") {
                    cell.scope = "row";
                    const button = make("button", { type: "button" }, make("bdi", {}, text));
                    button.title = text;
                    cell.append(button);
                } else {
                    cell.textContent = text;
                }
                row.append(cell);
            }
            return row;
        });
        const focused = body.contains(document.activeElement) ? document.activeElement.closest("tr")?.dataset.at : null;
        body.replaceChildren(space(from * rowHeight), ...shown, space((rows.length - to) * rowHeight));
        if (focused) body.querySelector(`[data-at="${focused}"] button`)?.focus({ preventScroll: true });
    }
    let isPainting = false;
    scroller.addEventListener("scroll", () => {
        if (isPainting) return;
        isPainting = true;
        requestAnimationFrame(() => { isPainting = false; paint(); });
    });
    new ResizeObserver(paint).observe(scroller);
    addEventListener("beforeprint", () => { rows.length <= 500 && (body.replaceChildren(), scroller.classList.add("printed"), paint()); });
    body.addEventListener("click", (event) => {
        const row = event.target.closest("[data-at]");
        if (row) choose(Number(row.dataset.at), true);
    });

    // MARK: One item

    function choose(at, isOwn = false) {
        state.item = at;
        describe(at);
        if (!isOwn && at >= 0) {
            const index = rows.indexOf(at);
            if (index >= 0) scroller.scrollTop = Math.max(0, (index - 4) * rowHeight);
        }
        paint();
        if (isOwn) chosen(at);
        remember();
    }

    function describe(at) {
        details.replaceChildren();
        if (at < 0) return;
        const facts = [
            ["Outcome", outcomes[data.outcome[at]] + (data.reason(at) ? `: ${data.reason(at)}` : "")], ["Why", data.details[at]], ["URL", data.url(at)], ["Key", data.key[at] || data.title[at]],
            ["Collection", data.collections[data.collection[at]]], ["Status", data.status[at] || ""], ["Attempts", data.attempts[at] || ""], ["Size", data.size[at] < 0 ? "" : byteText(data.size[at])],
            ["HTTP", at < data.asked ? (data.versions[data.version[at]] ?? "") + (data.reused[at] ? ", on a connection that was open" : "") : ""],
        ];
        const list = make("dl", {}, ...facts.filter(([, text]) => text !== "" && text !== undefined).flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, make("bdi", {}, String(text)))]));
        details.append(make("p", { class: "details-name" }, make("bdi", {}, data.name(at))), list);
        if (at < data.asked) {
            const times = phases.filter((phase) => data[phase][at] > 0);
            details.append(make("ul", { class: "legend" }, ...times.map((phase) => make("li", {}, make("span", { class: `swatch phase-${phase}` }), `${phase} ${durationText(data[phase][at])}`))));
        }
    }

    // MARK: The address

    function remember() {
        const words = new URLSearchParams();
        if (state.sort) words.set("sort", (state.down ? "-" : "") + state.sort);
        for (const name of ["outcome", "host", "q"]) if (state[name]) words.set(name, state[name]);
        if (state.item >= 0) words.set("item", data.key[state.item] || data.title[state.item]);
        const text = words.toString();
        history.replaceState(null, "", text ? `#run-${run}?${text}` : `#run-${run}`);
    }

    function restore() {
        const [place, text] = decodeURI(location.hash.slice(1)).split("?");
        apply(true);
        if (place !== `run-${run}` || !text) return;
        const words = new URLSearchParams(text), sort = words.get("sort") ?? "";
        state.down = sort.startsWith("-");
        state.sort = sort.replace(/^-/, "");
        state.outcome = outcomes.includes(words.get("outcome")) ? words.get("outcome") : "";
        state.host = data.origins.includes(words.get("host")) ? words.get("host") : "";
        state.q = words.get("q") ?? "";
        search.value = state.q;
        outcomeSelect.value = state.outcome;
        hostSelect.value = state.host;
        const key = words.get("item");
        const item = key === null ? -1 : data.title.findIndex((title, at) => (data.key[at] || title) === key);
        apply(true);
        if (item >= 0) {
            choose(item);
            chosen(item);
        }
        box.scrollIntoView();
    }
    return { choose, restore };
}
