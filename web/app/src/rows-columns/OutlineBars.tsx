/** Beside the row numbers and over the column letters: a line for each group, with a button that folds it. */

import { type Dimension } from "@quadrille/grid";
import { createMemo, For, type JSX, Show } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";
import type { Group } from "./outline-groups.ts";

/** Fingers need more (style/touch.css). */
const IS_COARSE = matchMedia("(pointer: coarse)").matches;
const LEVEL_PX = IS_COARSE ? 28 : 16;
const BUTTON_PX = IS_COARSE ? 24 : 14;

export function OutlineBar(props: { readonly model: WorkbookModel; readonly dimension: Dimension }) {
  const { model, dimension } = props;
  const groups = createMemo(() => model.outline.groups(dimension));
  const levels = () => groups().reduce((most, { level }) => Math.max(most, level), 0);
  const thicknessPx = () => (levels() + 1) * LEVEL_PX + 4;
  return (
    <Show when={groups().length > 0}>
      <section
        class="outline"
        classList={{ "is-rows": dimension === "rows" }}
        style={dimension === "rows" ? { width: `${thicknessPx()}px` } : { height: `${thicknessPx()}px` }}
        aria-label={dimension === "rows" ? t("Groups of rows") : t("Groups of columns")}
      >
        <div class="outline-levels">
          <For each={Array.from({ length: levels() + 1 }, (_, at) => at + 1)}>
            {(level) => (
              <button
                type="button"
                class="outline-level"
                aria-label={t("Show {count} levels", { count: level })}
                // Not every language has a figure in the words for one and two.
                data-level={level}
                onClick={() => model.outline.showLevels(dimension, level)}
              />
            )}
          </For>
        </div>
        <div class="outline-lines">
          <For each={groups()}>{(group) => <GroupMark model={model} group={group} />}</For>
        </div>
      </section>
    </Show>
  );
}

function GroupMark(props: { readonly model: WorkbookModel; readonly group: Group }) {
  const { model, group } = props;
  const isRows = group.dimension === "rows";
  const name = isRows
    ? t("Rows {first} to {last}", { first: group.first + 1, last: group.last + 1 })
    : t("Columns {first} to {last}", { first: notation().column(group.first), last: notation().column(group.last) });
  /** Along the lines: where the group begins, and where the line after it lies. */
  const place = createMemo(() => {
    model.layout();
    model.items.list();
    const box = (first: number, last: number) =>
      model.grid?.boxOf(isRows ? { top: first, bottom: last, left: 0, right: 0 } : { top: 0, bottom: 0, left: first, right: last });
    const whole = box(group.first, group.last);
    const after = box(group.last + 1, group.last + 1);
    if (!whole || !after) {
      return undefined;
    }
    return isRows
      ? { start: whole.y, end: whole.y + whole.height, button: after.y + after.height / 2 }
      : { start: whole.x, end: whole.x + whole.width, button: after.x + after.width / 2 };
  });
  const acrossPx = (group.level - 1) * LEVEL_PX + 2;
  const styleOf = (start: number, size: number, across: number, thickness: number): JSX.CSSProperties =>
    isRows
      ? { top: `${start}px`, height: `${size}px`, "inset-inline-start": `${across}px`, width: `${thickness}px` }
      : { left: `${start}px`, width: `${size}px`, top: `${across}px`, height: `${thickness}px` };
  return (
    <Show when={place()}>
      {(at) => (
        <>
          <Show when={!group.isCollapsed}>
            <span class="outline-line" style={styleOf(at().start + 2, Math.max(0, at().button - at().start), acrossPx + BUTTON_PX / 2 - 1, 2)} />
          </Show>
          <button
            type="button"
            class="outline-button"
            aria-expanded={!group.isCollapsed}
            aria-label={name}
            title={group.isCollapsed ? t("Expand") : t("Collapse")}
            style={styleOf(at().button - BUTTON_PX / 2, BUTTON_PX, acrossPx, BUTTON_PX)}
            onClick={() => model.outline.toggle(group)}
          >
            {group.isCollapsed ? "+" : "−"}
          </button>
        </>
      )}
    </Show>
  );
}
