/** Draws a small chart in a cell; loaded with the first one. */

import type { CellMark } from "@quadrille/protocol";
import type { Pen } from "./pen.ts";
import { cssColor, lightened } from "./theme.ts";
import type { Box } from "./view.ts";

type Spark = NonNullable<CellMark["spark"]>;

const PADDING_PX = 4;
const LINE_PX = 1.5;
/** Of the points of a line that have a colour of their own. */
const DOT_PX = 2;

interface Plot {
  readonly context: CanvasRenderingContext2D;
  readonly spark: Spark;
  /** In the order in which they are drawn. */
  readonly values: Spark["values"];
  readonly inside: Box;
  readonly low: number;
  readonly high: number;
  readonly zoom: number;
  readonly seen: (color: number) => string;
}

export function paintSpark(pen: Pen, box: Box, spark: Spark): void {
  const known = spark.values.filter((value) => value !== null);
  const inside = {
    x: box.x + PADDING_PX,
    y: box.y + PADDING_PX,
    width: box.width - 2 * PADDING_PX - 1,
    height: box.height - 2 * PADDING_PX - 1,
  };
  if (known.length === 0 || inside.width <= 0 || inside.height <= 0) {
    return;
  }
  const isLine = spark.kind === "line";
  const low = spark.low ?? known.reduce((least, value) => Math.min(least, value), isLine ? Number.POSITIVE_INFINITY : 0);
  const high = spark.high ?? known.reduce((most, value) => Math.max(most, value), isLine ? Number.NEGATIVE_INFINITY : 0);
  const seen = (color: number): string => cssColor(pen.theme.isDark ? lightened(color) : color);
  const values = spark.isFromRight ? spark.values.toReversed() : spark.values;
  const plot = { context: pen.context, spark, values, inside, low, high, zoom: pen.zoom, seen };
  pen.clipped(box.x, box.y, box.width, box.height, () => {
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
  pen.forget();
}

/** Equal values lie in the middle. */
function yOf({ inside, low, high }: Plot, value: number): number {
  const share = high > low ? (value - low) / (high - low) : 0.5;
  return inside.y + inside.height * (1 - Math.min(1, Math.max(0, share)));
}

/** Where zero is, if it is in sight. */
function paintAxis(plot: Plot): void {
  const { context, spark, inside, low, high, seen } = plot;
  if (spark.colors.axis === null || (spark.kind !== "winLoss" && (low > 0 || high < 0))) {
    return;
  }
  context.fillStyle = seen(spark.colors.axis);
  const y = spark.kind === "winLoss" ? inside.y + inside.height / 2 : yOf(plot, 0);
  context.fillRect(inside.x, y - 0.5, inside.width, 1);
}

/** What a point is beside its place: the last of these that it is decides. */
function ownColor(plot: Plot, value: number, at: number): number | undefined {
  const { colors } = plot.spark;
  const known = plot.values.filter((other) => other !== null);
  const first = plot.values.findIndex((other) => other !== null);
  const last = plot.values.findLastIndex((other) => other !== null);
  const [start, end] = plot.spark.isFromRight ? [last, first] : [first, last];
  const is = (color: number | null, holds: () => boolean): number | undefined =>
    color !== null && holds() ? color : undefined;
  return (
    is(colors.low, () => known.every((other) => other >= value)) ??
    is(colors.high, () => known.every((other) => other <= value)) ??
    is(colors.last, () => at === end) ??
    is(colors.first, () => at === start) ??
    is(colors.negative, () => value < 0)
  );
}

function hasOwnColors({ spark: { colors } }: Plot): boolean {
  return [colors.low, colors.high, colors.first, colors.last, colors.negative].some((color) => color !== null);
}

function paintLine(plot: Plot): void {
  const { context, spark, values, inside, zoom, seen } = plot;
  const step = inside.width / Math.max(1, values.length - 1);
  const place = (value: number, at: number): readonly [number, number] => [inside.x + at * step, yOf(plot, value)];
  context.strokeStyle = seen(spark.color);
  context.fillStyle = seen(spark.color);
  context.lineWidth = (spark.lineWidth ?? LINE_PX) * zoom;
  context.lineJoin = "round";
  context.beginPath();
  values.forEach((value, at) => {
    if (value === null) {
      return;
    }
    const [x, y] = place(value, at);
    if ((values[at - 1] ?? null) !== null) {
      context.lineTo(x, y);
    } else {
      context.moveTo(x, y);
    }
  });
  context.stroke();
  const dots = hasOwnColors(plot);
  values.forEach((value, at) => {
    if (value === null) {
      return;
    }
    const isAlone = (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null;
    const color = dots ? ownColor(plot, value, at) : undefined;
    if (color !== undefined || isAlone) {
      const [x, y] = place(value, at);
      const size = Math.max(DOT_PX, spark.lineWidth ?? 0) * zoom;
      context.fillStyle = seen(color ?? spark.color);
      context.fillRect(x - size, y - size, 2 * size, 2 * size);
    }
  });
}

function paintColumns(plot: Plot): void {
  const { context, spark, values, inside, low, high, seen } = plot;
  const step = inside.width / values.length;
  const width = Math.max(1, step - (step > 3 ? 1 : 0));
  const base = yOf(plot, Math.min(high, Math.max(low, 0)));
  const dots = hasOwnColors(plot);
  values.forEach((value, at) => {
    if (value === null || value === 0) {
      return;
    }
    const color = dots ? ownColor(plot, value, at) : undefined;
    context.fillStyle = seen(color ?? spark.color);
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

/** Parts of a whole, one after another; what is negative takes no room. */
function paintBar({ context, spark, inside, seen }: Plot): void {
  const parts = spark.values.map((value) => Math.max(0, value ?? 0));
  const whole = spark.high ?? parts.reduce((sum, part) => sum + part, 0);
  let x = inside.x;
  parts.forEach((part, at) => {
    const width = whole > 0 ? Math.min((part / whole) * inside.width, inside.x + inside.width - x) : 0;
    const first = seen(spark.color);
    const second = spark.colors.second === null ? undefined : seen(spark.colors.second);
    context.globalAlpha = at % 2 === 1 && second === undefined ? 0.45 : 1;
    context.fillStyle = at % 2 === 1 ? (second ?? first) : first;
    context.fillRect(x, inside.y, width, inside.height);
    x += width;
  });
  context.globalAlpha = 1;
}
