/** The chart editor. Each change is applied at once for everybody and can be undone. */

import type { Cell } from "@quadrille/grid";
import type { ItemValue } from "@quadrille/protocol";
import { createEffect, createMemo, createSignal, For, Index, type JSX, Show } from "solid-js";
import { type Message, showNumber, t } from "../language/index.ts";
import { Icon, Panel } from "../components/index.ts";
import { isChartSheet } from "../sheets/index.ts";
import { isDark } from "../theme/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { displayedFormula, hostOf, storedFormula } from "../settings/index.ts";
import { CHART_TYPES, type ChartFields, chartFields, type ChartType, canHaveTrendLines, hasNumericX, palette, seriesColor, type SeriesFields } from "./chart-options.ts";
import { insertChart } from "./insert-chart.ts";
import { ChartSuggestions } from "./ChartSuggestions.tsx";
import { readBlock } from "./data-block.ts";
import { BANDS_MAX, type GaugeBand, gaugeScale } from "./gauge-scale.ts";
import { hasAxes, hasSeriesNames, isMoreType } from "./more-chart-options.ts";
import { itemValues, pairedSeries } from "./series.ts";
import { suggestCharts } from "./suggestions.ts";
import { ERROR_AMOUNTS, type ErrorBars, isErrorBars } from "./error-bars.ts";
import { canHaveIntercept, hasEquation, type Trend, TREND_DEFAULTS, TREND_ORDERS } from "./trend-lines.ts";

const TYPE_NAMES: Readonly<Record<ChartType, Message>> = {
  column: "Columns",
  bar: "Bars",
  line: "Lines",
  area: "Area",
  pie: "Pie",
  doughnut: "Doughnut",
  scatter: "Scatter",
  bubble: "Bubble",
  radar: "Radar",
  combo: "Combo",
  histogram: "Histogram",
  boxPlot: "Box plot",
  waterfall: "Waterfall",
  funnel: "Funnel",
  treemap: "Treemap",
  stock: "Candlestick",
  heatMap: "Heat map",
  gauge: "Gauge",
  map: "Map",
};

const STACKING: readonly (readonly [string, Message])[] = [
  ["none", "Clustered"],
  ["stacked", "Stacked"],
  ["percent", "100% stacked"],
];

const TREND_NAMES: readonly (readonly [trend: "none" | Trend, name: Message])[] = [
  ["none", "None"],
  ["linear", "Linear"],
  ["exponential", "Exponential"],
  ["logarithmic", "Logarithmic"],
  ["polynomial", "Polynomial"],
  ["movingAverage", "Moving average"],
];

/** Points of a moving average, at most; the engine accepts no more. */
const PERIOD_MAX = 255;

const ERROR_BAR_NAMES: readonly (readonly [kind: "none" | ErrorBars, name: Message])[] = [
  ["none", "None"],
  ["fixed", "Constant"],
  ["percent", "Percent"],
  ["standardDeviation", "Standard deviation"],
  ["standardError", "Standard error"],
];

const ERROR_DIRECTIONS: readonly (readonly [string, Message])[] = [
  ["both", "Both"],
  ["plus", "Plus"],
  ["minus", "Minus"],
];

const AGGREGATES: readonly (readonly [string, Message])[] = [
  ["none", "None"],
  ["sum", "Sum"],
  ["average", "Average"],
  ["count", "Count"],
  ["max", "Max"],
  ["median", "Median"],
  ["min", "Min"],
];

const LEGENDS: readonly (readonly [string, Message])[] = [
  ["", "Automatic"],
  ["none", "None"],
  ["top", "Top"],
  ["right", "Right"],
  ["bottom", "Bottom"],
  ["left", "Left"],
];

/** The panel that edits the selected chart, or offers to insert one. */
export function ChartPanel(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const item = () => {
    const chart = model.items.find(model.selectedItem() ?? 0);
    return chart?.kind === "chart" ? chart : undefined;
  };
  return (
    <Panel title={t("Chart")} onClose={() => model.closePanel()}>
      <Show
        when={item()}
        fallback={
          <>
            <p class="panel-note">{t("Select a chart, or insert one from the selected cells.")}</p>
            <p>
              <button type="button" class="button is-main" onClick={() => model.keys.waitFor(insertChart(model))}>
                {t("Insert chart")}
              </button>
            </p>
          </>
        }
      >
        {(chart) => <Editor model={model} id={chart().id} anchors={chart().anchors} fields={chartFields(chart().fields)} />}
      </Show>
    </Panel>
  );
}

function Editor(props: {
  readonly model: WorkbookModel;
  readonly id: number;
  readonly anchors: readonly string[];
  readonly fields: ChartFields;
}) {
  const { model } = props;
  const put = (fields: Record<string, ItemValue>): void => model.items.patch(props.id, fields);
  const type = () => (props.fields.type ?? "column") as ChartType;
  const series = () => props.fields.series ?? [];
  const isDarkTheme = () => model.schemeChanges() >= 0 && isDark();
  const patchSeries = (index: number, change: Partial<Record<keyof SeriesFields, ItemValue>>): void => {
    const changed = series().map((one, at) => {
      if (at !== index) {
        return one;
      }
      return Object.fromEntries(Object.entries({ ...one, ...change }).filter(([, value]) => value !== "" && value !== null));
    });
    put({ series: itemValues(changed) });
  };
  const fromSelection = async (): Promise<void> => {
    const [suggestion] = suggestCharts(await readBlock(model, await model.dataRange()));
    const chosen = suggestion?.series ?? [];
    put({ aggregate: suggestion?.aggregate ?? null, series: itemValues(type() === "bubble" ? pairedSeries(chosen) : chosen) });
  };
  return (
    <>
      <ChartSuggestions model={model} fields={props.fields} onChoose={put} typeName={(name) => t(TYPE_NAMES[name])} />
      <section class="panel-section">
        <Row label={t("Type")}>
          <select class="field" value={type()} onChange={(event) => put({ type: event.currentTarget.value })}>
            <For each={CHART_TYPES}>
              {(name) => <option value={name} selected={name === type()}>{t(TYPE_NAMES[name])}</option>}
            </For>
          </select>
        </Row>
        <TextRow label={t("Title")} value={props.fields.title ?? ""} onChange={(title) => put({ title: title || null })} />
        <TextRow label={t("Subtitle")} value={props.fields.subtitle ?? ""} onChange={(subtitle) => put({ subtitle: subtitle || null })} />
        <Row label={t("Legend")}>
          <select class="field" onChange={(event) => put({ legend: event.currentTarget.value || null })}>
            <For each={LEGENDS}>
              {([name, text]) => <option value={name} selected={name === (props.fields.legend ?? "")}>{t(text)}</option>}
            </For>
          </select>
        </Row>
        <Show when={hasAxes(type()) && !isMoreType(type()) && type() !== "scatter" && type() !== "bubble"}>
          <Row label={t("Stacking")}>
            <select class="field" onChange={(event) => put({ stacking: event.currentTarget.value })}>
              <For each={STACKING}>
                {([name, text]) => (
                  <option value={name} selected={name === (props.fields.stacking ?? "none")}>{t(text)}</option>
                )}
              </For>
            </select>
          </Row>
        </Show>
      </section>
      <section class="panel-section">
        <h3>{t("Data")}</h3>
        <Show when={!isChartSheet(model)}>
          <p class="panel-note">{t("Select cells and choose Use the selected cells, or edit the references.")}</p>
        </Show>
        <Show when={type() === "stock"}>
          <p class="panel-note">
            {props.fields.series?.[0]?.type === "column"
              ? t("The first series is the volumes. The others are the opening, high, low and closing prices, in this order. The opening prices may be missing.")
              : t("The series are the opening, high, low and closing prices, in this order. The opening prices may be missing.")}
          </p>
        </Show>
        <Show when={type() === "map"}>
          <p class="panel-note">{t("The labels are countries, by their names or ISO codes. The values of the first series colour them.")}</p>
        </Show>
        <Show when={!isChartSheet(model)}>
          <p>
            <button type="button" class="button" onClick={() => void fromSelection()}>
              {t("Use the selected cells")}
            </button>
          </p>
        </Show>
        <Index each={series()}>
          {(one, index) => (
            <Series
              series={one()}
              number={index + 1}
              type={type()}
              color={seriesColor(one().color, index, isDarkTheme())}
              canHaveStatistics={canHaveTrendLines(props.fields)}
              host={hostOf(props.anchors)}
              onChange={(change) => patchSeries(index, change)}
              onRemove={() => put({ series: itemValues(series().filter((_, at) => at !== index)) })}
            />
          )}
        </Index>
        <button
          type="button"
          class="button is-quiet"
          onClick={() => put({ series: itemValues([...series(), { values: series().at(-1)?.values ?? "=$A$1:$A$2" }]) })}
        >
          <Icon name="plus" />
          {t("Add series")}
        </button>
        <Row label={t("Aggregate")}>
          <select class="field" onChange={(event) => put({ aggregate: event.currentTarget.value })}>
            <For each={AGGREGATES}>
              {([name, text]) => (
                <option value={name} selected={name === (props.fields.aggregate ?? "none")}>{t(text)}</option>
              )}
            </For>
          </select>
        </Row>
        <label class="check">
          <input
            type="checkbox"
            checked={props.fields.showsHidden ?? false}
            onChange={(event) => put({ showsHidden: event.currentTarget.checked })}
          />
          {t("Include hidden/filtered data")}
        </label>
      </section>
      <Show when={hasAxes(type())}>
        <section class="panel-section">
          <h3>{t("Axes")}</h3>
          <TextRow label={t("X-axis title")} value={props.fields.xTitle ?? ""} onChange={(xTitle) => put({ xTitle: xTitle || null })} />
          <Show when={hasNumericX(type())}>
            <NumberRow label={t("Minimum of the x-axis")} value={props.fields.xMin} onChange={(xMin) => put({ xMin })} />
            <NumberRow label={t("Maximum of the x-axis")} value={props.fields.xMax} onChange={(xMax) => put({ xMax })} />
            <label class="check">
              <input
                type="checkbox"
                checked={props.fields.xLogarithmic ?? false}
                onChange={(event) => put({ xLogarithmic: event.currentTarget.checked || null })}
              />
              {t("Logarithmic x-axis")}
            </label>
          </Show>
          <TextRow label={t("Y-axis title")} value={props.fields.yTitle ?? ""} onChange={(yTitle) => put({ yTitle: yTitle || null })} />
          <NumberRow label={t("Minimum value")} value={props.fields.yMin} onChange={(yMin) => put({ yMin })} />
          <NumberRow label={t("Maximum value")} value={props.fields.yMax} onChange={(yMax) => put({ yMax })} />
          <Show when={type() !== "heatMap"}>
            <label class="check">
              <input
                type="checkbox"
                checked={props.fields.yLogarithmic ?? false}
                onChange={(event) => put({ yLogarithmic: event.currentTarget.checked })}
              />
              {t("Logarithmic")}
            </label>
            <label class="check">
              <input
                type="checkbox"
                checked={props.fields.gridlines ?? true}
                onChange={(event) => put({ gridlines: event.currentTarget.checked })}
              />
              {t("Gridlines")}
            </label>
          </Show>
        </section>
      </Show>
      <Show when={type() === "map"}>
        <section class="panel-section">
          <h3>{t("Scale")}</h3>
          <NumberRow label={t("Minimum value")} value={props.fields.yMin} onChange={(yMin) => put({ yMin })} />
          <NumberRow label={t("Maximum value")} value={props.fields.yMax} onChange={(yMax) => put({ yMax })} />
        </section>
      </Show>
      <Show when={type() === "gauge"}>
        <GaugeScale fields={props.fields} isDark={isDarkTheme()} onChange={put} />
      </Show>
      <section class="panel-section">
        <h3>{t("Alternative text for screen readers")}</h3>
        <TextRow label={t("Description")} value={props.fields.altText ?? ""} onChange={(altText) => put({ altText: altText || null })} />
      </section>
      <button
        type="button"
        class="button is-danger"
        onClick={() => {
          model.items.remove(props.id);
          model.selectItem(undefined);
          model.closePanel();
        }}
      >
        <Icon name="trash" />
        {t("Delete chart")}
      </button>
    </>
  );
}

function Series(props: {
  readonly series: SeriesFields;
  readonly number: number;
  readonly type: ChartType;
  /** Color in which the series is drawn. */
  readonly color: string;
  /** Whether the series can have a trend line and error bars. */
  readonly canHaveStatistics: boolean;
  /** The cell that relative references are relative to. */
  readonly host: Cell;
  readonly onChange: (change: Partial<Record<keyof SeriesFields, ItemValue>>) => void;
  readonly onRemove: () => void;
}) {
  const formula = (text: string): ItemValue => (text.trim() === "" ? "" : storedFormula(text.startsWith("=") ? text.trim() : `=${text.trim()}`, props.host));
  const displayed = (stored: string | undefined): string => (stored?.startsWith("=") ? displayedFormula(stored, props.host) : (stored ?? ""));
  /** A series name is a reference to a cell or a literal text. */
  const name = (text: string): ItemValue => (text === "" ? "" : text.startsWith("=") ? storedFormula(text, props.host) : `="${text.replaceAll('"', '""')}"`);
  /** Whether each value is drawn as a point, bar or corner. */
  const hasPoints = () => !isMoreType(props.type) && (hasAxes(props.type) || props.type === "radar");
  return (
    <fieldset class="chart-series">
      <legend>{t("Series {number}", { number: props.number })}</legend>
      <TextRow label={t("Name")} value={displayed(props.series.name)} onChange={(text) => props.onChange({ name: name(text) })} />
      <TextRow label={t("Values")} value={displayed(props.series.values)} onChange={(text) => props.onChange({ values: formula(text) })} />
      <TextRow
        label={props.type === "scatter" || props.type === "bubble" ? t("X axis") : t("Labels")}
        value={displayed(props.series.categories)}
        onChange={(text) => props.onChange({ categories: formula(text) })}
      />
      <Show when={props.type === "bubble"}>
        <TextRow label={t("Bubble sizes")} value={displayed(props.series.sizes)} onChange={(text) => props.onChange({ sizes: formula(text) })} />
      </Show>
      <Show when={hasPoints() && props.series.labels}>
        <TextRow label={t("Data labels")} value={displayed(props.series.labelCells)} placeholder={t("Values")} onChange={(text) => props.onChange({ labelCells: formula(text) })} />
      </Show>
      <Show when={props.type === "combo"}>
        <Row label={t("Chart type")}>
          <select class="field" onChange={(event) => props.onChange({ type: event.currentTarget.value })}>
            <For each={["column", "line", "area"] as const}>
              {(name) => (
                <option value={name} selected={name === (props.series.type ?? "column")}>{t(TYPE_NAMES[name])}</option>
              )}
            </For>
          </select>
        </Row>
      </Show>
      <Show when={props.canHaveStatistics}>
        <TrendLineRows series={props.series} onChange={props.onChange} />
        <ErrorBarRows series={props.series} onChange={props.onChange} />
      </Show>
      <div class="chart-series-tools">
        <Show when={props.type === "radar" || (hasAxes(props.type) && hasSeriesNames(props.type)) || (hasOneColor(props.type) && props.number === 1)}>
          <label class="chart-color">
            <input
              type="color"
              aria-label={t("Colour")}
              value={props.color}
              onChange={(event) => props.onChange({ color: event.currentTarget.value })}
            />
          </label>
        </Show>
        <Show when={props.type === "stock" && props.number === 1}>
          <label class="check">
            <input
              type="checkbox"
              checked={props.series.type === "column"}
              onChange={(event) => props.onChange({ type: event.currentTarget.checked ? "column" : "line" })}
            />
            {t("Volumes")}
          </label>
        </Show>
        <Show when={hasPoints()}>
          <label class="check">
            <input
              type="checkbox"
              checked={props.series.axis === "secondary"}
              onChange={(event) => props.onChange({ axis: event.currentTarget.checked ? "secondary" : "primary" })}
            />
            {t("Secondary axis")}
          </label>
        </Show>
        <Show when={hasPoints() || props.type === "heatMap"}>
          <label class="check">
            <input
              type="checkbox"
              checked={props.series.labels ?? false}
              onChange={(event) => props.onChange({ labels: event.currentTarget.checked })}
            />
            {t("Show values")}
          </label>
        </Show>
        <button
          type="button"
          class="tool is-small"
          aria-label={t("Remove series {number}", { number: props.number })}
          title={t("Remove series {number}", { number: props.number })}
          onClick={() => props.onRemove()}
        >
          <Icon name="trash" />
        </button>
      </div>
    </fieldset>
  );
}

/** Whether all series are drawn in the color of the first one. */
function hasOneColor(type: ChartType): boolean {
  return type === "heatMap" || type === "gauge" || type === "map";
}

/** The ends of the scale of gauges, and its bands. */
function GaugeScale(props: { readonly fields: ChartFields; readonly isDark: boolean; readonly onChange: (fields: Record<string, ItemValue>) => void }) {
  const bands = () => props.fields.stops ?? [];
  const put = (changed: readonly GaugeBand[]): void => props.onChange({ stops: changed.length === 0 ? null : (changed as unknown as ItemValue[]) });
  const patch = (index: number, change: Partial<GaugeBand>): void => put(bands().map((band, at) => (at === index ? { ...band, ...change } : band)));
  const add = (): void => {
    const [risen, middle, , fallen] = palette(props.isDark);
    const color = [risen, middle, fallen][bands().length] ?? "";
    // The first band begins with the scale, and another one halfway to its end.
    const [min, max] = gaugeScale([], props.fields);
    const last = bands().at(-1)?.value;
    put([...bands(), { value: last === undefined ? min : (last + max) / 2, color }]);
  };
  return (
    <section class="panel-section">
      <h3>{t("Scale")}</h3>
      <NumberRow label={t("Minimum value")} value={props.fields.yMin} onChange={(yMin) => props.onChange({ yMin })} />
      <NumberRow label={t("Maximum value")} value={props.fields.yMax} onChange={(yMax) => props.onChange({ yMax })} />
      <Index each={bands()}>
        {(band, index) => (
          <fieldset class="chart-series">
            <legend>{t("Band {number}", { number: index + 1 })}</legend>
            <NumberRow label={t("Begins at")} value={band().value} onChange={(value) => patch(index, { value: value ?? gaugeScale([], props.fields)[0] })} />
            <div class="chart-series-tools">
              <label class="chart-color">
                <input type="color" aria-label={t("Colour")} value={band().color ?? ""} onChange={(event) => patch(index, { color: event.currentTarget.value })} />
              </label>
              <button
                type="button"
                class="tool is-small"
                aria-label={t("Remove band {number}", { number: index + 1 })}
                title={t("Remove band {number}", { number: index + 1 })}
                onClick={() => put(bands().filter((_, at) => at !== index))}
              >
                <Icon name="trash" />
              </button>
            </div>
          </fieldset>
        )}
      </Index>
      <Show when={bands().length < BANDS_MAX}>
        <button type="button" class="button is-quiet" onClick={add}>
          <Icon name="plus" />
          {t("Add band")}
        </button>
      </Show>
    </section>
  );
}

interface SeriesRows {
  readonly series: SeriesFields;
  readonly onChange: (change: Partial<Record<keyof SeriesFields, ItemValue>>) => void;
}

function TrendLineRows(props: SeriesRows) {
  return (
    <>
      <Row label={t("Trendline")}>
        <select class="field" onChange={(event) => props.onChange({ trendline: event.currentTarget.value })}>
          <For each={TREND_NAMES}>
            {([trend, name]) => (
              <option value={trend} selected={trend === (props.series.trendline ?? "none")}>{t(name)}</option>
            )}
          </For>
        </select>
      </Row>
      <Show when={props.series.trendline === "polynomial"}>
        <Row label={t("Polynomial degree")}>
          <select class="field" onChange={(event) => props.onChange({ trendlineOrder: Number(event.currentTarget.value) })}>
            <For each={TREND_ORDERS}>
              {(order) => <option value={order} selected={order === (props.series.trendlineOrder ?? TREND_DEFAULTS.order)}>{showNumber(order)}</option>}
            </For>
          </select>
        </Row>
      </Show>
      <Show when={props.series.trendline === "movingAverage"}>
        <NumberRow
          label={t("Period")}
          value={props.series.trendlinePeriod}
          placeholder={showNumber(TREND_DEFAULTS.period)}
          accepts={(period) => Number.isInteger(period) && period >= 2 && period <= PERIOD_MAX}
          onChange={(trendlinePeriod) => props.onChange({ trendlinePeriod })}
        />
      </Show>
      <Show when={hasEquation(props.series.trendline)}>
        <NumberRow
          label={t("Forecast forward (periods)")}
          value={props.series.trendlineForward}
          placeholder={showNumber(0)}
          accepts={(periods) => periods >= 0}
          onChange={(trendlineForward) => props.onChange({ trendlineForward })}
        />
        <NumberRow
          label={t("Forecast backward (periods)")}
          value={props.series.trendlineBackward}
          placeholder={showNumber(0)}
          accepts={(periods) => periods >= 0}
          onChange={(trendlineBackward) => props.onChange({ trendlineBackward })}
        />
      </Show>
      <Show when={canHaveIntercept(props.series.trendline)}>
        <NumberRow
          label={t("Set intercept")}
          value={props.series.trendlineIntercept}
          accepts={(intercept) => props.series.trendline !== "exponential" || intercept > 0}
          onChange={(trendlineIntercept) => props.onChange({ trendlineIntercept })}
        />
      </Show>
      <Show when={hasEquation(props.series.trendline)}>
        <label class="check">
          <input
            type="checkbox"
            checked={props.series.trendlineEquation ?? false}
            onChange={(event) => props.onChange({ trendlineEquation: event.currentTarget.checked })}
          />
          {t("Show equation")}
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={props.series.trendlineRSquared ?? false}
            onChange={(event) => props.onChange({ trendlineRSquared: event.currentTarget.checked })}
          />
          {t("Show R²")}
        </label>
      </Show>
    </>
  );
}

function ErrorBarRows(props: SeriesRows) {
  const defaultAmount = () => {
    const kind = props.series.errorBars;
    return isErrorBars(kind) && kind !== "standardError" ? ERROR_AMOUNTS[kind] : undefined;
  };
  return (
    <>
      <Row label={t("Error bars")}>
        {/* An amount of another kind would be a different length. */}
        <select class="field" onChange={(event) => props.onChange({ errorBars: event.currentTarget.value, errorAmount: null })}>
          <For each={ERROR_BAR_NAMES}>
            {([kind, name]) => (
              <option value={kind} selected={kind === (props.series.errorBars ?? "none")}>{t(name)}</option>
            )}
          </For>
        </select>
      </Row>
      <Show when={defaultAmount()}>
        {(amount) => (
          <NumberRow
            label={t("Error amount")}
            value={props.series.errorAmount}
            placeholder={showNumber(amount())}
            accepts={(entered) => entered >= 0}
            onChange={(errorAmount) => props.onChange({ errorAmount })}
          />
        )}
      </Show>
      <Show when={isErrorBars(props.series.errorBars)}>
        <Row label={t("Direction")}>
          <select class="field" onChange={(event) => props.onChange({ errorDirection: event.currentTarget.value })}>
            <For each={ERROR_DIRECTIONS}>
              {([direction, name]) => (
                <option value={direction} selected={direction === (props.series.errorDirection ?? "both")}>{t(name)}</option>
              )}
            </For>
          </select>
        </Row>
      </Show>
    </>
  );
}

function Row(props: { readonly label: string; readonly children: JSX.Element }) {
  return (
    <label class="panel-row">
      <span>{props.label}</span>
      {props.children}
    </label>
  );
}

function TextRow(props: { readonly label: string; readonly value: string; readonly placeholder?: string; readonly onChange: (text: string) => void }) {
  let field!: HTMLInputElement;
  // Changes by others update the field unless it has the focus.
  createEffect(() => {
    const { value } = props;
    if (document.activeElement !== field) {
      field.value = value;
    }
  });
  return (
    <Row label={props.label}>
      <input
        ref={field}
        class="field"
        dir={props.value.startsWith("=") ? "ltr" : "auto"}
        maxLength={255}
        placeholder={props.placeholder}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.currentTarget.blur();
          }
        }}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      />
    </Row>
  );
}

function NumberRow(props: {
  readonly label: string;
  readonly value: number | undefined;
  /** The number in effect when none is entered, if it is known. */
  readonly placeholder?: string;
  /** Whether a number is permitted; all are without it. */
  readonly accepts?: (number: number) => boolean;
  readonly onChange: (number: number | null) => void;
}) {
  const [isInvalid, setIsInvalid] = createSignal(false);
  // A memo, so that an update with the same number does not overwrite the text being typed.
  const value = createMemo(() => props.value ?? "");
  return (
    <Row label={props.label}>
      <input
        class="field"
        inputMode="decimal"
        placeholder={props.placeholder ?? t("Automatic")}
        aria-invalid={isInvalid()}
        value={value()}
        onChange={(event) => {
          const text = event.currentTarget.value.trim().replace(",", ".");
          const number = Number(text);
          const isValid = text === "" || (Number.isFinite(number) && (props.accepts?.(number) ?? true));
          setIsInvalid(!isValid);
          if (text === "") {
            props.onChange(null);
          } else if (isValid) {
            props.onChange(number);
          }
        }}
      />
    </Row>
  );
}
