/**
 * A subset of `CanvasRenderingContext2D` that creates SVG elements, so that the painters of the
 * screen also print, with text and lines as vectors.
 *
 * It implements what the cell painters use. Clipping regions are rectangles. Styles are attributes,
 * because the content security policy forbids inline styles.
 */

const SVG = "http://www.w3.org/2000/svg";
const DEGREES = 180 / Math.PI;

type Paint = string | SvgGradient;

interface State {
  readonly parent: SVGElement;
  readonly fillStyle: Paint;
  readonly strokeStyle: Paint;
  readonly lineWidth: number;
  readonly globalAlpha: number;
  readonly font: string;
  readonly textAlign: CanvasTextAlign;
  readonly direction: CanvasDirection;
  readonly textBaseline: CanvasTextBaseline;
  readonly lineCap: CanvasLineCap;
  readonly lineJoin: CanvasLineJoin;
  readonly dash: readonly number[];
}

/** Counter for unique element ids. */
let gradients = 0;

class SvgGradient {
  readonly element = document.createElementNS(SVG, "linearGradient");

  constructor(x0: number, y0: number, x1: number, y1: number) {
    gradients += 1;
    this.element.id = `print-gradient-${gradients}`;
    this.element.setAttribute("gradientUnits", "userSpaceOnUse");
    Object.entries({ x1: x0, y1: y0, x2: x1, y2: y1 }).forEach(([name, value]) => this.element.setAttribute(name, rounded(value)));
  }

  addColorStop(offset: number, color: string): void {
    const stop = document.createElementNS(SVG, "stop");
    stop.setAttribute("offset", rounded(offset));
    stop.setAttribute("stop-color", color);
    this.element.append(stop);
  }
}

/** Draws into an SVG element; `measure` measures texts. */
export class SvgContext {
  fillStyle: Paint = "#000000";
  strokeStyle: Paint = "#000000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "10px sans-serif";
  textAlign: CanvasTextAlign = "left";
  direction: CanvasDirection = "ltr";
  textBaseline: CanvasTextBaseline = "alphabetic";
  lineCap: CanvasLineCap = "butt";
  lineJoin: CanvasLineJoin = "miter";
  private readonly measure: CanvasRenderingContext2D;
  private parent: SVGElement;
  private dash: readonly number[] = [];
  private path = "";
  private pathRect: readonly [x: number, y: number, width: number, height: number] | undefined;
  private readonly states: State[] = [];
  /** The last path, to which following paths with the same style are appended. */
  private last: { readonly key: string; readonly element: SVGElement; d: string } | undefined;

  constructor(parent: SVGElement, measure: CanvasRenderingContext2D) {
    this.parent = parent;
    this.measure = measure;
  }

  /**
   * This context with the type that painters expect. They use only the members implemented here.
   */
  get asCanvas(): CanvasRenderingContext2D {
    return this as unknown as CanvasRenderingContext2D;
  }

  measureText(text: string): TextMetrics {
    if (this.measure.font !== this.font) {
      this.measure.font = this.font;
    }
    return this.measure.measureText(text);
  }

  save(): void {
    const { parent, fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, direction, textBaseline, lineCap, lineJoin, dash } = this;
    this.states.push({ parent, fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, direction, textBaseline, lineCap, lineJoin, dash });
  }

  restore(): void {
    const state = this.states.pop();
    if (state) {
      const { parent, ...rest } = state;
      this.enter(parent);
      Object.assign(this, rest);
    }
  }

  translate(x: number, y: number): void {
    this.transform(`translate(${rounded(x)} ${rounded(y)})`);
  }

  rotate(angle: number): void {
    this.transform(`rotate(${rounded(angle * DEGREES)})`);
  }

  scale(x: number, y: number): void {
    this.transform(`scale(${rounded(x)} ${rounded(y)})`);
  }

  private transform(text: string): void {
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("transform", text);
    this.parent.append(group);
    this.enter(group);
  }

  /** Clips to the last rectangle of the path. */
  clip(): void {
    const [x, y, width, height] = this.pathRect ?? [0, 0, 0, 0];
    const inner = document.createElementNS(SVG, "svg");
    const box = [x, y, Math.max(0, width), Math.max(0, height)].map(rounded);
    ["x", "y", "width", "height"].forEach((name, at) => inner.setAttribute(name, box[at] ?? "0"));
    inner.setAttribute("viewBox", box.join(" "));
    inner.setAttribute("overflow", "hidden");
    this.parent.append(inner);
    this.enter(inner);
    this.beginPath();
  }

  private enter(parent: SVGElement): void {
    this.parent = parent;
    this.last = undefined;
  }

  setLineDash(dash: readonly number[]): void {
    this.dash = dash;
  }

  createLinearGradient(x0: number, y0: number, x1: number, y1: number): SvgGradient {
    return new SvgGradient(x0, y0, x1, y1);
  }

  beginPath(): void {
    this.path = "";
    this.pathRect = undefined;
  }

  closePath(): void {
    this.path += "Z";
  }

  moveTo(x: number, y: number): void {
    this.path += `M${rounded(x)} ${rounded(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.path += `${this.path === "" ? "M" : "L"}${rounded(x)} ${rounded(y)}`;
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.pathRect = [x, y, width, height];
    this.path += rectPath(x, y, width, height);
  }

  roundRect(x: number, y: number, width: number, height: number, radius: number): void {
    const r = Math.min(radius, width / 2, height / 2);
    const arc = (dx: number, dy: number): string => `a${rounded(r)} ${rounded(r)} 0 0 1 ${rounded(dx)} ${rounded(dy)}`;
    this.path +=
      `M${rounded(x + r)} ${rounded(y)}h${rounded(width - 2 * r)}${arc(r, r)}v${rounded(height - 2 * r)}${arc(-r, r)}` +
      `h${rounded(2 * r - width)}${arc(-r, -r)}v${rounded(2 * r - height)}${arc(r, -r)}Z`;
  }

  arc(x: number, y: number, radius: number, start: number, end: number): void {
    const at = (angle: number): string => `${rounded(x + radius * Math.cos(angle))} ${rounded(y + radius * Math.sin(angle))}`;
    const sweep = Math.min(end - start, Math.PI * 2);
    const r = rounded(radius);
    this.path += `${this.path === "" || this.path.endsWith("Z") ? "M" : "L"}${at(start)}`;
    // SVG cannot draw a full circle as one arc, because its start and end coincide.
    for (const part of sweep > Math.PI ? [start + sweep / 2, end] : [end]) {
      this.path += `A${r} ${r} 0 0 1 ${at(part)}`;
    }
  }

  fill(): void {
    this.paint(this.path, `fill ${this.paintName(this.fillStyle)} ${this.globalAlpha}`, (element) => this.setFill(element));
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    const d = rectPath(x, y, width, height);
    this.paint(d, `fill ${this.paintName(this.fillStyle)} ${this.globalAlpha}`, (element) => this.setFill(element));
  }

  stroke(): void {
    const { lineWidth, dash, lineCap, lineJoin, globalAlpha } = this;
    const key = `stroke ${this.paintName(this.strokeStyle)} ${lineWidth} ${dash.join()} ${lineCap} ${lineJoin} ${globalAlpha}`;
    this.paint(this.path, key, (element) => {
      element.setAttribute("fill", "none");
      element.setAttribute("stroke", this.paintName(this.strokeStyle));
      element.setAttribute("stroke-width", rounded(lineWidth));
      const optional = { "stroke-dasharray": dash.join(" "), "stroke-linecap": lineCap, "stroke-linejoin": lineJoin };
      Object.entries(optional).forEach(([name, value]) => value !== "" && element.setAttribute(name, value));
      this.setAlpha(element);
    });
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    const { path } = this;
    this.path = rectPath(x, y, width, height);
    this.stroke();
    this.path = path;
  }

  fillText(text: string, x: number, y: number): void {
    const element = document.createElementNS(SVG, "text");
    element.setAttribute("x", rounded(x));
    element.setAttribute("y", rounded(y));
    const { style, weight, size, family } = fontParts(this.font);
    element.setAttribute("font-family", family);
    element.setAttribute("font-size", size);
    if (weight !== "") {
      element.setAttribute("font-weight", weight);
    }
    if (style !== "") {
      element.setAttribute("font-style", style);
    }
    // Canvas names sides, SVG names start and end; a right-to-left text starts at its right end.
    const isFromRight = this.direction === "rtl";
    if (isFromRight) {
      element.setAttribute("direction", "rtl");
    }
    if (this.textAlign === "center") {
      element.setAttribute("text-anchor", "middle");
    } else if ((this.textAlign === "right") !== isFromRight) {
      element.setAttribute("text-anchor", "end");
    }
    if (this.textBaseline === "middle") {
      element.setAttribute("dominant-baseline", "central");
    }
    this.setFill(element);
    element.style.whiteSpace = "pre";
    element.textContent = text;
    this.parent.append(element);
    this.last = undefined;
  }

  private paint(d: string, key: string, setAttributes: (element: SVGElement) => void): void {
    if (d === "") {
      return;
    }
    if (this.last?.key === key) {
      this.last.d += d;
      this.last.element.setAttribute("d", this.last.d);
      return;
    }
    const element = document.createElementNS(SVG, "path");
    element.setAttribute("d", d);
    setAttributes(element);
    this.parent.append(element);
    this.last = this.globalAlpha === 1 ? { key, element, d } : undefined;
  }

  private setFill(element: SVGElement): void {
    element.setAttribute("fill", this.paintName(this.fillStyle));
    this.setAlpha(element);
  }

  private setAlpha(element: SVGElement): void {
    if (this.globalAlpha !== 1) {
      element.setAttribute("opacity", rounded(this.globalAlpha));
    }
  }

  private paintName(paint: Paint): string {
    if (typeof paint === "string") {
      return paint;
    }
    if (!paint.element.parentNode) {
      this.parent.append(paint.element);
    }
    return `url(#${paint.element.id})`;
  }
}

/** Parses a CSS font such as `italic 700 13px "Some Font", sans-serif`. */
export function fontParts(font: string): { style: string; weight: string; size: string; family: string } {
  const [, style = "", weight = "", size = "10px", family = "sans-serif"] =
    /^(?:(italic)\s+)?(?:(\d{3}|bold)\s+)?([\d.]+px)\s+(.*)$/s.exec(font) ?? [];
  return { style, weight, size, family };
}

function rectPath(x: number, y: number, width: number, height: number): string {
  return `M${rounded(x)} ${rounded(y)}h${rounded(width)}v${rounded(height)}h${rounded(-width)}Z`;
}

/** Rounds to hundredths of a pixel, which are not visible in print. */
function rounded(value: number): string {
  return String(Math.round(value * 100) / 100);
}
