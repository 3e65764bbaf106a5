/**
 * Chooses charts for a block of cells: dates become the horizontal axis, texts the categories, repeated
 * categories are summed, numbers of a very different size get the secondary axis, numbers of rows are
 * left out, texts without numbers are counted, and countries can be a map.
 */

import type { ItemValue } from "@quadrille/protocol";
import type { ChartType, SeriesFields } from "./chart-options.ts";
import { type DataBlock, type DataField, isYear } from "./data-block.ts";
import { itemValues, seriesReference } from "./series.ts";
import { hasPriceCount, stockPoints, type StockSeries } from "./stock.ts";

/** A chart that suits a block. */
export interface ChartSuggestion {
  readonly type: ChartType;
  readonly stacking?: "stacked";
  /** Points of the same category are combined. */
  readonly aggregate?: "sum" | "count";
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
/** Fewer series are compared more easily by their columns. */
const HEAT_MAP_SERIES_MIN = 5;
/** With fewer points, numbers may be in the order of prices by accident. */
const STOCK_POINTS_MIN = 5;
/** With fewer points, a histogram has hardly more points than bins. */
const HISTOGRAM_POINTS_MIN = 20;
/** More points than columns can show side by side. */
const COLUMN_POINTS_MAX = 30;

/** The charts that suit `block`, the best first: at least one, and at most four. */
export function suggestCharts(read: DataBlock): ChartSuggestion[] {
  const block = withoutRowNumbers(read);
  const candidates = categoryCandidates(block.fields);
  const counted = countedFields(block.fields);
  if (counted.length > 0) {
    return counted.flatMap((field) => chartsOfCounts(block, field)).slice(0, SUGGESTIONS_MAX);
  }
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

/** The block without a first field that only numbers the points, if there are other names and numbers. */
function withoutRowNumbers(block: DataBlock): DataBlock {
  const [first, ...others] = block.fields;
  const isNamed = others.some(({ kind }) => kind === "texts" || kind === "dates");
  return first && isNamed && hasValues(others) && isConsecutive(first) && !isYears(first) ? { ...block, fields: others } : block;
}

/**
 * Fields that can name the points: those without repetition first, among them dates first. Years and
 * row numbers are names, although they are numbers.
 */
function categoryCandidates(fields: readonly DataField[]): DataField[] {
  const isName = (field: DataField, order: number): boolean =>
    field.kind === "dates" || field.kind === "texts" || (order === 0 && hasValues(fields.slice(1)) && (isYears(field) || isConsecutive(field)));
  const named = fields.filter((field, order) => isName(field, order) && isMostlyFilled(field));
  const rank = (field: DataField): number => (isRepeated(field) ? 2 : 0) + (field.kind === "texts" ? 1 : 0);
  // A sort is stable: of equal ones, the first field of the block.
  return hasValues(fields) ? [...named].sort((a, b) => rank(a) - rank(b)) : named.slice(0, 1);
}

/** The fields of a block without numbers, of which equal contents are counted: the most repeated first. */
function countedFields(fields: readonly DataField[]): readonly DataField[] {
  if (!fields.every(({ kind }) => kind === "texts" || kind === "dates")) {
    return [];
  }
  const repeated = fields.filter((field) => isRepeated(field) && isMostlyFilled(field));
  return repeated.length > 0 ? repeated.sort((a, b) => namesOf(a).size - namesOf(b).size) : fields.slice(0, 1);
}

/** How often each content of a field occurs. */
function chartsOfCounts(block: DataBlock, field: DataField): ChartSuggestion[] {
  const make = (type: ChartType): ChartSuggestion => ({ type, aggregate: "count", series: [seriesFields(block, field, field)], category: field, values: [field] });
  if (field.kind === "dates") {
    return [make("column"), make("line")];
  }
  const bars = [make("column"), make("bar")];
  const ordered = hasLongNames(field) ? bars.reverse() : bars;
  return namesOf(field).size <= SLICES_MAX ? [...ordered.slice(0, 1), make("pie"), ...ordered.slice(1)] : ordered;
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
  const stockChart = ({ volumes, prices }: StockSeries<DataField>): ChartSuggestion => {
    const chart = make("stock", volumes ? [volumes, ...prices] : prices);
    return volumes ? { ...chart, series: chart.series.map((one, at) => (at === 0 ? { ...one, type: "column" } : one)) } : chart;
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
    // Many numbers without an order of their own are counted as well.
    const histogram = values.length === 1 && count >= HISTOGRAM_POINTS_MIN ? [make("histogram", primary)] : [];
    const pair = numbers.length === 2 && values.length === 2 ? scatter() : [];
    return [...pair, isMixed ? combo(count > COLUMN_POINTS_MAX ? "line" : "column") : plain, ...histogram, make(plain.type === "line" ? "area" : "line", primary)];
  }
  if (category.kind !== "texts") {
    const stock = aggregate ? undefined : (stockFields(values) ?? stockFields(primary));
    const prices = stock ? [stockChart(stock)] : [];
    // Three series may as well be the maximum, minimum and mean of something else.
    const isLine = stock?.prices.length === 3;
    return [...(isLine ? [] : prices), isMixed ? combo("line") : make("line", primary), ...(isLine ? prices : []), make("column", primary), ...stacked("area"), ...scatter()];
  }
  const names = namesOf(category);
  const isLong = hasLongNames(category);
  const isWhole = primary.length === 1 && !isMixed && names.size > 1 && names.size <= SLICES_MAX && (primary[0]?.points ?? []).every(({ number }) => (number ?? 0) >= 0);
  return [
    isMixed ? combo("column") : make(isLong ? "bar" : "column", primary),
    ...(category.hasCountries === true ? [make("map", primary.slice(0, 1))] : []),
    ...(isWhole ? [make("pie", primary)] : []),
    ...stacked(isLong ? "bar" : "column"),
    make(isLong ? "column" : "bar", primary),
    ...(primary.length >= HEAT_MAP_SERIES_MIN && !isMixed && !aggregate ? [make("heatMap", primary)] : []),
    ...scatter(),
  ];
}

/** The fields that are drawn: numbers, and fields that are still blank. */
function valueFields(fields: readonly DataField[], category: DataField | undefined): readonly DataField[] {
  const values = fields.filter((field) => field !== category && isValue(field));
  return values.length > 0 ? values : fields;
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

/** Fields that are prices, alone or with volumes after or before them. */
function stockFields(values: readonly DataField[]): StockSeries<DataField> | undefined {
  const [first, last] = [values[0], values.at(-1)];
  return [
    { volumes: undefined, prices: values },
    { volumes: last, prices: values.slice(0, -1) },
    { volumes: first, prices: values.slice(1) },
  ].find(({ volumes, prices }) => arePrices(prices) && (volumes === undefined || areVolumes(volumes)));
}

/**
 * Whether fields are opening, high, low and closing prices, or those without the opening ones: no price
 * is above the high or below the low one.
 */
function arePrices(values: readonly DataField[]): boolean {
  if (!hasPriceCount(values)) {
    return false;
  }
  const points = stockPoints(values.map((field) => field.points.map(({ number }) => number)));
  const known = points.filter((point) => point !== undefined);
  return known.length >= STOCK_POINTS_MIN && known.every(({ open, high, low, close }) => high >= Math.max(open, close) && low <= Math.min(open, close));
}

function areVolumes({ kind, points }: DataField): boolean {
  return kind === "numbers" && points.every(({ number }) => number === null || number >= 0);
}

/** Whether some of the categories occur more than once, beyond a stray repetition. */
function isRepeated({ points }: DataField): boolean {
  const texts = points.map(({ text }) => text).filter((text) => text !== "");
  return new Set(texts).size < texts.length * 0.9;
}

function hasValues(fields: readonly DataField[]): boolean {
  return fields.some(isValue);
}

/** Whether a field can be drawn: it holds numbers, or is still blank. */
function isValue({ kind }: DataField): boolean {
  return kind === "numbers" || kind === "empty";
}

function isMostlyFilled({ points }: DataField): boolean {
  return points.filter(({ text }) => text !== "").length * 2 >= points.length;
}

/** The different texts of a field. */
function namesOf({ points }: DataField): Set<string> {
  return new Set(points.map(({ text }) => text).filter((text) => text !== ""));
}

function hasLongNames(field: DataField): boolean {
  const names = namesOf(field);
  return names.size > 2 && [...names].reduce((sum, text) => sum + text.length, 0) > SHORT_NAME_MAX * names.size;
}

/** Whether a field holds years in ascending order. */
function isYears({ kind, points }: DataField): boolean {
  return kind === "numbers" && points.length > 1 && points.every(({ number }, at) => isYear(number) && (at === 0 || number > (points[at - 1]?.number ?? 0)));
}

/** Whether each number of a field follows the one before it, such as 1, 2, 3 or 1001, 1002, 1003. */
function isConsecutive({ kind, points }: DataField): boolean {
  return kind === "numbers" && points.length > 2 && points.every(({ number }, at) => Number.isInteger(number) && (at === 0 || number === (points[at - 1]?.number ?? 0) + 1));
}

function seriesFields(block: DataBlock, values: DataField, category: DataField | undefined): SeriesFields {
  return {
    ...(block.hasHeader ? { name: seriesReference(block, values.index, "header") } : {}),
    ...(category ? { categories: seriesReference(block, category.index, "points") } : {}),
    values: seriesReference(block, values.index, "points"),
  };
}
