/** The kinds of conditional formats, and what each asks for. */

import type { Message } from "../../language/index.ts";

/** What a rule compares with, or what it paints. */
export type Asks = "nothing" | "formula" | "formulas" | "text" | "rank" | "period" | "scale" | "bar" | "icons";

export interface RuleKind {
  readonly name: Message;
  readonly rule: string;
  readonly operator?: string;
  readonly asks: Asks;
}

export const KINDS: readonly RuleKind[] = [
  { name: "Greater than", rule: "cell", operator: "greater", asks: "formula" },
  { name: "Greater than or equal to", rule: "cell", operator: "greaterOrEqual", asks: "formula" },
  { name: "Less than", rule: "cell", operator: "less", asks: "formula" },
  { name: "Less than or equal to", rule: "cell", operator: "lessOrEqual", asks: "formula" },
  { name: "Equal to", rule: "cell", operator: "equal", asks: "formula" },
  { name: "Not equal to", rule: "cell", operator: "notEqual", asks: "formula" },
  { name: "Between", rule: "cell", operator: "between", asks: "formulas" },
  { name: "Not between", rule: "cell", operator: "notBetween", asks: "formulas" },
  { name: "Text contains", rule: "text", operator: "contains", asks: "text" },
  { name: "Text does not contain", rule: "text", operator: "notContains", asks: "text" },
  { name: "Text begins with", rule: "text", operator: "beginsWith", asks: "text" },
  { name: "Text ends with", rule: "text", operator: "endsWith", asks: "text" },
  { name: "Blank cells", rule: "blank", asks: "nothing" },
  { name: "Cells that are not blank", rule: "notBlank", asks: "nothing" },
  { name: "Errors", rule: "error", asks: "nothing" },
  { name: "Cells without an error", rule: "notError", asks: "nothing" },
  { name: "Duplicate values", rule: "duplicate", asks: "nothing" },
  { name: "Unique values", rule: "unique", asks: "nothing" },
  { name: "The highest", rule: "top", asks: "rank" },
  { name: "The lowest", rule: "bottom", asks: "rank" },
  { name: "Above average", rule: "aboveAverage", asks: "nothing" },
  { name: "Below average", rule: "belowAverage", asks: "nothing" },
  { name: "Date", rule: "date", asks: "period" },
  { name: "Custom formula is", rule: "formula", asks: "formula" },
  { name: "Colour scale", rule: "colorScale", asks: "scale" },
  { name: "Data bars", rule: "dataBar", asks: "bar" },
  { name: "Icons", rule: "iconSet", asks: "icons" },
];

export const PERIODS = [
  ["today", "Today"],
  ["yesterday", "Yesterday"],
  ["tomorrow", "Tomorrow"],
  ["last7Days", "The last seven days"],
  ["thisWeek", "This week"],
  ["lastWeek", "Last week"],
  ["nextWeek", "Next week"],
  ["thisMonth", "This month"],
  ["lastMonth", "Last month"],
  ["nextMonth", "Next month"],
] as const satisfies readonly (readonly [period: string, name: Message])[];

/** Sets that are drawn, by the names that Excel's files have for them. */
export const ICON_SETS = [
  ["3TrafficLights1", "●●●"],
  ["3Arrows", "↓→↑"],
  ["4Arrows", "↓↘↗↑"],
  ["5Arrows", "↓↘→↗↑"],
  ["3Signs", "◆▲●"],
  ["3Symbols", "✕!✓"],
  ["3Flags", "⚑⚑⚑"],
  ["4TrafficLights", "●●●●"],
  ["5Quarters", "○◔◑◕●"],
  ["4Rating", "▁▃▅▇"],
  ["3Stars", "☆⯪★"],
] as const;

/** Rules that paint by themselves: none of them has a look, and none stops those after it. */
export const isPainting = ({ asks }: RuleKind): boolean => asks === "scale" || asks === "bar" || asks === "icons";
