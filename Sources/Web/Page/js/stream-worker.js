// The worker that all tabs share. The stream is open while any of them can be seen.

import { Stream } from "./stream.js";

const ports = new Map();
const stream = new Stream((name, detail) => {
    for (const [port, isVisible] of ports) if (isVisible) port.postMessage([name, detail]);
});

self.addEventListener("connect", ({ ports: [port] }) => {
    ports.set(port, false);
    port.addEventListener("message", ({ data }) => {
        if (data === "gone") ports.delete(port);
        else ports.set(port, data === "visible");
        if (data === "visible") stream.replay((name, detail) => port.postMessage([name, detail]));
        if ([...ports.values()].includes(true)) stream.open();
        else stream.close();
    });
    port.start();
});
