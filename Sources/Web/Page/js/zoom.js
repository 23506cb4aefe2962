// Pan and zoom of one picture by pointer, wheel and keys. The numbers are PhotoSwipe's, tuned over ten years.

import { reducedMotion } from "./dom.js";

const DURATION = 333;
const EASING = "cubic-bezier(.4,0,.22,1)";
/** What is left of a movement beyond the edge, beyond the largest and below the smallest zoom. */
const EDGE_FRICTION = 0.35, MOST_FRICTION = 0.05, LEAST_FRICTION = 0.15;
/** A swipe is faster than this, in pixels a millisecond. */
const SWIPE_SPEED = 0.5;
const DOUBLE_TAP = 300;
const KEY_PAN = 80;

/**
 * `on` has `swiped(by)`, `dragged(x)` while a picture that is not zoomed is moved sideways, `released()`, `pulled(share)`
 * while it is pulled down, and `closed()`.
 */
export class Zoom {
    constructor(stage, on) {
        this.stage = stage;
        this.on = on;
        this.pointers = new Map();
        this.element = null;
        this.size = { width: 1, height: 1 };
        this.scale = 1;
        this.x = this.y = 0;
        this.lastTap = 0;
        stage.addEventListener("pointerdown", (event) => this.down(event));
        stage.addEventListener("pointermove", (event) => this.move(event));
        for (const name of ["pointerup", "pointercancel"]) stage.addEventListener(name, (event) => this.up(event));
        stage.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
        stage.addEventListener("dragstart", (event) => event.preventDefault());
    }

    /** The picture to move, and its size in pixels. */
    set(element, width, height) {
        this.element = element;
        this.size = { width, height };
        this.pointers.clear();
        this.gesture = null;
        this.toFit(false);
    }

    get view() {
        return { width: this.stage.clientWidth, height: this.stage.clientHeight };
    }

    /** The whole picture, never larger than it is. */
    get fit() {
        const { width, height } = this.view;
        return Math.min(1, width / this.size.width, height / this.size.height);
    }

    /** Where double click leads: three times fit, at most the picture's own pixels and 4,000 of them; a picture that is smaller than the view, twice. */
    get near() {
        const { fit } = this;
        const near = Math.min(1, fit * 3, 4000 / this.size.width);
        return near > fit * 1.05 ? near : fit * 2;
    }

    get most() {
        return Math.max(this.near, 1) * 2;
    }

    get isZoomed() {
        return this.scale > this.fit * 1.01;
    }

    toFit(animated = true) {
        this.scale = this.fit;
        this.centre();
        this.apply(animated);
    }

    centre() {
        const { width, height } = this.view;
        this.x = (width - this.size.width * this.scale) / 2;
        this.y = (height - this.size.height * this.scale) / 2;
    }

    /** Zooms so that the pixel under (x, y) of the stage stays there. */
    zoomTo(scale, x = this.view.width / 2, y = this.view.height / 2, animated = true) {
        const wanted = Math.max(this.fit, Math.min(this.most, scale));
        this.x = x - ((x - this.x) * wanted) / this.scale;
        this.y = y - ((y - this.y) * wanted) / this.scale;
        this.scale = wanted;
        this.clamp();
        this.apply(animated);
    }

    toggle(x, y) {
        if (this.isZoomed) this.toFit();
        else this.zoomTo(this.near, x, y);
    }

    pan(dx, dy) {
        this.x += dx * KEY_PAN;
        this.y += dy * KEY_PAN;
        this.clamp();
        this.apply(true);
    }

    /** The nearest place where no edge of a picture larger than the view is inside it. */
    bounds() {
        const { width, height } = this.view;
        const one = (room, size) => (size <= room ? [(room - size) / 2, (room - size) / 2] : [room - size, 0]);
        return { x: one(width, this.size.width * this.scale), y: one(height, this.size.height * this.scale) };
    }

    clamp() {
        const { x, y } = this.bounds();
        this.x = Math.max(x[0], Math.min(x[1], this.x));
        this.y = Math.max(y[0], Math.min(y[1], this.y));
    }

    apply(animated) {
        if (!this.element) return;
        const { style } = this.element;
        style.setProperty("transition", animated && !reducedMotion() ? `transform ${DURATION}ms ${EASING}` : "none");
        style.setProperty("transform", `translate(${this.x}px, ${this.y}px) scale(${this.scale})`);
        this.stage.classList.toggle("is-zoomed", this.isZoomed);
    }

    local(event) {
        const { left, top } = this.stage.getBoundingClientRect();
        return { x: event.clientX - left, y: event.clientY - top };
    }

    down(event) {
        if (event.target.closest("button, a") || (event.pointerType === "mouse" && event.button !== 0)) return;
        this.stage.setPointerCapture(event.pointerId);
        const point = this.local(event);
        this.pointers.set(event.pointerId, point);
        if (this.pointers.size === 1) {
            this.gesture = { kind: null, start: point, last: point, at: event.timeStamp, x: this.x, y: this.y, speed: { x: 0, y: 0 }, moved: false };
        } else if (this.pointers.size === 2 && this.element) {
            const [a, b] = this.pointers.values();
            if (this.gesture?.kind === "swipe") this.on.released();
            this.gesture = { kind: "pinch", distance: Math.hypot(a.x - b.x, a.y - b.y), scale: this.scale, x: this.x, y: this.y, middle: middle(a, b), moved: true };
        }
    }

    move(event) {
        if (!this.pointers.has(event.pointerId) || !this.gesture) return;
        const point = this.local(event);
        this.pointers.set(event.pointerId, point);
        if (this.gesture.kind === "pinch") this.pinch();
        else if (this.pointers.size === 1) this.drag(point, event.timeStamp);
    }

    pinch() {
        const { gesture } = this;
        const [a, b] = this.pointers.values();
        if (!b) return;
        const now = middle(a, b);
        let scale = gesture.scale * (Math.hypot(a.x - b.x, a.y - b.y) / Math.max(1, gesture.distance));
        if (scale < this.fit) scale = this.fit - (this.fit - scale) * LEAST_FRICTION;
        if (scale > this.most) scale = this.most + (scale - this.most) * MOST_FRICTION;
        this.scale = scale;
        this.x = now.x - ((gesture.middle.x - gesture.x) * scale) / gesture.scale;
        this.y = now.y - ((gesture.middle.y - gesture.y) * scale) / gesture.scale;
        this.apply(false);
    }

    drag(point, at) {
        const { gesture } = this;
        const dx = point.x - gesture.start.x, dy = point.y - gesture.start.y;
        if (!gesture.moved && Math.hypot(dx, dy) < 10) return;
        gesture.moved = true;
        if (!gesture.kind) gesture.kind = this.isZoomed ? "pan" : Math.abs(dx) > Math.abs(dy) ? "swipe" : "pull";
        const time = Math.max(1, at - gesture.at);
        gesture.speed = { x: (point.x - gesture.last.x) / time, y: (point.y - gesture.last.y) / time };
        gesture.last = point;
        gesture.at = at;
        this.stage.classList.add("is-dragging");
        if (gesture.kind === "swipe") {
            this.on.dragged(dx);
        } else if (gesture.kind === "pull") {
            this.on.pulled(dy / (this.view.height / 3), dy);
        } else {
            const { x, y } = this.bounds();
            this.x = resist(gesture.x + dx, x);
            this.y = resist(gesture.y + dy, y);
            this.apply(false);
        }
    }

    up(event) {
        if (!this.pointers.delete(event.pointerId)) return;
        const { gesture } = this;
        if (!gesture || this.pointers.size > 0) return;
        this.gesture = null;
        this.stage.classList.remove("is-dragging");
        const point = this.local(event);
        const dx = point.x - (gesture.start?.x ?? 0), dy = point.y - (gesture.start?.y ?? 0);
        if (gesture.kind === "pinch") {
            if (this.scale <= this.fit) this.toFit();
            else this.zoomTo(this.scale, gesture.middle.x, gesture.middle.y);
        } else if (gesture.kind === "swipe") {
            const isFar = Math.abs(dx) > this.view.width / 2;
            const isFast = Math.abs(gesture.speed.x) > SWIPE_SPEED && Math.sign(gesture.speed.x) === Math.sign(dx);
            this.on[isFar || isFast ? "swiped" : "released"](dx < 0 ? 1 : -1);
        } else if (gesture.kind === "pull") {
            const isFast = Math.abs(gesture.speed.y) > SWIPE_SPEED && Math.sign(gesture.speed.y) === Math.sign(dy);
            if (Math.abs(dy) / (this.view.height / 3) > 0.4 || isFast) this.on.closed();
            else this.on.released();
        } else if (gesture.kind === "pan") {
            // It glides on a little, as a picture on a table would.
            this.x += gesture.speed.x * 120;
            this.y += gesture.speed.y * 120;
            this.clamp();
            this.apply(true);
        } else if (!gesture.moved && event.type === "pointerup" && this.element) {
            this.tap(event, point);
        }
    }

    tap(event, point) {
        const isDouble = event.timeStamp - this.lastTap < DOUBLE_TAP;
        this.lastTap = isDouble ? 0 : event.timeStamp;
        if (isDouble) this.toggle(point.x, point.y);
    }

    /** Ctrl and pinch on a touchpad zoom; a wheel zooms too while the picture fits, else it pans, Shift sideways. */
    wheel(event) {
        event.preventDefault();
        if (!this.element) return;
        const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? this.view.height : 1;
        const point = this.local(event);
        const isMouse = event.deltaMode !== 0 || (Number.isInteger(event.deltaY) && Math.abs(event.deltaY) >= 50 && event.deltaX === 0);
        if (event.ctrlKey || isMouse) {
            const by = Math.max(-240, Math.min(240, event.deltaY * unit));
            this.zoomTo(this.scale * 2 ** (-by / (event.ctrlKey && !isMouse ? 100 : 240)), point.x, point.y, false);
            return;
        }
        this.x -= (event.shiftKey ? event.deltaY : event.deltaX) * unit;
        this.y -= (event.shiftKey ? 0 : event.deltaY) * unit;
        this.clamp();
        this.apply(false);
    }
}

const middle = (a, b) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });

function resist(value, [least, most]) {
    if (value < least) return least - (least - value) * EDGE_FRICTION;
    if (value > most) return most + (value - most) * EDGE_FRICTION;
    return value;
}
