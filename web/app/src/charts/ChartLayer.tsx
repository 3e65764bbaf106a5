/** The charts of the sheet that is shown, over its cells. */

import { createEffect, Index, lazy, Suspense } from "solid-js";
import type { WorkbookModel } from "../workbook/model.ts";
import "../style/charts.css";

// Most sheets have none.
const ChartFrame = lazy(() => import("./ChartFrame.tsx").then((module) => ({ default: module.ChartFrame })));

export function ChartLayer(props: { readonly model: WorkbookModel }) {
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
      class="chart-layer"
      // A wheel over a chart scrolls the sheet below it.
      onWheel={(event) => model.grid?.scrollBy(event.deltaY, event.deltaX)}
    >
      <Suspense>
        <Index each={model.items.ofKind("chart")}>{(item) => <ChartFrame model={model} item={item()} />}</Index>
      </Suspense>
    </div>
  );
}
