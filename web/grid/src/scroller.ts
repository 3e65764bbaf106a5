/**
 * A native scroll container over a sheet that may be taller than browsers let an element be.
 *
 * Wheel, touch and keyboard move by the pixels they say; only dragging the thumb of a sheet beyond the limit is
 * scaled.
 */

/** Firefox stops at about 17.8 million pixels, Chromium at 33 million. */
const ELEMENT_PX_MAX = 16_000_000;
/** A larger jump of the native position is the thumb being dragged. */
const JUMP_PX_MIN = 3_000;
const SETTLE_MS = 150;

export interface ScrollerSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

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

  get topPx(): number {
    return this.top;
  }

  get leftPx(): number {
    return this.left;
  }

  /** Without its scrollbars. Kept, because asking the document for it lays out whatever has changed since: often, with every key. */
  get innerSize(): ScrollerSize {
    this.size ??= { widthPx: this.element.clientWidth, heightPx: this.element.clientHeight };
    return this.size;
  }

  /** The element has another size. */
  sizeChanged(): void {
    this.size = undefined;
  }

  setDirection(isRightToLeft: boolean): void {
    if (isRightToLeft !== this.isRightToLeft) {
      this.isRightToLeft = isRightToLeft;
      this.element.dir = isRightToLeft ? "rtl" : "ltr";
      this.element.scrollLeft = this.nativeLeft();
    }
  }

  /** Keeps clear of the row numbers. */
  setInset(widthPx: number): void {
    const { style } = this.element;
    const [left, right] = this.isRightToLeft ? ["0px", `${widthPx}px`] : [`${widthPx}px`, "0px"];
    if (style.left !== left || style.right !== right) {
      style.left = left;
      style.right = right;
      this.size = undefined;
    }
  }

  /** Browsers count from the right edge into the negative. */
  private nativeLeft(): number {
    return this.isRightToLeft ? -this.left : this.left;
  }

  setContent(widthPx: number, heightPx: number): void {
    if (widthPx === this.contentWidthPx && heightPx === this.contentHeightPx) {
      return;
    }
    this.contentWidthPx = widthPx;
    this.contentHeightPx = heightPx;
    // A scrollbar may come or go.
    this.size = undefined;
    this.spacer.style.width = `${widthPx}px`;
    this.spacer.style.height = `${Math.min(heightPx, ELEMENT_PX_MAX)}px`;
  }

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

  scrollBy(topPx: number, leftPx: number): void {
    this.scrollTo(this.top + topPx, this.left + leftPx);
  }

  private topMax(): number {
    return Math.max(0, this.contentHeightPx - this.innerSize.heightPx);
  }

  /** Sheet pixels per native pixel; 1 while the sheet fits. */
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
