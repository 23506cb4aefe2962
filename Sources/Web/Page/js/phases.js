// The phases of a transfer, in their order, with the words and colours that every plot has.

export const phases = [
    { key: "queue_us", name: "queue", word: "Queued" }, { key: "dns_us", name: "dns", word: "DNS" },
    { key: "connect_us", name: "connect", word: "Connect" }, { key: "tls_us", name: "tls", word: "TLS" },
    { key: "wait_us", name: "wait", word: "Wait" }, { key: "receive_us", name: "receive", word: "Receive" },
    { key: "store_us", name: "store", word: "Store" },
];

/** The icon that stands beside an outcome's word. */
export function badgeOfOutcome(outcome) {
    return { downloaded: "check", unchanged: "check", fresh: "clock", evicted: "minus", failed: "warning", cancelled: "stop" }[outcome] ?? "info";
}
