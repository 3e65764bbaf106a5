/** A rule as the dialog has it, from an item and back. */

import type { ItemDetails, ItemValue } from "@quadrille/protocol";
import { ICON_SETS, isPainting, KINDS, type RuleKind } from "./rule-kinds.ts";

/** Attributes of a cell's format, by their names. */
export type RuleFormat = Readonly<Record<string, ItemValue>>;

/** A place among a rule's numbers. */
export interface Stop {
  readonly at: string;
  /** A number, or a formula without its `=`. */
  readonly value: string;
  readonly color: string;
  /** What else the item has. */
  readonly rest: RuleFormat;
}

export interface Draft {
  /** Ranges, with spaces between. */
  readonly cells: string;
  /** Its number among the kinds. */
  readonly kind: number;
  /** Formula, text, or how many. */
  readonly first: string;
  readonly second: string;
  readonly isPercent: boolean;
  readonly period: string;
  readonly format: RuleFormat;
  /** Where the rule holds, those after it have no say. */
  readonly stops: boolean;
  /** Of a scale from the lowest to the highest, two or three. */
  readonly scale: readonly Stop[];
  readonly barColor: string;
  readonly barNegativeColor: string;
  readonly iconSet: string;
  /** From where on the second icon shows, the third …; none: in equal parts. */
  readonly limits: readonly Stop[];
  readonly isReversed: boolean;
  readonly hidesValue: boolean;
}

const RANK_USUAL = 10;
const RANK_MAX = 1_000;
const stop = (at: string, value: string, color = ""): Stop => ({ at, value, color, rest: {} });
export const MIDDLE: Stop = stop("percentile", "50", "#fff2cc");
const SCALE: readonly Stop[] = [stop("minimum", "", "#e99999"), MIDDLE, stop("maximum", "", "#a8d19b")];
/** Fields that belong to one kind or another. */
const NONE = {
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

/** Its number among the kinds; -1: one that the dialog cannot show. */
export function kindOf({ fields }: ItemDetails): number {
  const { rule, operator } = fields;
  const known = operator ?? (rule === "text" ? "contains" : "equal");
  return KINDS.findIndex((kind) => kind.rule === rule && (kind.operator === undefined || kind.operator === known));
}

const text = (value: ItemValue | undefined): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");
const bare = (value: ItemValue | undefined): string => text(value).replace(/^=/, "");
const isRecord = (value: ItemValue | undefined): value is RuleFormat & { readonly [name: string]: ItemValue } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function stopsOf(item: ItemDetails): readonly Stop[] {
  const { stops } = item.fields;
  return (Array.isArray(stops) ? stops : []).filter(isRecord).map(({ at, value, formula, color, ...rest }) => ({
    at: text(at) || "number",
    value: bare(formula) || text(value),
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

/** How many icons there are in a set, as its name says. */
export const iconsIn = (set: string): number => Math.min(5, Math.max(2, Number.parseInt(set, 10) || 3));

/** In equal parts of what lies between the lowest and the highest. */
export function defaultLimits(set: string): readonly Stop[] {
  const count = iconsIn(set);
  return Array.from({ length: count - 1 }, (_, at) => stop("percent", String(Math.round((100 * (at + 1)) / count))));
}

export function draftOf(item: ItemDetails): Draft {
  const { fields } = item;
  const usual = newDraft(item.anchors.join(" "), isRecord(fields["format"]) ? fields["format"] : {});
  const stops = stopsOf(item);
  return {
    ...usual,
    kind: Math.max(0, kindOf(item)),
    first: bare(fields["formula1"]) || text(fields["text"]) || text(fields["rank"]),
    second: bare(fields["formula2"]),
    isPercent: fields["percent"] === true,
    period: text(fields["period"]) || usual.period,
    stops: fields["stop"] === true,
    scale: fields["rule"] === "colorScale" && stops.length >= 2 ? stops : usual.scale,
    barColor: text(fields["color"]) || "#638ec6",
    barNegativeColor: text(fields["negativeColor"]) || "#d94a3d",
    iconSet: text(fields["iconSet"]) || usual.iconSet,
    // The first is where everything begins.
    limits: fields["rule"] === "iconSet" ? stops.slice(1) : [],
    isReversed: fields["reverse"] === true,
    hidesValue: fields["showValue"] === false,
  };
}

const formula = (typed: string): string => `=${typed.trim().replace(/^=/, "") || "0"}`;
const orNone = (isSo: boolean): ItemValue => isSo || null;

export function anchorsOf({ cells }: Draft): string[] {
  return cells.split(/[\s,;]+/).filter((part) => part !== "");
}

/** Of a known rule, what the dialog does not show stays as long as its kind does. */
export function fieldsOf(draft: Draft, known: ItemDetails | undefined): Record<string, ItemValue> {
  const kind = KINDS[draft.kind] ?? (KINDS[0] as RuleKind);
  const isSame = known?.fields["rule"] === kind.rule;
  const look = isPainting(kind) ? { format: null, stop: null } : { format: { ...draft.format }, stop: orNone(draft.stops) };
  const fields = { ...(isSame ? {} : NONE), rule: kind.rule, ...look };
  switch (kind.asks) {
    case "nothing":
      return fields;
    case "formula":
      return { ...fields, operator: kind.operator ?? null, formula1: formula(draft.first), formula2: null };
    case "formulas":
      return { ...fields, operator: kind.operator ?? null, formula1: formula(draft.first), formula2: formula(draft.second) };
    case "text":
      return { ...fields, operator: kind.operator ?? null, text: draft.first };
    case "rank": {
      const rank = Math.round(Number(draft.first)) || RANK_USUAL;
      return { ...fields, rank: Math.min(RANK_MAX, Math.max(1, rank)), percent: orNone(draft.isPercent) };
    }
    case "period":
      return { ...fields, period: draft.period };
    case "scale":
      return { ...fields, stops: draft.scale.map(stopFields) };
    case "bar":
      return {
        ...fields,
        ...(!isSame && { gradient: false }),
        color: draft.barColor,
        negativeColor: draft.barNegativeColor,
        showValue: draft.hidesValue ? false : null,
      };
    case "icons": {
      const stops = draft.limits.length > 0 ? [stop("percent", "0"), ...draft.limits].map(stopFields) : null;
      return { ...fields, iconSet: draft.iconSet, stops, reverse: orNone(draft.isReversed), showValue: draft.hidesValue ? false : null };
    }
  }
}

const priorityOf = ({ fields }: ItemDetails): number => (typeof fields["priority"] === "number" ? fields["priority"] : 0);

/** As the engine goes through them: the first with a say about an attribute has it. */
export function ordered(rules: readonly ItemDetails[]): readonly ItemDetails[] {
  return [...rules].sort((a, b) => priorityOf(a) - priorityOf(b) || a.id - b.id);
}

/** After all others. */
export function lastPriority(rules: readonly ItemDetails[]): number {
  return Math.floor(Math.max(0, ...rules.map(priorityOf))) + 1;
}

/** The rules whose priority has to change for the one at `from` to come to `to`. */
export function moved(rules: readonly ItemDetails[], from: number, to: number): readonly { readonly id: number; readonly priority: number }[] {
  const order = [...rules];
  order.splice(to, 0, ...order.splice(from, 1));
  return order.flatMap((rule, at) => (priorityOf(rule) === at + 1 ? [] : [{ id: rule.id, priority: at + 1 }]));
}
