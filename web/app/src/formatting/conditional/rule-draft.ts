/** The state of the form for a rule, and its conversion from and to items. */

import type { ItemDetails, ItemValue } from "@quadrille/protocol";
import { ICON_SETS, isVisualization, KINDS, type RuleKind } from "./rule-kinds.ts";

/** A cell format by attribute names. */
export type RuleFormat = Readonly<Record<string, ItemValue>>;

/** A stop of a color scale or a threshold of an icon set. */
export interface Stop {
  readonly at: string;
  /** A number, or a formula without `=`. */
  readonly value: string;
  readonly color: string;
  /** Further fields of the stop in the item. */
  readonly rest: RuleFormat;
}

/** The state of the form. */
export interface Draft {
  /** Ranges, separated by spaces. */
  readonly cells: string;
  /** Index into `KINDS`. */
  readonly kind: number;
  /** The first operand: a formula, a text or a number. */
  readonly first: string;
  readonly second: string;
  readonly isPercent: boolean;
  readonly period: string;
  readonly format: RuleFormat;
  /** Lower rules do not apply to cells that meet this one. */
  readonly stops: boolean;
  /** Two or three stops of a color scale, from lowest to highest. */
  readonly scale: readonly Stop[];
  readonly barColor: string;
  readonly barNegativeColor: string;
  readonly iconSet: string;
  /** Thresholds of the second and further icons; empty for equal parts. */
  readonly limits: readonly Stop[];
  readonly isReversed: boolean;
  readonly hidesValue: boolean;
}

const RANK_DEFAULT = 10;
const RANK_MAX = 1_000;
const stop = (at: string, value: string, color = ""): Stop => ({ at, value, color, rest: {} });
/** The middle stop of a new three-color scale. */
export const MIDDLE: Stop = stop("percentile", "50", "#fff2cc");
const SCALE: readonly Stop[] = [stop("minimum", "", "#e99999"), MIDDLE, stop("maximum", "", "#a8d19b")];
/** Clears the fields of all kinds. */
const CLEARED = {
  operator: null,
  formula1: null,
  formula2: null,
  text: null,
  rank: null,
  percent: null,
  period: null,
  deviations: null,
  orEqual: null,
  stops: null,
  iconSet: null,
  reverse: null,
  showValue: null,
  color: null,
  negativeColor: null,
  gradient: null,
} as const satisfies Record<string, ItemValue>;

/** The draft of a new rule. */
export function newDraft(cells: string, format: RuleFormat): Draft {
  return {
    cells,
    kind: 0,
    first: "",
    second: "",
    isPercent: false,
    period: "today",
    format,
    stops: false,
    scale: SCALE,
    barColor: "#2a917a",
    barNegativeColor: "#cc3d3d",
    iconSet: ICON_SETS[0][0],
    limits: [],
    isReversed: false,
    hidesValue: false,
  };
}

/** Index into `KINDS`; -1 for a kind that the dialog does not support. */
export function kindOf({ fields }: ItemDetails): number {
  const { rule, operator } = fields;
  const name = operator ?? (rule === "text" ? "contains" : "equal");
  return KINDS.findIndex((kind) => kind.rule === rule && (kind.operator === undefined || kind.operator === name));
}

const text = (value: ItemValue | undefined): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");
const withoutEquals = (value: ItemValue | undefined): string => text(value).replace(/^=/, "");
const isRecord = (value: ItemValue | undefined): value is RuleFormat & { readonly [name: string]: ItemValue } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function stopsOf(item: ItemDetails): readonly Stop[] {
  const { stops } = item.fields;
  return (Array.isArray(stops) ? stops : []).filter(isRecord).map(({ at, value, formula, color, ...rest }) => ({
    at: text(at) || "number",
    value: withoutEquals(formula) || text(value),
    color: text(color),
    rest,
  }));
}

function stopFields({ at, value, color, rest }: Stop): Record<string, ItemValue> {
  const fields = { ...rest, at, ...(color !== "" && { color }) };
  switch (at) {
    case "minimum":
    case "maximum":
    case "automatic":
      return fields;
    case "formula":
      return { ...fields, formula: formula(value) };
    default:
      return { ...fields, value: Number(value) || 0 };
  }
}

/** Number of icons in a set, which is the start of its name. */
export const iconsIn = (set: string): number => Math.min(5, Math.max(2, Number.parseInt(set, 10) || 3));

/** Thresholds that divide the range of values into equal parts. */
export function defaultLimits(set: string): readonly Stop[] {
  const count = iconsIn(set);
  return Array.from({ length: count - 1 }, (_, index) => stop("percent", String(Math.round((100 * (index + 1)) / count))));
}

/** The draft of an existing rule. */
export function draftOf(item: ItemDetails): Draft {
  const { fields } = item;
  const defaults = newDraft(item.anchors.join(" "), isRecord(fields["format"]) ? fields["format"] : {});
  const stops = stopsOf(item);
  return {
    ...defaults,
    kind: Math.max(0, kindOf(item)),
    first: withoutEquals(fields["formula1"]) || text(fields["text"]) || text(fields["rank"]),
    second: withoutEquals(fields["formula2"]),
    isPercent: fields["percent"] === true,
    period: text(fields["period"]) || defaults.period,
    stops: fields["stop"] === true,
    scale: fields["rule"] === "colorScale" && stops.length >= 2 ? stops : defaults.scale,
    barColor: text(fields["color"]) || "#638ec6",
    barNegativeColor: text(fields["negativeColor"]) || "#d94a3d",
    iconSet: text(fields["iconSet"]) || defaults.iconSet,
    // The first stop is the lower end, not a threshold.
    limits: fields["rule"] === "iconSet" ? stops.slice(1) : [],
    isReversed: fields["reverse"] === true,
    hidesValue: fields["showValue"] === false,
  };
}

const formula = (typed: string): string => `=${typed.trim().replace(/^=/, "") || "0"}`;
const trueOrNull = (value: boolean): ItemValue => value || null;

/** The ranges of a draft. */
export function anchorsOf({ cells }: Draft): string[] {
  return cells.split(/[\s,;]+/).filter((part) => part !== "");
}

/**
 * The item fields of a draft. Fields of the existing rule that the dialog does not show are kept
 * unless the kind changes.
 */
export function fieldsOf(draft: Draft, existing: ItemDetails | undefined): Record<string, ItemValue> {
  const kind = KINDS[draft.kind] ?? (KINDS[0] as RuleKind);
  const isSameKind = existing?.fields["rule"] === kind.rule;
  const format = isVisualization(kind) ? { format: null, stop: null } : { format: { ...draft.format }, stop: trueOrNull(draft.stops) };
  const fields = { ...(isSameKind ? {} : CLEARED), rule: kind.rule, ...format };
  switch (kind.operands) {
    case "nothing":
      return fields;
    case "formula":
      return { ...fields, operator: kind.operator ?? null, formula1: formula(draft.first), formula2: null };
    case "formulas":
      return { ...fields, operator: kind.operator ?? null, formula1: formula(draft.first), formula2: formula(draft.second) };
    case "text":
      return { ...fields, operator: kind.operator ?? null, text: draft.first };
    case "rank": {
      const rank = Math.round(Number(draft.first)) || RANK_DEFAULT;
      return { ...fields, rank: Math.min(RANK_MAX, Math.max(1, rank)), percent: trueOrNull(draft.isPercent) };
    }
    case "period":
      return { ...fields, period: draft.period };
    case "scale":
      return { ...fields, stops: draft.scale.map(stopFields) };
    case "bar":
      return {
        ...fields,
        ...(!isSameKind && { gradient: false }),
        color: draft.barColor,
        negativeColor: draft.barNegativeColor,
        showValue: draft.hidesValue ? false : null,
      };
    case "icons": {
      const stops = draft.limits.length > 0 ? [stop("percent", "0"), ...draft.limits].map(stopFields) : null;
      return { ...fields, iconSet: draft.iconSet, stops, reverse: trueOrNull(draft.isReversed), showValue: draft.hidesValue ? false : null };
    }
  }
}

const priorityOf = ({ fields }: ItemDetails): number => (typeof fields["priority"] === "number" ? fields["priority"] : 0);

/** Rules in evaluation order; the first rule that sets an attribute takes precedence. */
export function sortedRules(rules: readonly ItemDetails[]): readonly ItemDetails[] {
  return [...rules].sort((a, b) => priorityOf(a) - priorityOf(b) || a.id - b.id);
}

/** A priority after all others. */
export function lastPriority(rules: readonly ItemDetails[]): number {
  return Math.floor(Math.max(0, ...rules.map(priorityOf))) + 1;
}

/** The priorities that change when the rule at `from` moves to `to`. */
export function priorityChanges(rules: readonly ItemDetails[], from: number, to: number): readonly { readonly id: number; readonly priority: number }[] {
  const order = [...rules];
  order.splice(to, 0, ...order.splice(from, 1));
  return order.flatMap((rule, index) => (priorityOf(rule) === index + 1 ? [] : [{ id: rule.id, priority: index + 1 }]));
}
