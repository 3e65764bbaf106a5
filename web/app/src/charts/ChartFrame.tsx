/** One chart: where it lies, how it is moved, and what it draws. */

import { type Cell, cellName, parseRange } from "@quadrille/grid";
import type { ChartSeriesDetails, ItemDetails } from "@quadrille/protocol";
import type { EChartsType } from "echarts/core";
import { createEffect, createSignal, onCleanup, onMount, Show } from "solid-js";
import { showNumber, t } from "../language/language.ts";
import { isDark } from "../scheme.ts";
import type { WorkbookModel } from "../workbook/model.ts";
import { chartFields, chartOption, type Look, spoken } from "./options.ts";
import { DEFAULT_SIZE } from "./size.ts";

/** Not more often than this while others edit. */
const REFRESH_MS = 120;
const STEP_PX = 10;
/** A change of place that was refused is forgotten after this time. */
const SETTLE_MS = 1_500;
const SIZE_MIN = { width: 160, height: 110 };

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function ChartFrame(props: { readonly model: WorkbookModel; readonly item: ItemDetails }) {
  const { model } = props;
  const fields = () => chartFields(props.item.fields);
  const [series, setSeries] = createSignal<readonly ChartSeriesDetails[]>([]);
  const [isLoaded, setIsLoaded] = createSignal(false);
  const [hasFailed, setHasFailed] = createSignal(false);
  /** While it is dragged, and until the engine has told that it lies there. */
  const [dragged, setDragged] = createSignal<Place>();
  let settleTimer = 0;
  let frame!: HTMLDivElement;
  let canvas!: HTMLDivElement;
  let drawing: EChartsType | undefined;

  const place = (): Place | undefined => {
    const cell = anchorOf(props.item);
    const box = cell && model.cellBox(cell)?.box;
    return (
      box && {
        x: box.x + (fields().offsetX ?? 0),
        y: box.y + (fields().offsetY ?? 0),
        width: fields().width ?? DEFAULT_SIZE.width,
        height: fields().height ?? DEFAULT_SIZE.height,
      }
    );
  };
  const isSelected = () => model.chart() === props.item.id;
  const label = () => {
    const name = fields().altText || fields().title;
    return name ? t("Chart: {name}", { name }) : t("Chart");
  };

  onMount(async () => {
    try {
      const { init } = await import("./drawing.ts");
      drawing = init(canvas, undefined, { renderer: "canvas" });
      setIsLoaded(true);
    } catch (error) {
      console.warn("quadrille: charts could not be loaded:", error);
      setHasFailed(true);
    }
  });
  onCleanup(() => drawing?.dispose());

  createEffect(() => {
    const at = dragged() ?? place();
    if (at) {
      frame.style.transform = `translate(${Math.round(at.x)}px, ${Math.round(at.y)}px)`;
      frame.style.width = `${at.width}px`;
      frame.style.height = `${at.height}px`;
    }
    frame.hidden = at === undefined;
  });
  // Laid out anew after its box has its size.
  createEffect(() => {
    const { width, height } = dragged() ?? { width: fields().width, height: fields().height };
    if (isLoaded()) {
      drawing?.resize({ width: width ?? DEFAULT_SIZE.width, height: height ?? DEFAULT_SIZE.height });
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
      void model.session.ask({ type: "chartSeries", sheet, item: props.item.id }).then((answer) => {
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
      drawing?.setOption(chartOption(fields(), series(), readLook()), { notMerge: true });
    }
  });

  /** Keys may come faster than answers: the next step starts where this one leads. */
  const moveTo = (to: Place): void => {
    setDragged(to);
    window.clearTimeout(settleTimer);
    settleTimer = window.setTimeout(() => setDragged(undefined), SETTLE_MS);
    const anchor = model.grid?.cellAt(to.x, to.y);
    const box = anchor && model.grid?.boxOfCell(anchor);
    if (anchor && box) {
      model.command({
        type: "setItem",
        sheet: model.sheetId(),
        item: props.item.id,
        anchors: [cellName(anchor)],
        fields: {
          offsetX: Math.max(0, Math.round(to.x - box.x)),
          offsetY: Math.max(0, Math.round(to.y - box.y)),
          width: to.width,
          height: to.height,
        },
      });
    }
  };

  createEffect(() => {
    const [wanted, at] = [dragged(), place()];
    if (settleTimer !== 0 && wanted && at && isSamePlace(wanted, at)) {
      window.clearTimeout(settleTimer);
      settleTimer = 0;
      setDragged(undefined);
    }
  });
  onCleanup(() => window.clearTimeout(settleTimer));

  const drag = (event: PointerEvent, resizes: boolean): void => {
    const from = place();
    if (event.button !== 0 || !from) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    frame.focus();
    model.selectChart(props.item.id);
    if (!model.status().mayEdit) {
      return;
    }
    const target = event.currentTarget as HTMLElement;
    target.setPointerCapture(event.pointerId);
    const cells = model.grid?.cellsBox;
    const move = (moved: PointerEvent): void => {
      const dx = moved.clientX - event.clientX;
      const dy = moved.clientY - event.clientY;
      if (resizes) {
        setDragged({
          ...from,
          width: Math.max(SIZE_MIN.width, from.width + dx),
          height: Math.max(SIZE_MIN.height, from.height + dy),
        });
      } else if (dragged() || Math.hypot(dx, dy) > 3) {
        // Its corner stays over cells, so that it can be taken hold of again.
        setDragged({
          ...from,
          x: Math.max(cells?.x ?? 0, from.x + dx),
          y: Math.max(cells?.y ?? 0, from.y + dy),
        });
      }
    };
    const end = (): void => {
      target.removeEventListener("pointermove", move);
      const to = dragged();
      if (to) {
        moveTo(to);
      }
    };
    target.addEventListener("pointermove", move);
    target.addEventListener("pointerup", end, { once: true });
    target.addEventListener("pointercancel", end, { once: true });
  };

  const key = (event: KeyboardEvent): void => {
    const at = dragged() ?? place();
    const step = ARROWS[event.key];
    if (event.key === "Escape") {
      model.selectChart(undefined);
      model.focusCells();
    } else if (event.key === "Enter") {
      model.openPanel("chart");
    } else if (event.key === "Delete" || event.key === "Backspace") {
      model.items.remove(props.item.id);
      model.selectChart(undefined);
      model.focusCells();
    } else if (step && at) {
      const [dx, dy] = [step[0] * STEP_PX, step[1] * STEP_PX];
      moveTo(
        event.shiftKey
          ? { ...at, width: Math.max(SIZE_MIN.width, at.width + dx), height: Math.max(SIZE_MIN.height, at.height + dy) }
          : { ...at, x: at.x + dx, y: at.y + dy },
      );
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      ref={frame}
      class="chart-frame"
      classList={{ "is-selected": isSelected() }}
      role="figure"
      aria-label={label()}
      tabIndex={0}
      onFocus={() => model.selectChart(props.item.id)}
      // Not delegated to the document: the grid below listens on its element and must not hear these.
      on:keydown={key}
      on:pointerdown={(event) => {
        event.stopPropagation();
        drag(event, false);
      }}
      on:dblclick={(event) => {
        event.stopPropagation();
        model.openPanel("chart");
      }}
      on:contextmenu={(event) => {
        event.preventDefault();
        event.stopPropagation();
        model.selectChart(props.item.id);
        model.openPanel("chart");
      }}
    >
      <div
        class="chart-canvas"
        ref={canvas}
        role="img"
        aria-label={spoken(series(), (number) => t("Series {number}", { number }))}
      />
      <Show when={hasFailed()}>
        <p class="chart-note">{t("The part of the page that draws charts could not be loaded.")}</p>
      </Show>
      <Show when={isLoaded() && series().every((one) => one.values.every((value) => value === null))}>
        <p class="chart-note">{t("No numbers to show yet.")}</p>
      </Show>
      <Show when={isSelected() && model.status().mayEdit}>
        <span class="chart-grip" aria-hidden="true" on:pointerdown={(event) => drag(event, true)} />
      </Show>
    </div>
  );
}

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

function isSamePlace(a: Place, b: Place): boolean {
  const near = (one: number, other: number): boolean => Math.abs(one - other) < 1;
  return near(a.x, b.x) && near(a.y, b.y) && near(a.width, b.width) && near(a.height, b.height);
}

function anchorOf(item: ItemDetails): Cell | undefined {
  const range = parseRange(item.anchors[0] ?? "");
  return range && { row: range.top, column: range.left };
}

function readLook(): Look {
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
    seriesName: (number) => t("Series {number}", { number }),
    showNumber,
    animates: !matchMedia("(prefers-reduced-motion: reduce)").matches,
  };
}
