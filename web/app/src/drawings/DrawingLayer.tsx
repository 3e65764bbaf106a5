/** The charts and pictures of the sheet that is shown, over its cells. */

import type { ItemDetails } from "@quadrille/protocol";
import { type Component, createEffect, Index } from "solid-js";
import { DEFAULT_SIZE as CHART_SIZE } from "../charts/index.ts";
import { DEFAULT_SIZE as IMAGE_SIZE } from "../images/index.ts";
import { LazyBoundary, lazyComponent } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { FrameLoadError } from "./FrameLoadError.tsx";
import { positionOf, type Size } from "./drawing-position.ts";
import "../style/drawings.css";

// Most sheets have none.
const ChartFrame = lazyComponent(() => import("../charts/ChartFrame.tsx").then((module) => module.ChartFrame));
const ImageFrame = lazyComponent(() => import("../images/ImageFrame.tsx").then((module) => module.ImageFrame));

export function DrawingLayer(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  let layer!: HTMLDivElement;
  // Headers and scrollbars stay in front.
  createEffect(() => {
    model.layout();
    const { grid } = model;
    if (grid) {
      // The layer is as large as the grid; asking the document would lay it out with every key.
      const { cellsBox: cells, view } = grid;
      const right = view.widthPx - cells.x - cells.width;
      const bottom = view.heightPx - cells.y - cells.height;
      layer.style.clipPath = `inset(${cells.y}px ${right}px ${bottom}px ${cells.x}px)`;
    }
  });
  return (
    <div
      ref={layer}
      class="over-layer"
      // A wheel over one of them scrolls the sheet below it.
      onWheel={(event) => model.grid?.scrollBy(event.deltaY, event.deltaX)}
    >
      <Frames model={model} kind="chart" usualSize={CHART_SIZE} frame={ChartFrame} />
      <Frames model={model} kind="image" usualSize={IMAGE_SIZE} frame={ImageFrame} />
    </div>
  );
}

interface FramesProps {
  readonly model: WorkbookModel;
  readonly kind: "chart" | "image";
  readonly usualSize: Size;
  readonly frame: Component<{ readonly model: WorkbookModel; readonly item: ItemDetails }>;
}

function Frames(props: FramesProps) {
  const { model, kind, frame: Frame } = props;
  const items = () => model.items.ofKind(kind);
  return (
    <LazyBoundary failed={(retry) => <Index each={items()}>{(item) => <Missing model={model} item={item()} usualSize={props.usualSize} onRetry={retry} />}</Index>}>
      <Index each={items()}>{(item) => <Frame model={model} item={item()} />}</Index>
    </LazyBoundary>
  );
}

/** Where one lies whose part of the page did not arrive. */
function Missing(props: { readonly model: WorkbookModel; readonly item: ItemDetails; readonly usualSize: Size; readonly onRetry: () => void }) {
  let frame!: HTMLDivElement;
  createEffect(() => {
    const at = positionOf(props.model, props.item, props.usualSize);
    frame.hidden = at === undefined;
    if (at) {
      frame.style.transform = `translate(${Math.round(at.x)}px, ${Math.round(at.y)}px)`;
      frame.style.width = `${at.width}px`;
      frame.style.height = `${at.height}px`;
    }
  });
  return (
    <div ref={frame} class="over-frame is-missing">
      <FrameLoadError onRetry={() => props.onRetry()} />
    </div>
  );
}
