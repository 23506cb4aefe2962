// A long press by pointer events: Leaflet knows of none on most phones. 600 ms, cancelled beyond 10 pixels or by a second
// finger.

const HOLD = 600;
const SLACK = 10;

/** Calls `pressed({clientX, clientY})`. */
export function onLongPress(element, pressed) {
    let timer = 0;
    let start = null;
    const cancel = () => {
        clearTimeout(timer);
        start = null;
    };
    element.addEventListener("pointerdown", (event) => {
        cancel();
        if (!event.isPrimary || event.button !== 0 || event.target.closest(".leaflet-marker-icon, .leaflet-control, button, a")) return;
        start = { clientX: event.clientX, clientY: event.clientY };
        timer = setTimeout(() => {
            pressed(start);
            cancel();
        }, HOLD);
    });
    element.addEventListener("pointermove", (event) => {
        if (start && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > SLACK) cancel();
    });
    for (const name of ["pointerup", "pointercancel", "pointerleave", "wheel"]) element.addEventListener(name, cancel, { passive: true });
}
