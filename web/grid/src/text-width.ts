/**
 * A cache of text widths by font, in two generations: entries that are not used during one
 * generation are evicted, so that texts of changing cells do not accumulate.
 */

/** Entries per generation; more than a screen needs. */
const TEXTS_MAX = 2_500;
const FONTS_MAX = 200;
const ASCII = 128;

type Widths = Map<string, Map<string, number>>;

/** Measures texts and caches their widths in pixels. */
export class TextWidths {
  /** Entries used in the current generation; `old` holds the previous one. */
  private current: Widths = new Map();
  private old: Widths = new Map();
  private currentCount = 0;
  private readonly letters = new Map<string, Float64Array>();

  /** Measured width of `text`. `context.font` must be `font`. */
  width(context: Pick<CanvasRenderingContext2D, "measureText">, font: string, text: string): number {
    const cached = this.current.get(font)?.get(text);
    if (cached !== undefined) {
      return cached;
    }
    const width = this.old.get(font)?.get(text) ?? context.measureText(text).width;
    if (this.currentCount >= TEXTS_MAX) {
      this.old = this.current;
      this.current = new Map();
      this.currentCount = 0;
    }
    let widths = this.current.get(font);
    if (!widths) {
      widths = new Map();
      this.current.set(font, widths);
    }
    widths.set(text, width);
    this.currentCount += 1;
    return width;
  }

  /**
   * Sum of the character widths, which needs no measurement per text: exact for digits, which are
   * not kerned, and seldom less than the width of other texts. -1 if a character is not printable
   * ASCII.
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
