/** The charts and pictures of the sheet that is shown, over its cells. */

import { createEffect, Index, lazy, Suspense } from "solid-js";
import type { WorkbookModel } from "../workbook/model.ts";
import "../style/over.css";

// Most sheets have none.
const ChartFrame = lazy(() => import("../charts/ChartFrame.tsx").then((module) => ({ default: module.ChartFrame })));
const ImageFrame = lazy(() => import("../images/ImageFrame.tsx").then((module) => ({ default: module.ImageFrame })));

export function OverLayer(props: { readonly model: WorkbookModel }) {
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
      <Suspense>
        <Index each={model.items.ofKind("chart")}>{(item) => <ChartFrame model={model} item={item()} />}</Index>
        <Index each={model.items.ofKind("image")}>{(item) => <ImageFrame model={model} item={item()} />}</Index>
      </Suspense>
    </div>
  );
}
