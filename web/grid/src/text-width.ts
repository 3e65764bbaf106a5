/** Widths of texts, measured once per font; the store is dropped when it grows past its limit. */

const TEXTS_MAX = 20_000;

export class TextWidths {
  private readonly fonts = new Map<string, Map<string, number>>();
  private count = 0;

  /** `context.font` must be `font` already. */
  width(context: CanvasRenderingContext2D, font: string, text: string): number {
    let widths = this.fonts.get(font);
    if (!widths) {
      widths = new Map();
      this.fonts.set(font, widths);
    }
    const known = widths.get(text);
    if (known !== undefined) {
      return known;
    }
    if (this.count >= TEXTS_MAX) {
      this.fonts.clear();
      this.count = 0;
      widths = new Map();
      this.fonts.set(font, widths);
    }
    const measured = context.measureText(text).width;
    widths.set(text, measured);
    this.count += 1;
    return measured;
  }
}
