// What is known of an item: what it is, where it is from, how its last transfer went, and every run that it was in.

import { pictureURL } from "./api.js";
import { fill, h, icon } from "./dom.js";
import { byteText, durationText, timeText } from "./format.js";
import { badgeOfOutcome, phases } from "./phases.js";

/** The pages of a PDF or the pictures of a ZIP, in their order. */
export function pagesOf(item) {
    return (item?.pictures ?? []).filter(({ kind }) => kind === "page" || kind === "entry")
        .sort((a, b) => a.position - b.position)
        .map((picture, number, all) => ({
            url: pictureURL(item.id, picture), width: picture.width, height: picture.height,
            label: picture.name ? `${picture.name}, ${number + 1} of ${all.length}` : `Page ${number + 1} of ${all.length}`,
            show: String(number + 1),
        }));
}

/** Only http and https become links: an address is what someone else wrote. */
export function webLink(url, text = url) {
    if (!/^https?:\/\//i.test(url ?? "")) return h("bdi", { text });
    return h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, h("bdi", { text }));
}

function rows(entries) {
    const present = entries.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== "–");
    return present.length > 0 && h("dl", { class: "details" }, present.map(([word, value]) =>
        h("div", {}, h("dt", { text: word }), h("dd", {}, value instanceof Node ? value : h("bdi", { text: String(value) })))));
}

export function showDetails(element, item) {
    const last = (item.transfers ?? []).find(({ attempts }) => attempts > 0) ?? null;
    const place = [item.collection?.title, item.collection?.subtitle, item.section ?? item.collection?.section].filter(Boolean).join(", ");
    const where = item.latitude !== null && item.latitude !== undefined && h("a", {
        href: `/map#12/${item.latitude.toFixed(4)}/${item.longitude.toFixed(4)}`, text: `${item.latitude.toFixed(4)}, ${item.longitude.toFixed(4)}`,
    });
    // Where only the thumbnail's size is known, that is not the picture's.
    const thumbnail = item.pictures?.find(({ kind }) => kind === "thumbnail");
    const original = item.pictures?.find(({ kind }) => kind !== "thumbnail");
    const size = item.width && item.width !== thumbnail?.width ? item : original;
    fill(element,
        h("h2", {}, h("bdi", { text: item.title || "Untitled" })),
        item.description && h("p", { class: "viewer-about", dir: "auto", text: item.description }),
        rows([
            ["Place", place], ["Coordinates", where || null], ["By", item.owner], ["Licence", item.licence],
            ["Taken", item.metadata?.taken], ["Tags", item.metadata?.tags], ["Page", item.page_url && webLink(item.page_url, "Open the photo's page")],
        ]),
        h("section", {}, h("h3", { text: "File" }), rows([
            ["Size", item.size === null || item.size === undefined ? null : `${byteText(item.size)} (${Number(item.size).toLocaleString("en")} bytes)`],
            ["Type", item.media_type], ["Pixels", size && `${size.width} × ${size.height}`],
            ["Stored", item.stored_at ? timeText(item.stored_at) : null], ["File", item.path], ["Address", item.url && webLink(item.url)],
            ["SHA-256", item.sha256 && h("code", { text: item.sha256 })], ["Failure", item.failure && `${item.failure}${item.detail ? `: ${item.detail}` : ""}`], ["State", item.state === "stored" ? null : item.state],
        ])),
        last && h("section", { class: "details-time" }, h("h3", { text: `Time taken: ${durationText(last.elapsed_us)}${last.attempts > 1 ? ` in ${last.attempts} attempts` : ""}` }), phaseBar(last),
            rows(phases.filter(({ key }) => last[key] > 0).map(({ key, word }) => [word, durationText(last[key])])),
            rows([["Status", last.status], ["HTTP", last.http_version], ["Server", last.address], ["Connection", last.connection_reused === null ? null : last.connection_reused ? "reused" : "new"]])),
        (item.transfers ?? []).length > 0 && h("section", {}, h("h3", { text: "Runs" }),
            h("ul", { class: "details-runs" }, item.transfers.map((transfer) => h("li", {}, h("a", { href: `/runs/${transfer.run_id}` },
                icon(badgeOfOutcome(transfer.outcome)), h("span", { text: `${transfer.outcome}${transfer.failure ? `: ${transfer.failure}${transfer.status ? ` ${transfer.status}` : ""}` : ""}` }),
                h("span", { class: "soft", text: `run ${transfer.run_id}` })))))));
}

/** The phases of a transfer as one bar; the list below it says the same in words. */
function phaseBar(transfer) {
    // Before the first attempt and after the last byte is no part of the time taken; the list below has it.
    const present = phases.filter(({ key, name }) => transfer[key] > 0 && name !== "queue" && name !== "store");
    return h("div", { class: "phases", role: "img", "aria-label": present.map(({ key, word }) => `${word} ${durationText(transfer[key])}`).join(", ") },
        present.map(({ key, name, word }) => h("span", { class: `phase-${name}`, title: `${word} ${durationText(transfer[key])}`, style: { "flex-grow": String(transfer[key]) } })));
}
