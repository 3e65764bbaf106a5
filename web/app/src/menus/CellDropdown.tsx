/** The popup below a cell: the values of a list, the filter of a column, or the stars of a rating. */

import type { Cell } from "@quadrille/grid";
import { createEffect, createSignal, onCleanup, Show, untrack } from "solid-js";
import { t } from "../language/index.ts";
import { LazyBoundary, LoadError, lazyComponent } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { filterAt, filterViews } from "../filter/index.ts";
import { lockAt } from "../protection/index.ts";
import { ListMenu, RatingMenu } from "../validation/index.ts";

// Preloaded with the first filter of a sheet.
const FilterMenu = lazyComponent(() => import("../filter/FilterMenu.tsx").then((module) => module.FilterMenu));

/** Height of a long list with its field and its button. */
const LIST_HEIGHT_PX = 380;
/** Height of the stars of a rating with their button. */
const STARS_HEIGHT_PX = 120;

/** Opens the popup of a cell when its arrow is pressed, or its stars by a finger. */
export function CellDropdown(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [opened, setOpened] = createSignal<{ readonly cell: Cell; readonly what: "list" | "filter" | "rating"; readonly typed: string }>();
  const [position, setPosition] = createSignal<{ readonly left: number; readonly top?: number; readonly bottom?: number }>({ left: 0 });
  let element: HTMLElement | undefined;

  createEffect(() => {
    if (model.items.ofKind("autoFilter").length > 0 || filterViews(model).current()) {
      void FilterMenu.preload();
    }
  });
  const close = (): void => {
    setOpened(undefined);
    model.focusCells();
  };
  model.onCellPressed((cell, what, typed) => {
    const box = model.grid?.boxOfCell(cell);
    if (!box || (what === "rating" && !model.suggestions.checkCanEnter())) {
      return;
    }
    const lock = what === "filter" ? undefined : lockAt(model, cell);
    if (lock && lock.fields["warningOnly"] !== true) {
      // Says why nothing can be chosen.
      model.entryChecks.guard([{ top: cell.row, bottom: cell.row, left: cell.column, right: cell.column }], () => {});
      return;
    }
    // Below the cell, within the area of the sheet.
    const area = document.querySelector(".workbook-middle")?.getBoundingClientRect();
    const grid = document.querySelector("main.grid")?.getBoundingClientRect();
    const [x, y] = area && grid ? [box.x + grid.x - area.x, box.y + grid.y - area.y] : [box.x, box.y];
    const widthPx = 260;
    const heightPx = area?.height ?? 0;
    const left = Math.max(4, Math.min(x, (area?.width ?? widthPx) - widthPx - 8));
    const top = y + box.height + 2;
    // A list near the lower end of the sheet opens upwards; a filter scrolls.
    const isAbove = what !== "filter" && heightPx - top < (what === "list" ? LIST_HEIGHT_PX : STARS_HEIGHT_PX) && y > heightPx - top;
    setPosition(isAbove ? { left, bottom: heightPx - y + 2 } : { left, top });
    setOpened({ cell, what, typed });
  });
  const controller = new AbortController();
  onCleanup(() => controller.abort());
  window.addEventListener(
    "pointerdown",
    (event) => {
      if (opened() && event.target instanceof Node && !element?.contains(event.target)) {
        setOpened(undefined);
      }
    },
    { signal: controller.signal, capture: true },
  );

  return (
    <Show when={opened()} keyed>
      {({ cell, what, typed }) => (
        <aside
          class="cell-popup popover"
          aria-label={what === "list" ? t("Dropdown list") : what === "rating" ? t("Rating") : t("Filter")}
          ref={(created) => {
            element = created;
            const { top, bottom } = position();
            created.style.insetBlock = `${top === undefined ? "auto" : `${top}px`} ${bottom === undefined ? "auto" : `${bottom}px`}`;
            created.style.left = `${position().left}px`;
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") {
              event.stopPropagation();
              close();
            }
          }}
        >
          {/* Untracked: changes by others do not reset the choices in an opened menu. */}
          <Show
            when={what === "filter" && untrack(() => filterAt(model, cell.row, cell.column))}
            keyed
            fallback={what === "rating" ? <RatingMenu model={model} cell={cell} onClose={close} /> : <ListMenu model={model} cell={cell} typed={typed} onClose={close} />}
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

/** Has the focus while the menu is loading, so that keys do not go into the cell. */
function Loading() {
  return (
    <p
      class="cell-list-none"
      tabIndex={-1}
      ref={(element) => {
        queueMicrotask(() => element.focus());
      }}
    >
      {t("Searching…")}
    </p>
  );
}
