/** One chart: what it draws. */

import type { ChartSeriesDetails, ItemDetails } from "@quadrille/protocol";
import type { EChartsType } from "echarts/core";
import { createEffect, createSignal, onCleanup, onMount, Show } from "solid-js";
import { direction, showNumber, t } from "../language/index.ts";
import { DrawingFrame, FrameLoadError, type Size } from "../drawings/index.ts";
import { isDark } from "../theme/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { chartFields, chartOption, type Look, spoken } from "./chart-options.ts";
import { DEFAULT_SIZE } from "./default-size.ts";

/** Not more often than this while others edit. */
const REFRESH_MS = 120;
const SIZE_MIN = { width: 160, height: 110 };
const WORDS = {
  seriesName: (number: number) => t("Series {number}", { number }),
  trendName: (series: string) => t("Trend line of {series}", { series }),
  showNumber,
};

export function ChartFrame(props: { readonly model: WorkbookModel; readonly item: ItemDetails }) {
  const { model } = props;
  const fields = () => chartFields(props.item.fields);
  const [series, setSeries] = createSignal<readonly ChartSeriesDetails[]>([]);
  const [isLoaded, setIsLoaded] = createSignal(false);
  const [hasFailed, setHasFailed] = createSignal(false);
  const [size, setSize] = createSignal<Size>(DEFAULT_SIZE, { equals: (a, b) => a.width === b.width && a.height === b.height });
  let canvas!: HTMLDivElement;
  let drawing: EChartsType | undefined;

  const label = () => {
    const name = fields().altText || fields().title;
    return name ? t("Chart: {name}", { name }) : t("Chart");
  };

  const load = async (): Promise<void> => {
    setHasFailed(false);
    try {
      const { init } = await import("./echarts.ts");
      drawing = init(canvas, undefined, { renderer: "canvas" });
      setIsLoaded(true);
    } catch (error) {
      console.warn("quadrille: charts could not be loaded:", error);
      setHasFailed(true);
    }
  };
  onMount(() => void load());
  onCleanup(() => drawing?.dispose());

  createEffect(() => {
    if (isLoaded()) {
      drawing?.resize({ width: size().width, height: size().height });
    }
  });

  let timer = 0;
  let asked = 0;
  const ask = (): void => {
    timer = 0;
    asked += 1;
    const number = asked;
    const sheet = model.sheet();
    if (sheet !== undefined) {
      void model.session.query({ type: "chartSeries", sheet, item: props.item.id }).then((answer) => {
        if (number === asked) {
          setSeries(answer);
        }
      });
    }
  };
  createEffect(() => {
    model.cellChanges();
    void props.item;
    timer ||= window.setTimeout(ask, series().length === 0 ? 0 : REFRESH_MS);
  });
  onCleanup(() => window.clearTimeout(timer));

  createEffect(() => {
    model.schemeChanges();
    if (isLoaded()) {
      drawing?.setOption(chartOption(fields(), series(), fetchPreview()), { notMerge: true });
    }
  });

  return (
    <DrawingFrame
      model={model}
      item={props.item}
      label={label()}
      panel="chart"
      usualSize={DEFAULT_SIZE}
      leastSize={SIZE_MIN}
      onSize={({ width, height }) => setSize({ width, height })}
    >
      <div
        class="chart-canvas"
        ref={canvas}
        role="img"
        aria-label={spoken(fields(), series(), WORDS)}
      />
      <Show when={hasFailed()}>
        <FrameLoadError onRetry={() => void load()} />
      </Show>
      <Show when={isLoaded() && series().every((one) => one.values.every((value) => value === null))}>
        <p class="over-note" dir={direction()}>{t("No numbers to show yet.")}</p>
      </Show>
    </DrawingFrame>
  );
}

function fetchPreview(): Look {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  return {
    isDark: isDark(),
    ink: color("--ink"),
    softInk: color("--ink-soft"),
    line: color("--border"),
    paper: color("--raised"),
    font: color("--font"),
    otherName: t("Other"),
    ...WORDS,
    animates: !matchMedia("(prefers-reduced-motion: reduce)").matches,
  };
}
