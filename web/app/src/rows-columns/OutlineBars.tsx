/**
 * The outline bars beside the row headings and above the column headings: a line and a button for
 * each group.
 */

import { type Dimension } from "@quadrille/grid";
import { createMemo, For, type JSX, Show } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";
import { Outline } from "./outline.ts";
import type { Group } from "./outline-groups.ts";

/** Larger sizes for touch screens, as in `style/touch.css`. */
const IS_COARSE = matchMedia("(pointer: coarse)").matches;
const LEVEL_PX = IS_COARSE ? 28 : 16;
const BUTTON_PX = IS_COARSE ? 24 : 14;

/** The outline bar of one dimension; absent without groups. */
export function OutlineBar(props: { readonly model: WorkbookModel; readonly dimension: Dimension }) {
  const { model, dimension } = props;
  const outline = new Outline(model);
  const groups = createMemo(() => outline.groups(dimension));
  const levels = () => groups().reduce((deepest, { level }) => Math.max(deepest, level), 0);
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
          <For each={Array.from({ length: levels() + 1 }, (_, index) => index + 1)}>
            {(level) => (
              <button
                type="button"
                class="outline-level"
                aria-label={t("Show {count} levels", { count: level })}
                // Some languages spell out one and two, so tests read the attribute.
                data-level={level}
                onClick={() => outline.showLevels(dimension, level)}
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
  /** Start and end of the group, and the position of its button at the following row or column. */
  const position = createMemo(() => {
    model.layout();
    model.items.list();
    const box = (first: number, last: number) =>
      model.grid?.boxOf(isRows ? { top: first, bottom: last, left: 0, right: 0 } : { top: 0, bottom: 0, left: first, right: last });
    const groupBox = box(group.first, group.last);
    const nextBox = box(group.last + 1, group.last + 1);
    if (!groupBox || !nextBox) {
      return undefined;
    }
    return isRows
      ? { start: groupBox.y, end: groupBox.y + groupBox.height, button: nextBox.y + nextBox.height / 2 }
      : { start: groupBox.x, end: groupBox.x + groupBox.width, button: nextBox.x + nextBox.width / 2 };
  });
  const offsetPx = (group.level - 1) * LEVEL_PX + 2;
  const styleOf = (start: number, size: number, offset: number, thickness: number): JSX.CSSProperties =>
    isRows
      ? { top: `${start}px`, height: `${size}px`, "inset-inline-start": `${offset}px`, width: `${thickness}px` }
      : { left: `${start}px`, width: `${size}px`, top: `${offset}px`, height: `${thickness}px` };
  return (
    <Show when={position()}>
      {(bounds) => (
        <>
          <Show when={!group.isCollapsed}>
            <span class="outline-line" style={styleOf(bounds().start + 2, Math.max(0, bounds().button - bounds().start), offsetPx + BUTTON_PX / 2 - 1, 2)} />
          </Show>
          <button
            type="button"
            class="outline-button"
            aria-expanded={!group.isCollapsed}
            aria-label={name}
            title={group.isCollapsed ? t("Expand") : t("Collapse")}
            style={styleOf(bounds().button - BUTTON_PX / 2, BUTTON_PX, offsetPx, BUTTON_PX)}
            onClick={() => new Outline(model).toggle(group)}
          >
            {group.isCollapsed ? "+" : "−"}
          </button>
        </>
      )}
    </Show>
  );
}
