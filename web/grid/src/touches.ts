/** What fingers do besides pressing and panning, which the browser tells: pinching, and holding still. */

export interface TouchListener {
  /** Something that a single finger drags instead of panning. */
  isHeld(clientX: number, clientY: number): boolean;
  zoom(): number;
  zoomed(zoom: number): void;
  /** A finger was held still. */
  held(clientX: number, clientY: number): void;
}

const HOLD_MS = 550;
/** A finger trembles. */
const HOLD_PX = 10;
/** Within this time the browser's own event for a held finger is the same hold. */
const SAME_HOLD_MS = 1_500;

export class Touches {
  private readonly listener: TouchListener;
  private readonly controller = new AbortController();
  private pinch: { readonly distancePx: number; readonly zoom: number } | undefined;
  private hold: { readonly x: number; readonly y: number; readonly timer: number } | undefined;
  private heldAtMs = Number.NEGATIVE_INFINITY;
  /** The finger that is down was held, and what it opened stays when it is lifted. */
  private wasHeld = false;

  constructor(element: HTMLElement, listener: TouchListener) {
    this.listener = listener;
    // Panning and pinching can only be refused by listeners that say so.
    const options = { signal: this.controller.signal, passive: false };
    element.addEventListener("touchstart", (event) => this.start(event), options);
    element.addEventListener("touchmove", (event) => this.move(event), options);
    element.addEventListener("touchend", (event) => this.end(event), options);
    element.addEventListener("touchcancel", (event) => this.end(event), options);
  }

  dispose(): void {
    this.letGo();
    this.controller.abort();
  }

  /** Whether the browser's event for a held finger is the first to tell of it. */
  takeHold(): boolean {
    this.letGo();
    const isNew = performance.now() - this.heldAtMs > SAME_HOLD_MS;
    this.heldAtMs = performance.now();
    this.wasHeld = true;
    return isNew;
  }

  private start(event: TouchEvent): void {
    const [first, second] = event.touches;
    this.letGo();
    this.wasHeld = false;
    if (!first || (event.target instanceof Element && event.target.closest(".grid-overlay"))) {
      return;
    }
    if (second) {
      event.preventDefault();
      this.pinch = { distancePx: distance(first, second), zoom: this.listener.zoom() };
      return;
    }
    if (this.listener.isHeld(first.clientX, first.clientY)) {
      event.preventDefault();
      return;
    }
    const { clientX: x, clientY: y } = first;
    const timer = window.setTimeout(() => {
      if (this.takeHold()) {
        this.listener.held(x, y);
      }
    }, HOLD_MS);
    this.hold = { x, y, timer };
  }

  private move(event: TouchEvent): void {
    const [first, second] = event.touches;
    if (this.pinch && first && second) {
      event.preventDefault();
      this.listener.zoomed((this.pinch.zoom * distance(first, second)) / Math.max(1, this.pinch.distancePx));
    } else if (this.hold && first && Math.hypot(first.clientX - this.hold.x, first.clientY - this.hold.y) > HOLD_PX) {
      this.letGo();
    }
  }

  private end(event: TouchEvent): void {
    this.letGo();
    if (this.wasHeld && event.cancelable) {
      // Otherwise the press of a mouse and a click would follow, which close the menu or choose from it.
      event.preventDefault();
    }
    if (event.touches.length < 2) {
      this.pinch = undefined;
    }
  }

  private letGo(): void {
    window.clearTimeout(this.hold?.timer);
    this.hold = undefined;
  }
}

function distance(a: Touch, b: Touch): number {
  return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
}
