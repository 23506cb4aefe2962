// A scroller over content that is higher than a browser can lay out: browsers stop somewhere between 16 and 33 million
// pixels, a million pictures are 40 million. Its own height is capped; movement by wheel, touch and keys is one to one,
// a jump of the scroll bar goes to the same share of the content.

const CAP = 10_000_000;

export class VirtualScroll {
    /** `moved()` is called when `top`, the first pixel of the content in view, has changed. */
    constructor(scroller, space, moved) {
        this.scroller = scroller;
        this.space = space;
        this.moved = moved;
        this.top = 0;
        this.height = 0;
        this.last = 0;
        this.idle = 0;
        scroller.addEventListener("scroll", () => this.onScroll(), { passive: true });
    }

    get view() {
        return this.scroller.clientHeight;
    }

    get longest() {
        return Math.max(0, this.height - this.view);
    }

    get isCapped() {
        return this.height > CAP;
    }

    /** How far the content is above where its own pixels would put it. */
    get offset() {
        return this.last - this.top;
    }

    /** Sets the height of the content, and which of its pixels is at the top of the view. */
    resize(height, top) {
        this.height = height;
        this.space.style.setProperty("block-size", `${Math.min(height, CAP)}px`);
        this.place(top);
    }

    /** Moves to a pixel of the content. */
    place(top) {
        this.top = Math.max(0, Math.min(this.longest, top));
        const physical = Math.round(this.isCapped ? (this.top / this.longest) * (CAP - this.view) : this.top);
        if (!this.isCapped) this.top = physical;
        if (Math.abs(this.scroller.scrollTop - physical) >= 1) this.scroller.scrollTop = physical;
        // The browser may round, or clamp to what it has laid out.
        this.last = this.scroller.scrollTop;
        if (!this.isCapped) this.top = this.last;
    }

    onScroll() {
        const now = this.scroller.scrollTop;
        const by = now - this.last;
        if (by === 0) return;
        this.last = now;
        if (!this.isCapped) {
            this.top = now;
        } else {
            const end = CAP - this.view;
            const isStep = Math.abs(by) < this.view * 1.5;
            this.top = isStep && now > 0 && now < end - 1 ? this.top + by : (now / end) * this.longest;
            this.top = Math.max(0, Math.min(this.longest, this.top));
            // Steps shift the bar away from its share; it is put right when the hand rests, or when it has gone far.
            clearTimeout(this.idle);
            const drift = Math.abs(now - (this.top / this.longest) * end);
            if (drift > CAP / 10) this.place(this.top);
            else if (drift > 1) this.idle = setTimeout(() => { this.place(this.top); this.moved(); }, 200);
        }
        this.moved();
    }
}
