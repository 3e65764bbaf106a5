/** Touch gestures that browsers do not report: pinch zoom and long press. */

/** Receives the gestures. */
export interface TouchGestureListener {
  /** Whether a touch at this point drags something instead of panning. */
  isDragTarget(clientX: number, clientY: number): boolean;
  zoom(): number;
  zoomed(zoom: number): void;
  /** A touch was held in place. */
  longPressed(clientX: number, clientY: number): void;
}

const LONG_PRESS_MS = 550;
/** Movement that a long press tolerates. */
const LONG_PRESS_PX = 10;
/** A `contextmenu` event within this time and before the next touch belongs to the same long press. */
const SAME_LONG_PRESS_MS = 1_500;

/** Recognizes gestures on an element until `dispose`. */
export class TouchGestures {
  private readonly listener: TouchGestureListener;
  private readonly controller = new AbortController();
  private pinch: { readonly distancePx: number; readonly zoom: number } | undefined;
  private hold: { readonly x: number; readonly y: number; readonly timer: number } | undefined;
  private longPressedAtMs = Number.NEGATIVE_INFINITY;
  /** The current touch was a long press, so its end must not close the menu it opened. */
  private wasLongPress = false;

  constructor(element: HTMLElement, listener: TouchGestureListener) {
    this.listener = listener;
    // Only listeners that are not passive can prevent panning and pinching.
    const options = { signal: this.controller.signal, passive: false };
    element.addEventListener("touchstart", (event) => this.start(event), options);
    element.addEventListener("touchmove", (event) => this.move(event), options);
    element.addEventListener("touchend", (event) => this.end(event), options);
    element.addEventListener("touchcancel", (event) => this.end(event), options);
  }

  dispose(): void {
    this.cancelLongPress();
    this.controller.abort();
  }

  /** Starts a long press. Returns whether it is new and not one that was already reported. */
  startLongPress(): boolean {
    this.cancelLongPress();
    const isNew = performance.now() - this.longPressedAtMs > SAME_LONG_PRESS_MS;
    this.longPressedAtMs = performance.now();
    this.wasLongPress = true;
    return isNew;
  }

  private start(event: TouchEvent): void {
    const [first, second] = event.touches;
    this.cancelLongPress();
    this.wasLongPress = false;
    this.longPressedAtMs = Number.NEGATIVE_INFINITY;
    if (!first || (event.target instanceof Element && event.target.closest(".grid-overlay"))) {
      return;
    }
    if (second) {
      event.preventDefault();
      this.pinch = { distancePx: distance(first, second), zoom: this.listener.zoom() };
      return;
    }
    if (this.listener.isDragTarget(first.clientX, first.clientY)) {
      event.preventDefault();
      return;
    }
    const { clientX: x, clientY: y } = first;
    const timer = window.setTimeout(() => {
      if (this.startLongPress()) {
        this.listener.longPressed(x, y);
      }
    }, LONG_PRESS_MS);
    this.hold = { x, y, timer };
  }

  private move(event: TouchEvent): void {
    const [first, second] = event.touches;
    if (this.pinch && first && second) {
      event.preventDefault();
      this.listener.zoomed((this.pinch.zoom * distance(first, second)) / Math.max(1, this.pinch.distancePx));
    } else if (this.hold && first && Math.hypot(first.clientX - this.hold.x, first.clientY - this.hold.y) > LONG_PRESS_PX) {
      this.cancelLongPress();
    }
  }

  private end(event: TouchEvent): void {
    this.cancelLongPress();
    if (this.wasLongPress && event.cancelable) {
      // Prevents the emulated mouse events, which would close the menu or choose an item.
      event.preventDefault();
    }
    if (event.touches.length < 2) {
      this.pinch = undefined;
    }
  }

  private cancelLongPress(): void {
    window.clearTimeout(this.hold?.timer);
    this.hold = undefined;
  }
}

function distance(a: Touch, b: Touch): number {
  return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
}
