/** Suggested charts for the data of a chart, with previews. */

import { columnCount, type Range, rowCount } from "@quadrille/grid";
import type { ItemValue } from "@quadrille/protocol";
import type { EChartsCoreOption } from "echarts/core";
import { createEffect, createResource, createSignal, For, onCleanup, onMount, Show } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import type { ChartFields, ChartType } from "./chart-options.ts";
import { chartTheme } from "./chart-theme.ts";
import { type DataBlock, readBlock } from "./data-block.ts";
import { loadECharts } from "./load-echarts.ts";
import { boundsOf } from "./series.ts";
import { PREVIEW_SIZE, previewOption } from "./suggestion-preview.ts";
import { type ChartSuggestion, suggestCharts, suggestionFields } from "./suggestions.ts";

/** Offers other charts of the same data; shown when there is more than one. */
export function ChartSuggestions(props: {
  readonly model: WorkbookModel;
  readonly fields: ChartFields;
  readonly typeName: (type: ChartType) => string;
  readonly onChoose: (fields: Record<string, ItemValue>) => void;
}) {
  const { model } = props;
  const bounds = () => boundsOf(props.fields.series ?? []);
  // The key changes with the cells that the chart shows, and not with its look.
  const [block] = createResource(() => JSON.stringify(bounds()), () => dataOf(model, bounds()));
  const suggestions = () => {
    const found = block.latest;
    return found ? suggestCharts(found) : [];
  };
  return (
    <Show when={suggestions().length > 1}>
      <section class="panel-section">
        <h3>{t("Suggestions")}</h3>
        <div class="chart-suggestions">
          <For each={suggestions()}>
            {(suggestion) => (
              <Suggestion
                model={model}
                suggestion={suggestion}
                name={nameOf(suggestion, props.typeName(suggestion.type))}
                isChosen={isShown(suggestion, props.fields)}
                onChoose={() => props.onChoose(suggestionFields(suggestion))}
              />
            )}
          </For>
        </div>
      </section>
    </Show>
  );
}

function Suggestion(props: {
  readonly model: WorkbookModel;
  readonly suggestion: ChartSuggestion;
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const [draw, setDraw] = createSignal<(option: EChartsCoreOption) => void>();
  let canvas!: HTMLSpanElement;
  let isRemoved = false;
  let dispose = (): void => undefined;
  onMount(async () => {
    // The frame of the chart on the page says when code could not be loaded.
    const loaded = await loadECharts({ type: props.suggestion.type }).catch(() => undefined);
    if (loaded && !isRemoved) {
      const drawing = loaded.init(canvas, undefined, { renderer: "canvas", ...PREVIEW_SIZE });
      dispose = () => drawing.dispose();
      setDraw(() => (option: EChartsCoreOption) => drawing.setOption(option, { notMerge: true }));
    }
  });
  onCleanup(() => {
    isRemoved = true;
    dispose();
  });
  createEffect(() => {
    props.model.schemeChanges();
    draw()?.(previewOption(props.suggestion, chartTheme()));
  });
  return (
    <button type="button" class="chart-suggestion" aria-pressed={props.isChosen} aria-label={props.name} title={props.name} onClick={() => props.onChoose()}>
      <span class="chart-suggestion-canvas" ref={canvas} aria-hidden="true" />
    </button>
  );
}

/**
 * The block that the chart shows a part of: the filled region around its cells if its rows or columns
 * are those of the chart, otherwise the cells themselves.
 */
async function dataOf(model: WorkbookModel, bounds: Range | undefined): Promise<DataBlock | undefined> {
  const sheet = model.sheet();
  if (!bounds || sheet === undefined || (columnCount(bounds) === 1 && rowCount(bounds) === 1)) {
    return undefined;
  }
  const region = await model.session.query({ type: "region", sheet, cell: { row: bounds.bottom, column: bounds.right } });
  const block = await readBlock(model, region);
  // Without totals, which a chart leaves out.
  const { top, bottom, left, right } = block.range;
  const hasSameRows = top === bounds.top && bottom === bounds.bottom;
  const hasSameColumns = left === bounds.left && right === bounds.right;
  return hasSameRows || hasSameColumns ? block : readBlock(model, bounds);
}

function nameOf({ aggregate, category, values }: ChartSuggestion, chart: string): string {
  const named = values.map(({ name }) => name).filter((name) => name !== "");
  if (named.length === 0) {
    return chart;
  }
  if (aggregate === "count") {
    return `${chart}: ${t("Count of {name}", { name: named.join(", ") })}`;
  }
  const list = named.join(", ");
  return category && category.name !== "" ? t("{chart}: {values} by {category}", { chart, values: list, category: category.name }) : `${chart}: ${list}`;
}

function isShown(suggestion: ChartSuggestion, fields: ChartFields): boolean {
  const references = (series: ChartFields["series"]): string => JSON.stringify((series ?? []).map(({ categories, values, axis }) => [categories, values, axis ?? "primary"]));
  return (
    suggestion.type === (fields.type ?? "column") &&
    (suggestion.stacking ?? "none") === (fields.stacking ?? "none") &&
    (suggestion.aggregate ?? "none") === (fields.aggregate ?? "none") &&
    references(suggestion.series) === references(fields.series)
  );
}
