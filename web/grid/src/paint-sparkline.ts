/** Draws sparklines: line, column, win/loss and bar. Loaded on demand. */

import type { CellMark } from "@quadrille/protocol";
import type { DrawingContext } from "./drawing-context.ts";
import { cssColor, lightenedForDark } from "./theme.ts";
import type { Box } from "./view.ts";

type Sparkline = NonNullable<CellMark["spark"]>;

const PADDING_PX = 4;
const LINE_PX = 1.5;
/** Half the size of a line's highlighted points. */
const DOT_PX = 2;

interface Plot {
  readonly context: CanvasRenderingContext2D;
  readonly spark: Sparkline;
  /** Values from left to right. */
  readonly values: Sparkline["values"];
  readonly inside: Box;
  readonly low: number;
  readonly high: number;
  readonly zoom: number;
  readonly displayColor: (color: number) => string;
}

/** Draws a sparkline into `box`. */
export function paintSparkline(drawing: DrawingContext, box: Box, spark: Sparkline): void {
  const numbers = spark.values.filter((value) => value !== null);
  const inside = {
    x: box.x + PADDING_PX,
    y: box.y + PADDING_PX,
    width: box.width - 2 * PADDING_PX - 1,
    height: box.height - 2 * PADDING_PX - 1,
  };
  if (numbers.length === 0 || inside.width <= 0 || inside.height <= 0) {
    return;
  }
  const isLine = spark.kind === "line";
  const low = spark.low ?? numbers.reduce((least, value) => Math.min(least, value), isLine ? Number.POSITIVE_INFINITY : 0);
  const high = spark.high ?? numbers.reduce((most, value) => Math.max(most, value), isLine ? Number.NEGATIVE_INFINITY : 0);
  const displayColor = (color: number): string => cssColor(drawing.theme.isDark ? lightenedForDark(color) : color);
  const values = spark.isFromRight ? spark.values.toReversed() : spark.values;
  const plot = { context: drawing.context, spark, values, inside, low, high, zoom: drawing.zoom, displayColor };
  drawing.clipped(box.x, box.y, box.width, box.height, () => {
    switch (spark.kind) {
      case "bar":
        paintBar(plot);
        break;
      case "line":
        paintAxis(plot);
        paintLine(plot);
        break;
      default:
        paintColumns(plot);
        paintAxis(plot);
    }
  });
  drawing.forget();
}

/** Vertical position of a value; the middle if all values are equal. */
function yOf({ inside, low, high }: Plot, value: number): number {
  const share = high > low ? (value - low) / (high - low) : 0.5;
  return inside.y + inside.height * (1 - Math.min(1, Math.max(0, share)));
}

/** Draws the axis at zero if it is inside the value range. */
function paintAxis(plot: Plot): void {
  const { context, spark, inside, low, high, displayColor } = plot;
  if (spark.colors.axis === null || (spark.kind !== "winLoss" && (low > 0 || high < 0))) {
    return;
  }
  context.fillStyle = displayColor(spark.colors.axis);
  const y = spark.kind === "winLoss" ? inside.y + inside.height / 2 : yOf(plot, 0);
  context.fillRect(inside.x, y - 0.5, inside.width, 1);
}

/**
 * Colour of a highlighted point: low, high, last, first or negative, in this order of precedence.
 */
function pointColor(plot: Plot, value: number, at: number): number | undefined {
  const { colors } = plot.spark;
  const numbers = plot.values.filter((other) => other !== null);
  const first = plot.values.findIndex((other) => other !== null);
  const last = plot.values.findLastIndex((other) => other !== null);
  const [start, end] = plot.spark.isFromRight ? [last, first] : [first, last];
  const is = (color: number | null, holds: () => boolean): number | undefined =>
    color !== null && holds() ? color : undefined;
  return (
    is(colors.low, () => numbers.every((other) => other >= value)) ??
    is(colors.high, () => numbers.every((other) => other <= value)) ??
    is(colors.last, () => at === end) ??
    is(colors.first, () => at === start) ??
    is(colors.negative, () => value < 0)
  );
}

function hasPointColors({ spark: { colors } }: Plot): boolean {
  return [colors.low, colors.high, colors.first, colors.last, colors.negative].some((color) => color !== null);
}

function paintLine(plot: Plot): void {
  const { context, spark, values, inside, zoom, displayColor } = plot;
  const step = inside.width / Math.max(1, values.length - 1);
  const pointOf = (value: number, at: number): readonly [number, number] => [inside.x + at * step, yOf(plot, value)];
  context.strokeStyle = displayColor(spark.color);
  context.fillStyle = displayColor(spark.color);
  context.lineWidth = (spark.lineWidth ?? LINE_PX) * zoom;
  context.lineJoin = "round";
  context.beginPath();
  values.forEach((value, at) => {
    if (value === null) {
      return;
    }
    const [x, y] = pointOf(value, at);
    if ((values[at - 1] ?? null) !== null) {
      context.lineTo(x, y);
    } else {
      context.moveTo(x, y);
    }
  });
  context.stroke();
  const dots = hasPointColors(plot);
  values.forEach((value, at) => {
    if (value === null) {
      return;
    }
    const isAlone = (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null;
    const color = dots ? pointColor(plot, value, at) : undefined;
    if (color !== undefined || isAlone) {
      const [x, y] = pointOf(value, at);
      const size = Math.max(DOT_PX, spark.lineWidth ?? 0) * zoom;
      context.fillStyle = displayColor(color ?? spark.color);
      context.fillRect(x - size, y - size, 2 * size, 2 * size);
    }
  });
}

function paintColumns(plot: Plot): void {
  const { context, spark, values, inside, low, high, displayColor } = plot;
  const step = inside.width / values.length;
  const width = Math.max(1, step - (step > 3 ? 1 : 0));
  const base = yOf(plot, Math.min(high, Math.max(low, 0)));
  const dots = hasPointColors(plot);
  values.forEach((value, at) => {
    if (value === null || value === 0) {
      return;
    }
    const color = dots ? pointColor(plot, value, at) : undefined;
    context.fillStyle = displayColor(color ?? spark.color);
    const x = inside.x + at * step;
    if (spark.kind === "winLoss") {
      const half = inside.height / 2;
      context.fillRect(x, value < 0 ? inside.y + half : inside.y, width, half);
    } else {
      const y = yOf(plot, value);
      context.fillRect(x, Math.min(base, y), width, Math.max(1, Math.abs(base - y)));
    }
  });
}

/** Draws a stacked bar. Negative values have no width. */
function paintBar({ context, spark, inside, displayColor }: Plot): void {
  const parts = spark.values.map((value) => Math.max(0, value ?? 0));
  const whole = spark.high ?? parts.reduce((sum, part) => sum + part, 0);
  let x = inside.x;
  parts.forEach((part, at) => {
    const width = whole > 0 ? Math.min((part / whole) * inside.width, inside.x + inside.width - x) : 0;
    const first = displayColor(spark.color);
    const second = spark.colors.second === null ? undefined : displayColor(spark.colors.second);
    context.globalAlpha = at % 2 === 1 && second === undefined ? 0.45 : 1;
    context.fillStyle = at % 2 === 1 ? (second ?? first) : first;
    context.fillRect(x, inside.y, width, inside.height);
    x += width;
  });
  context.globalAlpha = 1;
}
