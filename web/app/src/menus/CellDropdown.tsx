/** What opens under the arrow in a cell: the choices of a list, or the filter of a column. */

import type { Cell } from "@quadrille/grid";
import { createEffect, createSignal, onCleanup, Show, untrack } from "solid-js";
import { t } from "../language/index.ts";
import { LazyBoundary, LoadError, lazyComponent } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { filterAt } from "../filter/index.ts";
import { ListMenu } from "../validation/index.ts";

// Comes with the first filter of a sheet, before somebody wants it.
const FilterMenu = lazyComponent(() => import("../filter/FilterMenu.tsx").then((module) => module.FilterMenu));

export function CellDropdown(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [open, setOpen] = createSignal<{ readonly cell: Cell; readonly what: "list" | "filter" }>();
  const [place, setPlace] = createSignal({ left: 0, top: 0 });
  let element: HTMLElement | undefined;

  createEffect(() => {
    if (model.items.ofKind("autoFilter").length > 0 || model.views.current()) {
      void FilterMenu.preload();
    }
  });
  const close = (): void => {
    setOpen(undefined);
    model.focusCells();
  };
  model.onCellPressed((cell, what) => {
    const box = model.grid?.boxOfCell(cell);
    if (!box) {
      return;
    }
    // Below the cell, and within the sheet's part of the page.
    const area = document.querySelector(".workbook-middle")?.getBoundingClientRect();
    const grid = document.querySelector("main.grid")?.getBoundingClientRect();
    const [x, y] = area && grid ? [box.x + grid.x - area.x, box.y + grid.y - area.y] : [box.x, box.y];
    const widthPx = 260;
    setPlace({ left: Math.max(4, Math.min(x, (area?.width ?? widthPx) - widthPx - 8)), top: y + box.height + 2 });
    setOpen({ cell, what });
  });
  const controller = new AbortController();
  onCleanup(() => controller.abort());
  window.addEventListener(
    "pointerdown",
    (event) => {
      if (open() && event.target instanceof Node && !element?.contains(event.target)) {
        setOpen(undefined);
      }
    },
    { signal: controller.signal, capture: true },
  );

  return (
    <Show when={open()} keyed>
      {({ cell, what }) => (
        <aside
          class="cell-popup popover"
          aria-label={what === "list" ? t("Choices") : t("Filter")}
          ref={(created) => {
            element = created;
            created.style.insetBlockStart = `${place().top}px`;
            created.style.left = `${place().left}px`;
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") {
              event.stopPropagation();
              close();
            }
          }}
        >
          {/* As it was when the menu opened: what others do meanwhile must not take away what is chosen here. */}
          <Show
            when={what === "filter" && untrack(() => filterAt(model, cell.row, cell.column))}
            keyed
            fallback={<ListMenu model={model} cell={cell} onClose={close} />}
          >
            {(column) => (
              <LazyBoundary waiting={<Loading />} failed={(retry) => <LoadError onRetry={retry} />}>
                <FilterMenu model={model} column={column} onClose={close} />
              </LazyBoundary>
            )}
          </Show>
        </aside>
      )}
    </Show>
  );
}

/** Takes the keys, which otherwise would go into the cell. */
function Loading() {
  return (
    <p
      class="cell-list-none"
      tabIndex={-1}
      ref={(element) => {
        queueMicrotask(() => element.focus());
      }}
    >
      {t("Looking for the cells…")}
    </p>
  );
}
