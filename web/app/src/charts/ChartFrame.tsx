/** One chart on the sheet. */

import type { ChartSeriesDetails, ItemDetails } from "@quadrille/protocol";
import type { EChartsType } from "echarts/core";
import { createEffect, createMemo, createSignal, on, onCleanup, onMount, Show, untrack } from "solid-js";
import { direction, t } from "../language/index.ts";
import { DrawingFrame, FrameLoadError, type Size } from "../drawings/index.ts";
import { isPresenting, PRESENTATION_BAR_PX } from "../presentation/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { chartFields, chartOption, describeChart } from "./chart-options.ts";
import { CHART_TEXTS, chartTheme } from "./chart-theme.ts";
import { ChartMenu } from "./ChartMenu.tsx";
import { DEFAULT_CHART_SIZE } from "./default-size.ts";
import { type Components, loadECharts, loadedComponents, neededComponents } from "./load-echarts.ts";

/** Minimum time between two refreshes while others edit. */
const REFRESH_MS = 120;
const SIZE_MIN = { width: 160, height: 110 };

function isSameData(one: readonly ChartSeriesDetails[], other: readonly ChartSeriesDetails[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Draws a chart item with ECharts and keeps its data current. */
export function ChartFrame(props: {
  readonly model: WorkbookModel;
  readonly item: ItemDetails;
  /** Whether the sheet shows the chart instead of its cells. */
  readonly isOwnSheet?: boolean;
}) {
  const { model } = props;
  const fields = () => chartFields(props.item.fields);
  const [series, setSeries] = createSignal<readonly ChartSeriesDetails[]>([]);
  const [isLoaded, setIsLoaded] = createSignal(false);
  const [hasFailed, setHasFailed] = createSignal(false);
  const [size, setSize] = createSignal<Size>(DEFAULT_CHART_SIZE, { equals: (a, b) => a.width === b.width && a.height === b.height });
  let canvas!: HTMLDivElement;
  let drawing: EChartsType | undefined;
  /** The further components that the drawing knows. */
  const [known, setKnown] = createSignal<ReadonlySet<Components>>(new Set());
  const needed = createMemo(() => neededComponents(fields()));
  const knowsNeeded = (): boolean => {
    const components = needed();
    return components === undefined || known().has(components);
  };

  const description = () => {
    // A map knows the labels that are no country when its data are loaded.
    known();
    return describeChart(fields(), series(), CHART_TEXTS);
  };
  const label = () => {
    const name = fields().altText || fields().title;
    return name ? t("Chart: {name}", { name }) : t("Chart");
  };

  /** The area of the grid, for a chart that is shown instead of the cells. */
  const wholeSheet = () => {
    model.layout();
    const view = model.grid?.view;
    // The bar of a presentation would hide the labels of the axis.
    const barPx = isPresenting() ? PRESENTATION_BAR_PX : 0;
    return props.isOwnSheet && view ? { x: 0, y: 0, width: view.widthPx, height: Math.max(0, view.heightPx - barPx) } : undefined;
  };

  const load = async (): Promise<void> => {
    setHasFailed(false);
    try {
      const { init } = await loadECharts(fields());
      if (drawing && !knowsNeeded()) {
        drawing.dispose();
        drawing = undefined;
      }
      if (!drawing) {
        drawing = init(canvas, undefined, { renderer: "canvas" });
        setKnown(loadedComponents());
      }
      setIsLoaded(true);
    } catch (error) {
      console.warn("quadrille: charts could not be loaded:", error);
      setHasFailed(true);
    }
  };
  // A type or error bars may need more code than the chart did before.
  createEffect(on(needed, () => void load()));
  onCleanup(() => drawing?.dispose());
  onMount(() => {
    // The cells that had the focus are hidden.
    if (props.isOwnSheet && document.activeElement === document.body) {
      model.focusCells();
    }
  });

  createEffect(() => {
    if (isLoaded()) {
      drawing?.resize({ width: size().width, height: size().height });
    }
  });

  let timer = 0;
  let requestCount = 0;
  const refresh = (): void => {
    timer = 0;
    requestCount += 1;
    const request = requestCount;
    const sheet = model.sheet();
    if (sheet !== undefined) {
      void model.session.query({ type: "chartSeries", sheet, item: props.item.id }).then((answer) => {
        // Most edits are of other cells, and comparing is quicker than drawing.
        if (request === requestCount && !isSameData(answer, untrack(series))) {
          setSeries(answer);
        }
      });
    }
  };
  createEffect(() => {
    model.cellChanges();
    void props.item;
    timer ||= window.setTimeout(refresh, untrack(series).length === 0 ? 0 : REFRESH_MS);
  });
  onCleanup(() => window.clearTimeout(timer));

  createEffect(() => {
    model.schemeChanges();
    if (isLoaded() && knowsNeeded()) {
      drawing?.setOption(chartOption(fields(), series(), chartTheme()), { notMerge: true });
    }
  });

  return (
    <DrawingFrame
      model={model}
      item={props.item}
      label={label()}
      panel="chart"
      menu={() => <ChartMenu model={model} item={props.item} />}
      defaultSize={DEFAULT_CHART_SIZE}
      minSize={SIZE_MIN}
      isOwnSheet={props.isOwnSheet ?? false}
      fixed={wholeSheet()}
      onSize={({ width, height }) => setSize({ width, height })}
    >
      <div
        class="chart-canvas"
        ref={canvas}
        role="img"
        aria-label={description()}
      />
      <Show when={hasFailed()}>
        <FrameLoadError onRetry={() => void load()} />
      </Show>
      <Show when={isLoaded() && series().every((one) => one.values.every((value) => value === null))}>
        <p class="drawing-note" dir={direction()}>{t("No numbers to show.")}</p>
      </Show>
    </DrawingFrame>
  );
}
