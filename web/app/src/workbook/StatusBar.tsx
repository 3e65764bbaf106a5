/** Figures of the selection, and what the workbook is busy with. */

import { columnCount, currentRange, isSingleCell, rowCount } from "@quadrille/grid";
import { Show } from "solid-js";
import type { WorkbookModel } from "./model.ts";

export function StatusBar(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const size = () => {
    const range = currentRange(model.selection());
    return isSingleCell(model.selection())
      ? ""
      : `${rowCount(range).toLocaleString("en")} × ${columnCount(range).toLocaleString("en")}`;
  };
  return (
    <div class="status-bar" role="group" aria-label="Selection">
      <Show when={model.isCalculating()}>
        <span class="status-busy">
          <span class="spinner is-small" aria-hidden="true" />
          Calculating…
        </span>
      </Show>
      <Show when={model.figures.summary()}>
        {(summary) => (
          <dl class="figures">
            <Show when={summary().numbers > 0}>
              <Figure name="Sum" value={summary().sum} />
              <Figure name="Average" value={summary().average} />
              <Figure name="Min" value={summary().minimum} />
              <Figure name="Max" value={summary().maximum} />
            </Show>
            <Figure name="Count" value={summary().filled.toLocaleString("en")} />
          </dl>
        )}
      </Show>
      <span class="status-size">{size()}</span>
    </div>
  );
}

function Figure(props: { readonly name: string; readonly value: string }) {
  return (
    <div class="figure">
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}
