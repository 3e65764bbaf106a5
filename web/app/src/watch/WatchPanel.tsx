/** The panel "Watch window": values and formulas of cells anywhere in the workbook, while people edit. */

import { rangeOf } from "@quadrille/grid";
import { createEffect, Index, Show } from "solid-js";
import { Icon, Panel } from "../components/index.ts";
import { t } from "../language/index.ts";
import { sheetPrefix } from "../references/index.ts";
import { notation } from "../settings/index.ts";
import { createPoll, type WorkbookModel } from "../state/index.ts";
import { watchedCells, type WatchedCell, WATCHED_MAX } from "./watched-cells.ts";
import "../style/watch.css";

interface WatchedValue extends WatchedCell {
  readonly text: string;
  readonly formula: string | undefined;
}

/** The panel of watched cells. */
export function WatchPanel(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const watched = watchedCells(model);
  const existing = () => watched.list().filter(({ sheet }) => model.sheets().some(({ id }) => id === sheet));
  const poll = createPoll(() => Promise.all(existing().map((one) => read(model, one))));
  createEffect(() => {
    model.cellChanges();
    existing();
    poll.refresh();
  });

  const add = (): void => {
    const sheet = model.sheetId();
    const cells: WatchedCell[] = [];
    for (const range of model.selection().ranges) {
      for (let row = range.top; row <= range.bottom && cells.length <= WATCHED_MAX; row += 1) {
        for (let column = range.left; column <= range.right && cells.length <= WATCHED_MAX; column += 1) {
          cells.push({ sheet, cell: { row, column } });
        }
      }
    }
    if (!watched.add(cells)) {
      model.toast(t("No more than {count} cells can be watched.", { count: WATCHED_MAX }), false, { icon: "info" });
    }
  };
  const nameOf = ({ sheet, cell }: WatchedCell): string => {
    const title = model.sheets().find(({ id }) => id === sheet)?.name ?? "";
    return `${sheetPrefix(title)}!${notation().range(rangeOf(cell))}`;
  };
  const values = (): readonly WatchedValue[] => poll.result() ?? [];

  return (
    <Panel title={t("Watch window")} onClose={() => model.closePanel()}>
      <section class="panel-section">
        <button type="button" class="button is-main" onClick={add}>
          {t("Watch the selected cells")}
        </button>
      </section>
      <Show when={existing().length > 0} fallback={<p class="panel-note">{t("Watched cells stay in sight with their values and formulas, also those of other sheets.")}</p>}>
        <ul class="watched">
          <Index each={values()}>
            {(one) => (
              <li>
                <button type="button" class="watched-cell" onClick={() => model.goToReference({ sheet: one().sheet, range: rangeOf(one().cell) })}>
                  <span class="watched-name" dir="auto">
                    {nameOf(one())}
                  </span>
                  <span class="watched-value" dir="auto" aria-live="polite">
                    <Show when={one().text !== ""} fallback={<em>{t("Blank|of a cell")}</em>}>
                      {one().text}
                    </Show>
                  </span>
                  <Show when={one().formula}>
                    <span class="watched-formula" dir="ltr">
                      {one().formula}
                    </span>
                  </Show>
                </button>
                <button
                  type="button"
                  class="tool is-small"
                  aria-label={t("Stop watching {name}", { name: nameOf(one()) })}
                  title={t("Stop watching {name}", { name: nameOf(one()) })}
                  onClick={() => watched.remove(one())}
                >
                  <Icon name="close" />
                </button>
              </li>
            )}
          </Index>
        </ul>
      </Show>
    </Panel>
  );
}

async function read(model: WorkbookModel, one: WatchedCell): Promise<WatchedValue> {
  const { rows } = await model.session.query({ type: "cells", sheet: one.sheet, range: rangeOf(one.cell), skipsFiltered: false });
  const found = rows[0]?.cells[0];
  return { ...one, text: found?.text ?? "", formula: found?.formula };
}
