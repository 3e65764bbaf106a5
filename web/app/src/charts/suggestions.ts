/**
 * Chooses charts for a block of cells: dates become the horizontal axis, texts the categories, repeated
 * categories are summed, and numbers of a very different size get the secondary axis.
 */

import type { ItemValue } from "@quadrille/protocol";
import type { ChartType, SeriesFields } from "./chart-options.ts";
import type { DataBlock, DataField } from "./data-block.ts";
import { itemValues, seriesReference } from "./series.ts";

/** A chart that suits a block. */
export interface ChartSuggestion {
  readonly type: ChartType;
  readonly stacking?: "stacked";
  /** Points of the same category are combined. */
  readonly aggregate?: "sum";
  readonly series: readonly SeriesFields[];
  /** The field with the categories, or the x values of a scatter chart. */
  readonly category: DataField | undefined;
  /** The fields of `series`, in the same order. */
  readonly values: readonly DataField[];
}

const SUGGESTIONS_MAX = 4;
/** Maximum number of series of a new chart. */
const SERIES_MAX = 60;
/** From this factor between their largest numbers on, two series do not share an axis. */
const SIZE_FACTOR = 10;
/** A pie with more slices cannot be read. */
const SLICES_MAX = 8;
/** Categories with longer names, in characters on average, are read more easily beside bars. */
const SHORT_NAME_MAX = 14;
/** With fewer points, two columns of numbers are compared rather than correlated. */
const SCATTER_POINTS_MIN = 10;
/** More points than columns can show side by side. */
const COLUMN_POINTS_MAX = 30;

/** The charts that suit `block`, the best first: at least one, and at most four. */
export function suggestCharts(block: DataBlock): ChartSuggestion[] {
  const candidates = categoryCandidates(block.fields);
  const suggestions = (candidates.length > 0 ? candidates : [undefined]).flatMap((category) => chartsBy(block, category));
  // The first chart of each category comes before the variants.
  const [best, ...others] = suggestions;
  const firsts = others.filter((one) => one.category !== best?.category && others.find((other) => other.category === one.category) === one);
  const ordered = best ? [best, ...firsts, ...others.filter((one) => !firsts.includes(one))] : [];
  return ordered.slice(0, SUGGESTIONS_MAX);
}

/** The fields of a chart item for a suggestion; those that it does not have are removed from the item. */
export function suggestionFields({ type, stacking, aggregate, series }: ChartSuggestion): Record<string, ItemValue> {
  return { type, stacking: stacking ?? null, aggregate: aggregate ?? null, series: itemValues(series) };
}

/** Fields that can name the points: those without repetition first, among them dates first. */
function categoryCandidates(fields: readonly DataField[]): DataField[] {
  const named = fields.filter((field, order) => field.kind === "dates" || field.kind === "texts" || (order === 0 && fields.length > 1 && isYears(field)));
  const hasValues = fields.some((field) => !named.includes(field));
  const rank = (field: DataField): number => (isRepeated(field) ? 2 : 0) + (field.kind === "texts" ? 1 : 0);
  // A sort is stable: of equal ones, the first field of the block.
  return hasValues ? [...named].sort((a, b) => rank(a) - rank(b)) : named.slice(0, 1);
}

/** The charts with the categories of one field. */
function chartsBy(block: DataBlock, category: DataField | undefined): ChartSuggestion[] {
  const values = valueFields(block.fields, category);
  const numbers = values.filter((field) => field.kind === "numbers");
  const count = Math.max(0, ...values.map((field) => field.points.length));
  const { primary, secondary } = splitBySize(values);
  const aggregate = category && isRepeated(category) ? "sum" : undefined;
  const make = (type: ChartType, fields: readonly DataField[], change: Partial<ChartSuggestion> = {}): ChartSuggestion => ({
    type,
    ...(aggregate && { aggregate }),
    series: fields.slice(0, SERIES_MAX).map((field) => seriesFields(block, field, category)),
    category,
    values: fields.slice(0, SERIES_MAX),
    ...change,
  });
  const combo = (main: "column" | "line"): ChartSuggestion => {
    const chart = make("combo", [...primary, ...secondary]);
    const series = chart.series.map((one, at) => (at < primary.length ? { ...one, type: main } : { ...one, type: "line", axis: "secondary" }));
    return { ...chart, series };
  };
  const scatter = (): ChartSuggestion[] => {
    const [x, ...ys] = numbers;
    return x && ys.length > 0 && x.points.length >= SCATTER_POINTS_MIN
      ? [{ type: "scatter", series: ys.slice(0, SERIES_MAX).map((field) => seriesFields(block, field, x)), category: x, values: ys.slice(0, SERIES_MAX) }]
      : [];
  };
  const isMixed = secondary.length > 0;
  const stacked = (type: ChartType): ChartSuggestion[] => (primary.length > 1 && !isMixed ? [make(type, primary, { stacking: "stacked" })] : []);
  if (!category) {
    const plain = make(count > COLUMN_POINTS_MAX ? "line" : "column", primary);
    const pair = numbers.length === 2 && values.length === 2 ? scatter() : [];
    return [...pair, isMixed ? combo(count > COLUMN_POINTS_MAX ? "line" : "column") : plain, make(plain.type === "line" ? "area" : "line", primary)];
  }
  if (category.kind !== "texts") {
    return [isMixed ? combo("line") : make("line", primary), make("column", primary), ...stacked("area"), ...scatter()];
  }
  const names = new Set(category.points.map(({ text }) => text).filter((text) => text !== ""));
  const nameLength = [...names].reduce((sum, text) => sum + text.length, 0) / Math.max(1, names.size);
  const isLong = nameLength > SHORT_NAME_MAX && names.size > 2;
  const isWhole = primary.length === 1 && !isMixed && names.size > 1 && names.size <= SLICES_MAX && (primary[0]?.points ?? []).every(({ number }) => (number ?? 0) >= 0);
  return [
    isMixed ? combo("column") : make(isLong ? "bar" : "column", primary),
    ...(isWhole ? [make("pie", primary)] : []),
    ...stacked(isLong ? "bar" : "column"),
    make(isLong ? "column" : "bar", primary),
    ...scatter(),
  ];
}

/** The fields that are drawn: numbers, and fields that are still blank. */
function valueFields(fields: readonly DataField[], category: DataField | undefined): readonly DataField[] {
  const others = fields.filter((field) => field !== category);
  const values = others.filter((field) => field.kind === "numbers" || field.kind === "empty");
  return values.length > 0 ? values : others.length > 0 ? others : fields;
}

/**
 * The fields of the size of the first one, and those of the size of the first of the others. Fields of a
 * third size are left out.
 */
function splitBySize(values: readonly DataField[]): { readonly primary: readonly DataField[]; readonly secondary: readonly DataField[] } {
  const sizeOf = ({ points }: DataField): number => points.reduce((largest, { number }) => Math.max(largest, Math.abs(number ?? 0)), 0);
  const isLike = (size: number) => (field: DataField): boolean => {
    const own = sizeOf(field);
    return own === 0 || size === 0 || (own < size * SIZE_FACTOR && size < own * SIZE_FACTOR);
  };
  // The first field may be blank.
  const reference = values.find((field) => sizeOf(field) > 0);
  const primary = values.filter(isLike(reference ? sizeOf(reference) : 0));
  const others = values.filter((field) => !primary.includes(field));
  const [first] = others;
  return { primary, secondary: first ? others.filter(isLike(sizeOf(first))) : [] };
}

/** Whether some of the categories occur more than once, beyond a stray repetition. */
function isRepeated({ points }: DataField): boolean {
  const texts = points.map(({ text }) => text).filter((text) => text !== "");
  return new Set(texts).size < texts.length * 0.9;
}

/** Whether a field holds years, which are categories although they are numbers. */
function isYears({ kind, points }: DataField): boolean {
  return (
    kind === "numbers" &&
    points.length > 1 &&
    points.every(({ number }, at) => number !== null && Number.isInteger(number) && number >= 1900 && number <= 2100 && (at === 0 || number > (points[at - 1]?.number ?? 0)))
  );
}

function seriesFields(block: DataBlock, values: DataField, category: DataField | undefined): SeriesFields {
  return {
    ...(block.hasHeader ? { name: seriesReference(block, values.index, "header") } : {}),
    ...(category ? { categories: seriesReference(block, category.index, "points") } : {}),
    values: seriesReference(block, values.index, "points"),
  };
}
