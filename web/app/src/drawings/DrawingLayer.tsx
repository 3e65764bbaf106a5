/** The charts, images and slicers of the current sheet, over its cells. */

import type { ItemDetails } from "@quadrille/protocol";
import { type Component, createEffect, Index, Show } from "solid-js";
import { DEFAULT_CHART_SIZE } from "../charts/index.ts";
import { DEFAULT_IMAGE_SIZE } from "../images/index.ts";
import { DEFAULT_SLICER_SIZE } from "../slicers/index.ts";
import { LazyBoundary, lazyComponent } from "../components/index.ts";
import { isChartSheet, ownSheetChart } from "../sheets/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { FrameLoadError } from "./FrameLoadError.tsx";
import { positionOf, type Size } from "./drawing-position.ts";
import "../style/drawings.css";

// Loaded on first use: most sheets have no drawings.
const ChartFrame = lazyComponent(() => import("../charts/ChartFrame.tsx").then((module) => module.ChartFrame));
const ImageFrame = lazyComponent(() => import("../images/ImageFrame.tsx").then((module) => module.ImageFrame));
const SlicerFrame = lazyComponent(() => import("../slicers/SlicerFrame.tsx").then((module) => module.SlicerFrame));

/** The layer of drawings over the grid. */
export function DrawingLayer(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  let layer!: HTMLDivElement;
  // Clips drawings at headers and scrollbars.
  createEffect(() => {
    model.layout();
    const { grid } = model;
    if (isChartSheet(model)) {
      layer.style.clipPath = "";
    } else if (grid) {
      // Computed from the view: measuring the layer would force a layout on every key.
      const { cellsBox: cells, view } = grid;
      const right = view.widthPx - cells.x - cells.width;
      const bottom = view.heightPx - cells.y - cells.height;
      layer.style.clipPath = `inset(${cells.y}px ${right}px ${bottom}px ${cells.x}px)`;
    }
  });
  return (
    <div
      ref={layer}
      class="drawing-layer"
      // The wheel scrolls the sheet below a drawing.
      onWheel={(event) => model.grid?.scrollBy(event.deltaY, event.deltaX)}
    >
      <Show
        when={!isChartSheet(model)}
        fallback={
          <LazyBoundary failed={(retry) => <FrameLoadError onRetry={retry} />}>
            <Show when={ownSheetChart(model)}>{(chart) => <ChartFrame model={model} item={chart()} isOwnSheet />}</Show>
          </LazyBoundary>
        }
      >
        <Frames model={model} kind="chart" defaultSize={DEFAULT_CHART_SIZE} frame={ChartFrame} />
        <Frames model={model} kind="image" defaultSize={DEFAULT_IMAGE_SIZE} frame={ImageFrame} />
        <Frames model={model} kind="slicer" defaultSize={DEFAULT_SLICER_SIZE} frame={SlicerFrame} />
      </Show>
    </div>
  );
}

interface FramesProps {
  readonly model: WorkbookModel;
  readonly kind: "chart" | "image" | "slicer";
  readonly defaultSize: Size;
  readonly frame: Component<{ readonly model: WorkbookModel; readonly item: ItemDetails }>;
}

function Frames(props: FramesProps) {
  const { model, kind, frame: Frame } = props;
  const items = () => model.items.ofKind(kind);
  return (
    <LazyBoundary failed={(retry) => <Index each={items()}>{(item) => <FailedFrame model={model} item={item()} defaultSize={props.defaultSize} onRetry={retry} />}</Index>}>
      <Index each={items()}>{(item) => <Frame model={model} item={item()} />}</Index>
    </LazyBoundary>
  );
}

/** A placeholder for a drawing whose code could not be loaded. */
function FailedFrame(props: { readonly model: WorkbookModel; readonly item: ItemDetails; readonly defaultSize: Size; readonly onRetry: () => void }) {
  let frame!: HTMLDivElement;
  createEffect(() => {
    const at = positionOf(props.model, props.item, props.defaultSize);
    frame.hidden = at === undefined;
    if (at) {
      frame.style.transform = `translate(${Math.round(at.x)}px, ${Math.round(at.y)}px)`;
      frame.style.width = `${at.width}px`;
      frame.style.height = `${at.height}px`;
    }
  });
  return (
    <div ref={frame} class="drawing-frame is-missing">
      <FrameLoadError onRetry={() => props.onRetry()} />
    </div>
  );
}
