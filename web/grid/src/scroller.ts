/**
 * A native scroll container for sheets that may be taller than the largest element that browsers
 * support.
 *
 * Wheel, touch and keyboard scroll by exact pixels. On sheets beyond the limit, dragging the
 * scrollbar thumb is scaled.
 */

/** Firefox supports about 17.8 million pixels, Chromium 33 million. */
const ELEMENT_PX_MAX = 16_000_000;
/** A larger change of the native position comes from dragging the thumb. */
const JUMP_PX_MIN = 3_000;
/** The native position is corrected this long after the last scroll event. */
const SETTLE_MS = 150;

/** Size of the scroll container's content area. */
export interface ScrollerSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Holds the scroll position in sheet pixels. */
export class Scroller {
  readonly element: HTMLDivElement;
  private readonly spacer: HTMLDivElement;
  private readonly onScroll: () => void;
  private top = 0;
  private left = 0;
  private contentHeightPx = 0;
  private contentWidthPx = 0;
  private nativeTop = 0;
  private settleTimer = 0;
  private isRightToLeft = false;
  private size: ScrollerSize | undefined;

  constructor(host: HTMLElement, onScroll: () => void) {
    this.onScroll = onScroll;
    this.element = document.createElement("div");
    this.element.className = "grid-scroller";
    this.element.tabIndex = -1;
    this.spacer = document.createElement("div");
    this.spacer.className = "grid-spacer";
    this.element.append(this.spacer);
    host.append(this.element);
    this.element.addEventListener("scroll", this.handleScroll, { passive: true });
  }

  dispose(): void {
    window.clearTimeout(this.settleTimer);
    this.element.removeEventListener("scroll", this.handleScroll);
    this.element.remove();
  }

  /** Vertical position in sheet pixels. */
  get topPx(): number {
    return this.top;
  }

  /** Horizontal position in sheet pixels, counted from the sheet's first column. */
  get leftPx(): number {
    return this.left;
  }

  /**
   * Size without scrollbars. Cached, because reading it forces a layout, and it is needed for each
   * keystroke.
   */
  get innerSize(): ScrollerSize {
    this.size ??= { widthPx: this.element.clientWidth, heightPx: this.element.clientHeight };
    return this.size;
  }

  /** Drops the cached size. */
  sizeChanged(): void {
    this.size = undefined;
  }

  /** Sets the direction of the sheet. */
  setDirection(isRightToLeft: boolean): void {
    if (isRightToLeft !== this.isRightToLeft) {
      this.isRightToLeft = isRightToLeft;
      this.element.dir = isRightToLeft ? "rtl" : "ltr";
      this.element.scrollLeft = this.nativeLeft();
    }
  }

  /** Leaves `widthPx` for the row headers. */
  setInset(widthPx: number): void {
    const { style } = this.element;
    const [left, right] = this.isRightToLeft ? ["0px", `${widthPx}px`] : [`${widthPx}px`, "0px"];
    if (style.left !== left || style.right !== right) {
      style.left = left;
      style.right = right;
      this.size = undefined;
    }
  }

  /** In right-to-left elements, browsers count from 0 at the right edge to negative values. */
  private nativeLeft(): number {
    return this.isRightToLeft ? -this.left : this.left;
  }

  /** Sets the size of the scrollable content in sheet pixels. */
  setContent(widthPx: number, heightPx: number): void {
    if (widthPx === this.contentWidthPx && heightPx === this.contentHeightPx) {
      return;
    }
    this.contentWidthPx = widthPx;
    this.contentHeightPx = heightPx;
    // A scrollbar may appear or disappear.
    this.size = undefined;
    this.spacer.style.width = `${widthPx}px`;
    this.spacer.style.height = `${Math.min(heightPx, ELEMENT_PX_MAX)}px`;
  }

  /** Scrolls to a position, clamped to the content. */
  scrollTo(topPx: number, leftPx: number): void {
    const top = Math.max(0, Math.min(topPx, this.topMax()));
    const left = Math.max(0, Math.min(leftPx, Math.max(0, this.contentWidthPx - this.innerSize.widthPx)));
    if (top === this.top && left === this.left) {
      return;
    }
    this.top = top;
    this.left = left;
    this.element.scrollLeft = this.nativeLeft();
    this.moveNative();
    this.onScroll();
  }

  /** Scrolls by a distance. */
  scrollBy(topPx: number, leftPx: number): void {
    this.scrollTo(this.top + topPx, this.left + leftPx);
  }

  private topMax(): number {
    return Math.max(0, this.contentHeightPx - this.innerSize.heightPx);
  }

  /** Sheet pixels per native pixel; 1 while the content is below the limit. */
  private scale(): number {
    const nativeMax = Math.max(1, Math.min(this.contentHeightPx, ELEMENT_PX_MAX) - this.innerSize.heightPx);
    return Math.max(1, this.topMax() / nativeMax);
  }

  private moveNative(): void {
    this.element.scrollTop = this.top / this.scale();
    this.nativeTop = this.element.scrollTop;
  }

  private readonly handleScroll = (): void => {
    const native = this.element.scrollTop;
    const scale = this.scale();
    const moved = native - this.nativeTop;
    this.nativeTop = native;
    this.left = Math.abs(this.element.scrollLeft);
    if (scale === 1) {
      this.top = native;
    } else if (Math.abs(moved) > JUMP_PX_MIN || native === 0) {
      this.top = native * scale;
    } else if (moved !== 0) {
      this.top = Math.max(0, Math.min(this.top + moved, this.topMax()));
      window.clearTimeout(this.settleTimer);
      this.settleTimer = window.setTimeout(() => this.moveNative(), SETTLE_MS);
    }
    this.onScroll();
  };
}
