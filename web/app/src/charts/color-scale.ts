/** Colors of values, for heat maps and maps. */

import { cssColor } from "@quadrille/grid";
import { titleHeightPx } from "./chart-parts.ts";
import { type ChartFields, type ChartTheme, palette } from "./chart-types.ts";

/** Values and their colors: between the stops, colors are mixed. */
export interface ColorScale {
  readonly min: number;
  readonly max: number;
  /** Colors at equal distances from `min` to `max`. */
  readonly colors: readonly string[];
}

/** Part of its color in the color of the least value, which differs from an empty cell. */
const LEAST_SHARE = 0.1;
/** The same in maps, whose empty countries are gray. */
export const LEAST_SHARE_ON_MAP = 0.24;

/**
 * The color scale of values: from a light to the full color, or for values on both sides of zero from one
 * color over a light one at zero to the other. `min` and `max` replace the least and the greatest value.
 */
export function colorScale(values: readonly number[], { yMin, yMax }: Pick<ChartFields, "yMin" | "yMax">, color: string, theme: Pick<ChartTheme, "isDark" | "paper">, leastShare = LEAST_SHARE): ColorScale {
  const [least, greatest] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
  const light = mixed(theme.paper, color, leastShare);
  if (yMin === undefined && yMax === undefined && least < 0 && greatest > 0) {
    const reach = Math.max(-least, greatest);
    const [, , , negative = ""] = palette(theme.isDark);
    return { min: -reach, max: reach, colors: [negative, light, color] };
  }
  const min = yMin ?? (Number.isFinite(least) ? least : 0);
  const max = yMax ?? (Number.isFinite(greatest) ? greatest : 1);
  // A scale has a length: equal values have the full color.
  return { min: min < max ? min : max - 1, max, colors: [light, color] };
}

/** The color of a value, which is that of an end of the scale beyond it. */
export function colorOf({ min, max, colors }: ColorScale, value: number): string {
  const place = Math.min(1, Math.max(0, (value - min) / (max - min))) * (colors.length - 1);
  const before = Math.min(Math.floor(place), colors.length - 2);
  return mixed(colors[before] ?? "", colors[before + 1] ?? "", place - before);
}

/** The color between two, of which `share` is the part of the second. Colors are `#rrggbb` or `#rgb`. */
export function mixed(first: string, second: string, share: number): string {
  const [from, to] = [numberOf(first), numberOf(second)];
  const channel = (shift: number): number => {
    const value = (from >> shift) & 0xff;
    return Math.round(value + (((to >> shift) & 0xff) - value) * share) << shift;
  };
  return cssColor(channel(16) | channel(8) | channel(0));
}

/** The number of a color, `#rrggbb` or `#rgb`. */
export function numberOf(color: string): number {
  const digits = color.slice(1);
  return Number.parseInt(digits.length === 3 ? digits.replace(/./g, "$&$&") : digits, 16);
}

/** The bar of colors with its least and greatest value, at the place of a legend. */
export function colorLegend(fields: ChartFields, { min, max, colors }: ColorScale, theme: ChartTheme): object {
  const position = fields.legend ?? "bottom";
  const isSide = position === "left" || position === "right";
  return {
    type: "continuous",
    show: position !== "none",
    min,
    max,
    inRange: { color: colors },
    orient: isSide ? "vertical" : "horizontal",
    ...(isSide ? { [position]: 10, top: "middle" } : { left: "center", [position === "top" ? "top" : "bottom"]: position === "top" ? titleHeightPx(fields) : 2 }),
    itemWidth: 10,
    itemHeight: 140,
    text: [theme.showNumber(max), theme.showNumber(min)],
    textStyle: { color: theme.softInk, fontFamily: theme.font },
    hoverLink: false,
  };
}
