/** Turns the fields of a chart and its calculated series into ECharts options. */

import { LINE_CONTRAST, onPaper } from "@quadrille/grid";
import type { ChartSeriesDetails } from "@quadrille/protocol";
import type { EChartsCoreOption } from "echarts/core";
import { titleHeightPx, tooltip } from "./chart-parts.ts";
import { type ChartFields, type ChartTheme, palette, seriesColor, type SeriesFields } from "./chart-types.ts";
import { DEFAULT_CHART_SIZE } from "./default-size.ts";
import { notOnMap } from "./map-chart.ts";
import { describeMore, hasColorBar, hasSeriesNames, isMoreType, moreChartOption } from "./more-chart-options.ts";
import { numberForm } from "./number-form.ts";
import { stockSeries } from "./stock.ts";
import { errorBarSeries, errorLength, ERROR_AMOUNTS, isErrorBars } from "./error-bars.ts";
import { categoryPoints, forecastCategories, isTrend, type Point, rSquared, trendEquation, trendLine, trendValues } from "./trend-lines.ts";

export { CHART_TYPES, type ChartFields, chartFields, type ChartTheme, type ChartType, palette, seriesColor, type SeriesFields } from "./chart-types.ts";

/** Maximum number of slices of a pie; the smaller categories are combined into one slice. */
const SLICES_MAX = 24;

/** The ECharts options for a chart. */
export function chartOption(
  given: ChartFields,
  series: readonly ChartSeriesDetails[],
  theme: ChartTheme,
): EChartsCoreOption {
  // As in files: a stock chart of other series is a line chart.
  const fields: ChartFields = given.type === "stock" && !stockSeries(series, given.series?.[0]?.type) ? { ...given, type: "line" } : given;
  const names = series.map((one, index) => one.name || theme.seriesName(index + 1));
  const colors = series.map((_, index) => seriesColor(fields.series?.[index]?.color, index, theme.isDark));
  const text = { color: theme.softInk, fontFamily: theme.font };
  const common: EChartsCoreOption = {
    animation: theme.animates,
    animationDuration: 300,
    color: isPie(fields.type) ? palette(theme.isDark) : colors,
    textStyle: text,
    title: title(fields, theme),
    legend: legend(fields, series.length, theme),
    tooltip: {
      trigger: isPie(fields.type) || hasNumericX(fields.type) || fields.type === "radar" ? "item" : "axis",
      ...tooltip(theme),
      valueFormatter: shownValue(hasNumericX(fields.type) ? theme.showNumber : numberForm(series, theme.showNumber)),
    },
  };
  if (isPie(fields.type)) {
    return { ...common, series: [pie(fields, series[0], theme)] };
  }
  if (fields.type === "radar") {
    return { ...common, ...radar(fields, series, names, theme) };
  }
  if (isMoreType(fields.type)) {
    const axes = axesOf(fields, series, theme);
    const frame = {
      ...axes,
      title: title(fields, theme),
      topPx: axes.grid.top,
      bottomPx: axes.grid.bottom,
      valueAxis: axes.valueAxis(false),
      secondaryAxis: axes.valueAxis(true),
      categoryAxis: (data: readonly string[]) => ({ ...axes.firstAxis, type: "category", data }),
    };
    return { ...common, ...moreChartOption(fields.type, fields, series, names, colors, theme, frame) };
  }
  return { ...common, ...cartesian(fields, series, names, colors, theme) };
}

/** The formatter of a value in a tooltip. */
function shownValue(form: (number: number) => string): (value: unknown) => string {
  return (value) => (typeof value === "number" ? form(value) : "–");
}

/** Maximum number of points per series in the description for screen readers. */
const DESCRIBED_POINTS_MAX = 60;

/**
 * Describes the data for screen readers: `North: May 30, June 45; Trend line of North: 29, 46,
 * y = 15x + 15; South: …`. A trend line is described by its first and last value, and by its equation
 * where it is shown. Maps name the labels that are no country at the end.
 */
export function describeChart(
  fields: ChartFields,
  series: readonly ChartSeriesDetails[],
  theme: Pick<ChartTheme, "seriesName" | "trendName" | "errorBarsName" | "showNumber" | "showFactor" | "showEquation" | "boxNames" | "notOnMap">,
): string {
  const { seriesName, trendName, errorBarsName, showNumber, boxNames } = theme;
  const described = series.flatMap((one, index) => {
    const name = one.name || seriesName(index + 1);
    const more = describeMore(fields.type, series, index, { showNumber, boxNames });
    if (more !== undefined) {
      return [`${name}: ${more}`];
    }
    const labels = fields.series?.[index]?.labels ? one.labels : [];
    const points = one.texts.slice(0, DESCRIBED_POINTS_MAX).map((text, at) => `${one.categories[at] ?? at + 1} ${text}${labels[at] ? ` (${labels[at]})` : ""}`);
    const rest = one.texts.length > DESCRIBED_POINTS_MAX ? " …" : "";
    const ends = (trendOf(fields, index, one) ?? []).flatMap((point) => (typeof point === "number" ? [point] : point ? [point[1]] : []));
    const trend = ends.length > 0 ? [[`${trendName(name)}: ${showNumber(ends[0] ?? 0)}`, showNumber(ends.at(-1) ?? 0), ...trendTexts(fields, index, one, theme)].join(", ")] : [];
    const errors = describeErrorBars(fields, index, one, theme);
    return [`${name}: ${points.join(", ")}${rest}`, ...trend, ...(errors === undefined ? [] : [`${errorBarsName(name)}: ${errors}`])];
  });
  const note = fields.type === "map" ? notOnMap(series[0], theme) : undefined;
  return [...described, ...(note === undefined ? [] : [note])].join("; ");
}

/**
 * Whether the chart type supports trend lines and error bars. Stacked, pie and radar charts do not,
 * for trend lines as in Excel.
 */
export function canHaveTrendLines(fields: ChartFields): boolean {
  return !isPie(fields.type) && fields.type !== "radar" && !isMoreType(fields.type) && (hasNumericX(fields.type) || (fields.stacking ?? "none") === "none");
}

/**
 * The trend line of a series: one value per category, or points for charts with numeric x values.
 */
function trendOf(fields: ChartFields, index: number, series: ChartSeriesDetails): readonly (number | null | Point)[] | undefined {
  const seriesFields = fields.series?.[index];
  if (!isTrend(seriesFields?.trendline) || !canHaveTrendLines(fields)) {
    return undefined;
  }
  return hasNumericX(fields.type) ? trendLine(seriesFields, pointsOf(fields, series)) : trendValues(seriesFields, series.values);
}

/** The points to which a trend line is fitted. */
function pointsOf(fields: ChartFields, series: ChartSeriesDetails): readonly Point[] {
  if (!hasNumericX(fields.type)) {
    return categoryPoints(series.values);
  }
  return series.values.flatMap((value, at): Point[] => (value === null ? [] : [[series.positions[at] ?? at + 1, value]]));
}

/** The equation and R² of a trend line, as far as they are shown. */
function trendTexts(fields: ChartFields, index: number, series: ChartSeriesDetails, theme: Pick<ChartTheme, "showFactor" | "showEquation">): readonly string[] {
  const seriesFields = fields.series?.[index] ?? {};
  const points = pointsOf(fields, series);
  const equation = seriesFields.trendlineEquation === true ? trendEquation(seriesFields, points, theme.showFactor) : undefined;
  const determination = seriesFields.trendlineRSquared === true ? rSquared(seriesFields, points) : undefined;
  return [equation, determination === undefined ? undefined : `R² = ${theme.showFactor(determination)}`].flatMap((text) => (text === undefined ? [] : [theme.showEquation(text)]));
}

/** Whether a series of the chart has error bars that are drawn. */
function hasErrorBars(fields: ChartFields, index: number): boolean {
  return canHaveTrendLines(fields) && isErrorBars(fields.series?.[index]?.errorBars);
}

/** The length of error bars with its sign, such as `±5`, `+5%` or `-2`. */
function describeErrorBars(fields: ChartFields, index: number, series: ChartSeriesDetails, { showFactor }: Pick<ChartTheme, "showFactor">): string | undefined {
  const seriesFields = fields.series?.[index] ?? {};
  if (!hasErrorBars(fields, index)) {
    return undefined;
  }
  const sign = seriesFields.errorDirection === "plus" ? "+" : seriesFields.errorDirection === "minus" ? "-" : "±";
  if (seriesFields.errorBars === "percent") {
    return `${sign}${showFactor(seriesFields.errorAmount ?? ERROR_AMOUNTS.percent)}%`;
  }
  const length = errorLength(seriesFields, series.values);
  return length === undefined ? undefined : `${sign}${showFactor(length)}`;
}

function isPie(type: string | undefined): boolean {
  return type === "pie" || type === "doughnut";
}

/** Whether the x-axis of a chart type has numbers, and not names of points. */
export function hasNumericX(type: string | undefined): boolean {
  return type === "scatter" || type === "bubble";
}

function title(fields: ChartFields, theme: ChartTheme): object {
  return {
    text: fields.title ?? "",
    subtext: fields.subtitle ?? "",
    left: "center",
    top: 6,
    textStyle: { color: theme.ink, fontFamily: theme.font, fontSize: 15, fontWeight: 600, overflow: "truncate", width: (fields.width ?? DEFAULT_CHART_SIZE.width) - 24 },
    subtextStyle: { color: theme.softInk, fontFamily: theme.font },
  };
}

/** Where the names of the series stand, or the bar of colors. */
function legendPosition(fields: ChartFields, count: number): string {
  if (hasColorBar(fields.type)) {
    return fields.legend ?? "bottom";
  }
  return hasSeriesNames(fields.type) ? (fields.legend ?? (isPie(fields.type) || count > 1 ? "bottom" : "none")) : "none";
}

function legend(fields: ChartFields, count: number, theme: ChartTheme): object {
  const position = legendPosition(fields, count);
  const isSide = position === "left" || position === "right";
  return {
    show: position !== "none" && hasSeriesNames(fields.type),
    type: "scroll",
    orient: isSide ? "vertical" : "horizontal",
    ...(isSide ? { [position]: 8, top: "middle" } : { left: "center", [position === "top" ? "top" : "bottom"]: position === "top" ? titleHeightPx(fields) : 6 }),
    textStyle: { color: theme.softInk, fontFamily: theme.font },
    pageTextStyle: { color: theme.softInk },
    pageIconColor: theme.ink,
    pageIconInactiveColor: theme.line,
    icon: "roundRect",
    itemWidth: 12,
    itemHeight: 12,
  };
}

function pie(fields: ChartFields, series: ChartSeriesDetails | undefined, theme: ChartTheme): object {
  const slices = (series?.values ?? []).flatMap((value, index) =>
    value !== null && value > 0 ? [{ name: series?.categories[index] || String(index + 1), value }] : [],
  );
  const largest = [...slices].sort((a, b) => b.value - a.value).slice(0, SLICES_MAX);
  const named = slices.length > SLICES_MAX ? slices.filter((slice) => largest.includes(slice)) : slices;
  const rest = slices.reduce((sum, slice) => sum + slice.value, 0) - named.reduce((sum, slice) => sum + slice.value, 0);
  return {
    type: "pie",
    radius: fields.type === "doughnut" ? ["38%", "62%"] : "62%",
    center: ["50%", fields.title ? "54%" : "48%"],
    data: rest > 0 ? [...named, { name: theme.otherName, value: rest }] : named,
    labelLine: { length: 8, length2: 6 },
    label: {
      color: theme.softInk,
      fontFamily: theme.font,
      // A truncated number would read as a different number.
      overflow: "none",
      // The legend has the names; labels rarely have room for them.
      formatter: ({ name, percent }: { readonly name: string; readonly percent: number }) => {
        const share = `${theme.showNumber(Math.round(percent * 10) / 10)}%`;
        return fields.legend === "none" ? `${name}: ${share}` : share;
      },
    },
    itemStyle: { borderColor: theme.paper, borderWidth: 1.5 },
  };
}

/** Space for the name at a corner of a radar chart. */
const CORNER_NAME_PX = 28;

function radar(fields: ChartFields, series: readonly ChartSeriesDetails[], names: readonly string[], theme: ChartTheme): EChartsCoreOption {
  const corners = series[0]?.categories.length ? series[0].categories : (series[0]?.values ?? []).map((_, index) => String(index + 1));
  const largest = Math.max(0, ...series.flatMap((one) => one.values.map((value) => value ?? 0)));
  const { width, height } = { ...DEFAULT_CHART_SIZE, ...fields };
  const position = legendPosition(fields, series.length);
  const topPx = titleHeightPx(fields) + (position === "top" ? 28 : 12) + CORNER_NAME_PX;
  const bottomPx = height - (position === "bottom" ? 34 : 12) - CORNER_NAME_PX;
  const radiusPx = Math.min((bottomPx - topPx) / 2, width * 0.3);
  // A radar chart has no axis labels, so its grid lines need enough contrast.
  const lineStyle = { color: theme.isDark ? onPaper(Number.parseInt(theme.line.slice(1), 16), theme, LINE_CONTRAST) : theme.line };
  return {
    radar: {
      // Percentages, because a chart can be drawn smaller than its size. ECharts takes the radius
      // relative to half of the shorter side.
      center: ["50%", `${((topPx + bottomPx) / 2 / height) * 100}%`],
      radius: `${Math.max(20, (radiusPx / (Math.min(width, height) / 2)) * 100)}%`,
      indicator: corners.map((name) => ({ name, max: largest || 1 })),
      axisName: { color: theme.softInk },
      splitLine: { lineStyle },
      splitArea: { show: false },
      axisLine: { lineStyle },
    },
    series: [{ type: "radar", data: series.map((one, index) => ({ name: names[index], value: one.values.map((value) => value ?? 0) })) }],
  };
}

/** Width of a character in the labels of an axis. */
const LABEL_CHARACTER_PX = 6.5;

const DAY_MS = 86_400_000;
/** Serial number 0 of the 1900 date system, for dates from 1 March 1900. */
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);

/** The text of a number on the horizontal axis: of a date, if all series have dates there, or as cells show it. */
function positionText(series: readonly ChartSeriesDetails[], theme: ChartTheme): (position: number) => string {
  // `null` on published pages.
  const offset = series[0]?.dateOffset ?? undefined;
  if (offset !== undefined && series.every(({ dateOffset }) => dateOffset === offset)) {
    const format = new Intl.DateTimeFormat(theme.language, { year: "numeric", month: "numeric", day: "numeric", timeZone: "UTC" });
    return (position) => format.format(DAY_ZERO_MS + (position + offset) * DAY_MS);
  }
  return numberForm(series.map(({ positions, categories }) => ({ values: positions, texts: categories })), theme.showNumber);
}

/** The grid of a chart with axes, its value axis, and its other axis without type and data. */
function axesOf(fields: ChartFields, series: readonly ChartSeriesDetails[], theme: ChartTheme) {
  const isHorizontal = fields.type === "bar";
  const isPercent = fields.stacking === "percent" && !isMoreType(fields.type);
  const hasSecondary = series.some((_, index) => fields.series?.[index]?.axis === "secondary");
  const labels = { color: theme.softInk, fontFamily: theme.font, hideOverlap: true };
  const nameStyle = { color: theme.softInk, fontFamily: theme.font };
  /** The series of an axis. Histograms have counts, and stock charts other axes. */
  const seriesOn = (isSecondary: boolean): readonly ChartSeriesDetails[] =>
    isMoreType(fields.type) ? [] : series.filter((_, index) => (fields.series?.[index]?.axis === "secondary") === isSecondary);
  const labelsOf = (isSecondary: boolean): ((value: number) => string) => {
    const form = numberForm(seriesOn(isSecondary), theme.showNumber);
    return (value) => (isPercent ? `${theme.showNumber(value * 100)}%` : form(value));
  };
  /** Distance of the title from the axis: beyond the labels, of which that of the largest value is the longest. */
  const titleGapPx = (isSecondary: boolean, label: (value: number) => string): number => {
    let largest = isPercent ? 1 : 0;
    for (const { values } of isPercent ? [] : seriesOn(isSecondary)) {
      largest = values.reduce<number>((most, value) => (Math.abs(value ?? 0) > Math.abs(most) ? (value ?? 0) : most), largest);
    }
    return Math.max(44, label(Math.round(largest)).length * LABEL_CHARACTER_PX + 20);
  };
  const valueAxis = (isSecondary: boolean): object => {
    const label = labelsOf(isSecondary);
    return {
      type: fields.yLogarithmic === true ? "log" : "value",
      ...(isPercent ? { max: 1 } : { min: isSecondary ? undefined : fields.yMin, max: isSecondary ? undefined : fields.yMax }),
      scale: hasNumericX(fields.type) || fields.type === "line",
      name: isSecondary ? fields.y2Title : isHorizontal ? fields.xTitle : fields.yTitle,
      nameLocation: "middle",
      nameGap: isHorizontal ? 28 : titleGapPx(isSecondary, label),
      nameTextStyle: nameStyle,
      axisLabel: { ...labels, formatter: label },
      splitLine: { show: !isSecondary && fields.gridlines !== false, lineStyle: { color: theme.line } },
    };
  };
  const firstAxis = {
    name: isHorizontal ? fields.yTitle : fields.xTitle,
    nameLocation: "middle",
    nameGap: isHorizontal ? 56 : 28,
    nameTextStyle: nameStyle,
    axisLine: { show: true, lineStyle: { color: theme.line } },
    axisTick: { lineStyle: { color: theme.line } },
    axisLabel: labels,
  };
  const position = legendPosition(fields, series.length);
  const hasColors = hasColorBar(fields.type);
  const grid = {
    top: titleHeightPx(fields) + (position === "top" ? 28 : 12),
    bottom: (position === "bottom" ? (hasColors ? 44 : 34) : 12) + (fields.xTitle ? 18 : 0),
    left: (position === "left" ? (hasColors ? 64 : 110) : 14) + (fields.yTitle ? 18 : 0),
    right: (position === "right" ? (hasColors ? 64 : 120) : 18) + (hasSecondary && fields.y2Title ? 18 : 0),
    containLabel: true,
  };
  return { valueAxis, firstAxis, grid, hasSecondary };
}

/** Categories before the first and after the last point, into which trend lines reach. */
function forecastOf(fields: ChartFields, series: readonly ChartSeriesDetails[]): { readonly before: number; readonly after: number } {
  const longest = series.reduce((count, one) => Math.max(count, one.values.length), 0);
  const forecasts = canHaveTrendLines(fields) && !hasNumericX(fields.type) ? series.map((one, index) => ({ ...forecastCategories(fields.series?.[index] ?? {}), count: one.values.length })) : [];
  return {
    before: Math.max(0, ...forecasts.map(({ before }) => before)),
    // The categories of a longer series are a part of the forecast of a shorter one.
    after: Math.max(0, ...forecasts.map(({ after, count }) => count + after - longest)),
  };
}

function blanks<Blank>(count: number, blank: Blank): Blank[] {
  return Array.from({ length: count }, () => blank);
}

function cartesian(
  fields: ChartFields,
  given: readonly ChartSeriesDetails[],
  names: readonly string[],
  colors: readonly string[],
  theme: ChartTheme,
): EChartsCoreOption {
  const { valueAxis, firstAxis, grid, hasSecondary } = axesOf(fields, given, theme);
  const isHorizontal = fields.type === "bar";
  const isNumericX = hasNumericX(fields.type);
  const forecast = forecastOf(fields, given);
  const series = given.map((one) => ({ ...one, values: [...blanks(forecast.before, null), ...one.values] }));
  const longest = given.reduce((count, one) => Math.max(count, one.values.length), 0);
  const named = given.find((one) => one.categories.length > 0);
  const categories = [
    ...blanks(forecast.before, ""),
    ...Array.from({ length: longest }, (_, index) => named?.categories[index] || String(index + 1)),
    ...blanks(forecast.after, ""),
  ];
  const isPercent = fields.stacking === "percent";
  const totals = categories.map((_, index) =>
    series.reduce((sum, one) => sum + Math.abs(one.values[index] ?? 0), 0),
  );
  const categoryAxis = isNumericX
    ? { type: fields.xLogarithmic === true ? "log" : "value", scale: true, min: fields.xMin, max: fields.xMax, splitLine: { show: fields.gridlines !== false, lineStyle: { color: theme.line } } }
    : { type: "category", data: categories, boundaryGap: fields.type !== "line" && fields.type !== "area" };
  const first = isNumericX ? { ...categoryAxis, ...firstAxis, axisLabel: { ...firstAxis.axisLabel, formatter: positionText(given, theme) } } : { ...categoryAxis, ...firstAxis };
  const onAxis = (seriesFields: SeriesFields | undefined): object => (seriesFields?.axis === "secondary" ? (isHorizontal ? { xAxisIndex: 1 } : { yAxisIndex: 1 }) : {});
  const trends = given.flatMap((one, index) => {
    const values = trendOf(fields, index, one);
    const data = values && !isNumericX ? [...blanks(forecast.before - forecastCategories(fields.series?.[index] ?? {}).before, null), ...values] : values;
    const color = colors[index];
    return data
      ? {
          name: theme.trendName(names[index] ?? ""),
          type: "line",
          data,
          ...onAxis(fields.series?.[index]),
          showSymbol: false,
          sampling: "lttb",
          lineStyle: { width: 2, type: "dashed", color },
          itemStyle: { color },
          endLabel: trendLabel(trendTexts(fields, index, one, theme), theme),
        }
      : [];
  });
  const barIndices = series.flatMap((_, index) => (isBar(fields, index) ? [index] : []));
  const errorBars = series.flatMap((one, index) =>
    hasErrorBars(fields, index)
      ? {
          // With the name of the series, the legend hides both.
          name: names[index],
          ...onAxis(fields.series?.[index]),
          ...errorBarSeries(fields.series?.[index] ?? {}, one.values, one.values.map((_, at) => (isNumericX ? (one.positions[at] ?? at + 1) : at)), {
            color: theme.ink,
            isHorizontal,
            isLogarithmic: fields.yLogarithmic === true,
            bars: isBar(fields, index) ? barIndices : undefined,
            index,
            barWidthPxMax: BAR_WIDTH_PX_MAX,
          }),
        }
      : [],
  );
  const values = hasSecondary ? [valueAxis(false), valueAxis(true)] : [valueAxis(false)];
  return {
    grid,
    xAxis: isHorizontal ? values : first,
    yAxis: isHorizontal ? { ...first, inverse: true } : values,
    series: [
      ...series.map((one, index) => {
        const seriesFields = fields.series?.[index];
        const style = seriesStyle(fields, seriesFields);
        const isStacked = fields.stacking === "stacked" || isPercent;
        const isBar = style.type === "bar";
        return {
          name: names[index],
          ...style,
          ...onAxis(seriesFields),
          ...(isStacked ? { stack: "all" } : {}),
          // Within a stacked bar, ECharts chooses a color that contrasts with it.
          label: seriesFields?.labels ? { show: true, ...(isBar && isStacked ? {} : { color: theme.softInk }), ...(isBar && !isStacked ? { position: "outside" } : {}), formatter: (point: { dataIndex: number }) => labelsOf(one)[point.dataIndex - forecast.before] ?? "" } : undefined,
          tooltip: isNumericX ? undefined : { valueFormatter: pointText(one, forecast.before, isPercent, theme) },
          data: isNumericX
            ? one.values.map((value, at) => [one.positions[at] ?? at + 1, value, one.sizes[at] ?? null])
            : one.values.map((value, at) => (isPercent && value !== null ? Math.abs(value) / (totals[at] || 1) : value)),
          ...(fields.type === "bubble" ? { symbolSize: bubbleSize(one) } : {}),
        };
      }),
      ...trends,
      ...errorBars,
    ],
  };
}

/**
 * The formatter of a point in a tooltip: its text in the cell, or its share of a stack of 100 %. `series` has
 * `before` blanks before its first point.
 */
function pointText(series: ChartSeriesDetails, before: number, isPercent: boolean, theme: ChartTheme): (value: unknown, index: number) => string {
  const shown = shownValue(numberForm([series], theme.showNumber));
  return (value, index) => {
    const text = series.texts[index - before];
    if (text && series.values[index] !== null) {
      return isPercent && typeof value === "number" ? `${text} (${theme.showNumber(Math.round(value * 1_000) / 10)}%)` : text;
    }
    return shown(value);
  };
}

/** The equation and R² of a trend line, above its end. */
function trendLabel(texts: readonly string[], theme: ChartTheme): object {
  return {
    show: texts.length > 0,
    formatter: texts.join("\n"),
    align: "right",
    verticalAlign: "bottom",
    // Readable above lines and bars, which a background would hide.
    textBorderColor: theme.paper,
    textBorderWidth: 3,
    color: theme.ink,
    fontFamily: theme.font,
    fontSize: 12,
    // Without it, the second line is drawn over the first one.
    lineHeight: 16,
    padding: [2, 4],
    distance: 6,
  };
}

/** The width of bars and columns, at most. */
const BAR_WIDTH_PX_MAX = 56;

/** Whether a series is drawn as bars beside those of other series. */
function isBar(fields: ChartFields, index: number): boolean {
  return seriesStyle(fields, fields.series?.[index]).type === "bar";
}

/** The data labels of the points. */
function labelsOf({ labels, texts }: ChartSeriesDetails): readonly string[] {
  return labels.length > 0 ? labels : texts;
}

/** The markers of a line. ECharts draws data labels beside markers only, which have no size then. */
function symbols({ markers, labels }: SeriesFields): object {
  return labels && !markers ? { showSymbol: true, symbolSize: 0 } : { showSymbol: markers ?? false };
}

function seriesStyle(fields: ChartFields, seriesFields: SeriesFields | undefined): { readonly type: string; readonly [option: string]: unknown } {
  const type = fields.type === "combo" ? (seriesFields?.type ?? "column") : fields.type;
  switch (type) {
    case "line":
    case "area":
      return {
        type: "line",
        smooth: seriesFields?.smooth ?? false,
        ...symbols(seriesFields ?? {}),
        sampling: "lttb",
        lineStyle: { width: 2 },
        ...(type === "area" ? { areaStyle: { opacity: 0.28 } } : {}),
      };
    case "scatter":
    case "bubble":
      return { type: "scatter", symbolSize: 8, large: true };
    default:
      return { type: "bar", barMaxWidth: BAR_WIDTH_PX_MAX, large: true, itemStyle: { borderRadius: 2 } };
  }
}

/** Symbol size of a bubble; its area is proportional to the size value. */
function bubbleSize(series: ChartSeriesDetails): (point: readonly (number | null)[]) => number {
  const largest = Math.max(1e-300, ...series.sizes.map((size) => Math.abs(size ?? 0)));
  return (point) => 6 + 38 * Math.sqrt(Math.abs(point[2] ?? 0) / largest);
}
