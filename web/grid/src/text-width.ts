/**
 * Widths of texts, measured once per font and forgotten some time after they were last asked for: figures that change
 * all day would otherwise fill the store with texts that nobody sees again.
 */

/** In each of the two generations; screens show fewer texts whose exact width matters. */
const TEXTS_MAX = 2_500;
const FONTS_MAX = 200;
const ASCII = 128;

type Widths = Map<string, Map<string, number>>;

export class TextWidths {
  /** Asked for since the last change of generations; what was asked for in the one before is in `old`. */
  private young: Widths = new Map();
  private old: Widths = new Map();
  private youngCount = 0;
  private readonly letters = new Map<string, Float64Array>();

  /** `context.font` must be `font` already. */
  width(context: Pick<CanvasRenderingContext2D, "measureText">, font: string, text: string): number {
    const known = this.young.get(font)?.get(text);
    if (known !== undefined) {
      return known;
    }
    const width = this.old.get(font)?.get(text) ?? context.measureText(text).width;
    if (this.youngCount >= TEXTS_MAX) {
      this.old = this.young;
      this.young = new Map();
      this.youngCount = 0;
    }
    let widths = this.young.get(font);
    if (!widths) {
      widths = new Map();
      this.young.set(font, widths);
    }
    widths.set(text, width);
    this.youngCount += 1;
    return width;
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
