/** Widths of texts, measured once per font; the store is dropped when it grows past its limit. */

const TEXTS_MAX = 20_000;
const FONTS_MAX = 200;
const ASCII = 128;

export class TextWidths {
  private readonly fonts = new Map<string, Map<string, number>>();
  private readonly letters = new Map<string, Float64Array>();
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

  /**
   * The sum of the letters' widths, without asking the canvas about each text: exact for digits, which fonts do not
   * move together, and seldom less than the width of other texts. -1 when a letter is not ASCII.
   */
  sum(context: CanvasRenderingContext2D, font: string, text: string): number {
    let widths = this.letters.get(font);
    if (!widths) {
      if (this.letters.size >= FONTS_MAX) {
        this.letters.clear();
      }
      widths = new Float64Array(ASCII);
      for (let code = 32; code < ASCII - 1; code += 1) {
        widths[code] = context.measureText(String.fromCharCode(code)).width;
      }
      this.letters.set(font, widths);
    }
    let sum = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code >= ASCII) {
        return -1;
      }
      sum += widths[code] ?? 0;
    }
    return sum;
  }
}
