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
    const cells = model.grid?.cellsBox;
    if (cells) {
      const right = layer.clientWidth - cells.x - cells.width;
      const bottom = layer.clientHeight - cells.y - cells.height;
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
