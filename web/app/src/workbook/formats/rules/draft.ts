/** A rule as the dialog has it, from an item and back. */

import type { ItemDetails, ItemValue } from "@quadrille/protocol";
import { ICON_SETS, isPainting, KINDS, type RuleKind } from "./kinds.ts";

/** Attributes of a cell's format, by their names. */
export type RuleFormat = Readonly<Record<string, ItemValue>>;

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
  readonly scale: readonly string[];
  readonly barColor: string;
  readonly barNegativeColor: string;
  readonly iconSet: string;
  readonly isReversed: boolean;
  readonly hidesValue: boolean;
}

const RANK_USUAL = 10;
const RANK_MAX = 1_000;
const SCALE: readonly string[] = ["#e99999", "#fff2cc", "#a8d19b"];
const PLACES: Readonly<Record<number, readonly Readonly<Record<string, ItemValue>>[]>> = {
  2: [{ at: "minimum" }, { at: "maximum" }],
  3: [{ at: "minimum" }, { at: "percentile", value: 50 }, { at: "maximum" }],
};
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

function stopsOf(item: ItemDetails | undefined): readonly RuleFormat[] {
  const stops = item?.fields["stops"];
  return Array.isArray(stops) ? stops.filter(isRecord) : [];
}

export function draftOf(item: ItemDetails): Draft {
  const { fields } = item;
  const usual = newDraft(item.anchors.join(" "), isRecord(fields["format"]) ? fields["format"] : {});
  const colors = stopsOf(item).map(({ color }) => text(color));
  return {
    ...usual,
    kind: Math.max(0, kindOf(item)),
    first: bare(fields["formula1"]) || text(fields["text"]) || text(fields["rank"]),
    second: bare(fields["formula2"]),
    isPercent: fields["percent"] === true,
    period: text(fields["period"]) || usual.period,
    stops: fields["stop"] === true,
    scale: fields["rule"] === "colorScale" && colors.length in PLACES ? colors : usual.scale,
    barColor: text(fields["color"]) || "#638ec6",
    barNegativeColor: text(fields["negativeColor"]) || "#d94a3d",
    iconSet: text(fields["iconSet"]) || usual.iconSet,
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
    case "scale": {
      const standing = isSame ? stopsOf(known) : [];
      const places = standing.length === draft.scale.length ? standing : (PLACES[draft.scale.length] ?? []);
      return { ...fields, stops: places.map((place, at) => ({ ...place, color: draft.scale[at] ?? null })) };
    }
    case "bar":
      return {
        ...fields,
        ...(!isSame && { gradient: false }),
        color: draft.barColor,
        negativeColor: draft.barNegativeColor,
        showValue: draft.hidesValue ? false : null,
      };
    case "icons": {
      // Limits between the icons are those of one set.
      const isSameSet = isSame && known?.fields["iconSet"] === draft.iconSet;
      const more = { iconSet: draft.iconSet, reverse: orNone(draft.isReversed), showValue: draft.hidesValue ? false : null };
      return { ...fields, ...(!isSameSet && { stops: null }), ...more };
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
