/** Arrows from cells to the formulas that read them, over the grid. */

import { type Box, rangeOf } from "@quadrille/grid";
import type { RangePosition, TraceArrow } from "@quadrille/protocol";
import { createEffect, createMemo, For, onCleanup, Show } from "solid-js";
import { Icon } from "../components/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { formulaTraces } from "./formula-traces.ts";

/** Changes of the workbook are awaited this long, so that typing does not follow arrows each time. */
const UPDATE_DELAY_MS = 300;
/** Distance between a cell and the button that opens the other sheet. */
const SHEET_BUTTON_PX = 34;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** One arrow on the current sheet. */
interface DrawnArrow {
  readonly start: Point;
  readonly end: Point;
  readonly isError: boolean;
  /** Frame of a range of several cells. */
  readonly frame: Box | undefined;
  /** The other end when it is on another sheet. */
  readonly elsewhere: { readonly sheet: number; readonly range: RangePosition; readonly at: Point } | undefined;
}

/** Draws the arrows of the current sheet. */
export function TraceArrows(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const traces = formulaTraces(model);

  const subscription = new AbortController();
  model.onNotice((notice) => notice.type === "moved" && traces.moveWithCells(notice), subscription.signal);
  onCleanup(() => subscription.abort());
  createEffect((isFirst: boolean) => {
    model.windowUpdates();
    model.sheets();
    if (!isFirst) {
      const timer = window.setTimeout(() => void traces.update(), UPDATE_DELAY_MS);
      onCleanup(() => window.clearTimeout(timer));
    }
    return false;
  }, true);

  const boxOf = (range: RangePosition): Box | undefined => {
    model.layout();
    return model.grid?.boxOf(range);
  };
  const drawn = createMemo(() => traces.arrows().flatMap((arrow) => draw(arrow, model.sheet(), boxOf)));
  const cells = createMemo(() => {
    model.layout();
    return model.grid?.cellsBox;
  });

  return (
    <Show when={drawn().length > 0 && cells()}>
      {(box) => (
        <div
          class="trace-arrows grid-overlay"
          dir="ltr"
          style={{ left: `${box().x}px`, top: `${box().y}px`, width: `${box().width}px`, height: `${box().height}px` }}
        >
          <svg aria-hidden="true" width={box().width} height={box().height} viewBox={`${box().x} ${box().y} ${box().width} ${box().height}`}>
            <defs>
              <For each={["trace-head", "trace-head-error"]}>
                {(id) => (
                  <marker id={id} viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto-start-reverse">
                    <path d="M0 0 10 5 0 10z" />
                  </marker>
                )}
              </For>
            </defs>
            <For each={drawn()}>
              {({ start, end, isError, frame, elsewhere }) => (
                <g classList={{ "is-error": isError, "is-elsewhere": elsewhere !== undefined }}>
                  <Show when={frame}>{(shown) => <rect x={shown().x} y={shown().y} width={shown().width} height={shown().height} />}</Show>
                  <line x1={start.x} y1={start.y} x2={end.x} y2={end.y} marker-end={`url(#${isError ? "trace-head-error" : "trace-head"})`} />
                  <circle cx={start.x} cy={start.y} r="3" />
                </g>
              )}
            </For>
          </svg>
          <For each={drawn()}>
            {({ elsewhere }) => (
              <Show when={elsewhere}>
                {(other) => {
                  const name = () => traces.nameOf(other().sheet, other().range);
                  return (
                    <button
                      type="button"
                      class="trace-sheet"
                      title={name()}
                      aria-label={t("Go to {cell}", { cell: name() })}
                      style={{ transform: `translate(${other().at.x - box().x}px, ${other().at.y - box().y}px)` }}
                      onClick={() => {
                        // The button goes with the sheet.
                        const { sheet, range } = other();
                        model.openSheet(sheet);
                        model.goTo(range);
                      }}
                    >
                      <Icon name="sheet" />
                    </button>
                  );
                }}
              </Show>
            )}
          </For>
        </div>
      )}
    </Show>
  );
}

/** What is drawn of an arrow on a sheet: nothing when neither end is there. */
function draw(arrow: TraceArrow, sheet: number | undefined, boxOf: (range: RangePosition) => Box | undefined): DrawnArrow[] {
  const from = arrow.fromSheet === sheet ? boxOf(arrow.from) : undefined;
  const to = arrow.toSheet === sheet ? boxOf(rangeOf(arrow.to)) : undefined;
  const { isError } = arrow;
  if (from) {
    const isCell = arrow.from.top === arrow.from.bottom && arrow.from.left === arrow.from.right;
    const first = isCell ? from : (boxOf(rangeOf({ row: arrow.from.top, column: arrow.from.left })) ?? from);
    const start = centerOf(first);
    const frame = isCell ? undefined : from;
    if (to) {
      return [{ start, end: centerOf(to), isError, frame, elsewhere: undefined }];
    }
    const at = { x: start.x + SHEET_BUTTON_PX, y: start.y + SHEET_BUTTON_PX };
    return [{ start, end: at, isError, frame, elsewhere: { sheet: arrow.toSheet, range: rangeOf(arrow.to), at } }];
  }
  if (!to) {
    return [];
  }
  const end = centerOf(to);
  const at = { x: end.x - SHEET_BUTTON_PX, y: end.y - SHEET_BUTTON_PX };
  return [{ start: at, end, isError, frame: undefined, elsewhere: { sheet: arrow.fromSheet, range: arrow.from, at } }];
}

function centerOf(box: Box): Point {
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
