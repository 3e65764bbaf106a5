/** The kinds of conditional formatting rules. */

import type { Message } from "../../language/index.ts";

/** The operands of a kind, which determine the fields of the form. */
export type RuleOperands = "nothing" | "formula" | "formulas" | "text" | "rank" | "period" | "scale" | "bar" | "icons";

/** A kind of rule. */
export interface RuleKind {
  readonly name: Message;
  readonly rule: string;
  readonly operator?: string;
  readonly operands: RuleOperands;
}

/** The kinds in the order of the menu. */
export const KINDS: readonly RuleKind[] = [
  { name: "Greater than", rule: "cell", operator: "greater", operands: "formula" },
  { name: "Greater than or equal to", rule: "cell", operator: "greaterOrEqual", operands: "formula" },
  { name: "Less than", rule: "cell", operator: "less", operands: "formula" },
  { name: "Less than or equal to", rule: "cell", operator: "lessOrEqual", operands: "formula" },
  { name: "Equal to", rule: "cell", operator: "equal", operands: "formula" },
  { name: "Not equal to", rule: "cell", operator: "notEqual", operands: "formula" },
  { name: "Between", rule: "cell", operator: "between", operands: "formulas" },
  { name: "Not between", rule: "cell", operator: "notBetween", operands: "formulas" },
  { name: "Text contains", rule: "text", operator: "contains", operands: "text" },
  { name: "Text does not contain", rule: "text", operator: "notContains", operands: "text" },
  { name: "Text begins with", rule: "text", operator: "beginsWith", operands: "text" },
  { name: "Text ends with", rule: "text", operator: "endsWith", operands: "text" },
  { name: "Blank cells", rule: "blank", operands: "nothing" },
  { name: "Non-blank cells", rule: "notBlank", operands: "nothing" },
  { name: "Errors", rule: "error", operands: "nothing" },
  { name: "Cells without errors", rule: "notError", operands: "nothing" },
  { name: "Duplicate values", rule: "duplicate", operands: "nothing" },
  { name: "Unique values", rule: "unique", operands: "nothing" },
  { name: "Top values", rule: "top", operands: "rank" },
  { name: "Bottom values", rule: "bottom", operands: "rank" },
  { name: "Above average", rule: "aboveAverage", operands: "nothing" },
  { name: "Below average", rule: "belowAverage", operands: "nothing" },
  { name: "Date", rule: "date", operands: "period" },
  { name: "Custom formula is", rule: "formula", operands: "formula" },
  { name: "Colour scale", rule: "colorScale", operands: "scale" },
  { name: "Data bars", rule: "dataBar", operands: "bar" },
  { name: "Icons", rule: "iconSet", operands: "icons" },
];

/** The periods of date rules. */
export const PERIODS = [
  ["today", "Today"],
  ["yesterday", "Yesterday"],
  ["tomorrow", "Tomorrow"],
  ["last7Days", "Last 7 days"],
  ["thisWeek", "This week"],
  ["lastWeek", "Last week"],
  ["nextWeek", "Next week"],
  ["thisMonth", "This month"],
  ["lastMonth", "Last month"],
  ["nextMonth", "Next month"],
] as const satisfies readonly (readonly [period: string, name: Message])[];

/** The icon sets that the grid draws, by their names in OOXML, with a preview. */
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

/**
 * Whether the kind draws colors, bars or icons by value. Such rules have no format and do not stop
 * others.
 */
export const isVisualization = ({ operands }: RuleKind): boolean => operands === "scale" || operands === "bar" || operands === "icons";
