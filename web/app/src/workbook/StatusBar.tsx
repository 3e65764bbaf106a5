/** Figures of the selection, and what the workbook is busy with. */

import { columnCount, currentRange, isSingleCell, rowCount } from "@quadrille/grid";
import { Show } from "solid-js";
import type { WorkbookModel } from "./model.ts";
import { showNumber, t } from "../language/language.ts";

export function StatusBar(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const size = () => {
    const range = currentRange(model.selection());
    return isSingleCell(model.selection())
      ? ""
      : `${showNumber(rowCount(range))} × ${showNumber(columnCount(range))}`;
  };
  return (
    <div class="status-bar" role="group" aria-label={t("Selection")}>
      <Show when={model.isCalculating()}>
        <span class="status-busy">
          <span class="spinner is-small" aria-hidden="true" />
          {t("Calculating…")}
        </span>
      </Show>
      <Show when={model.figures.summary()}>
        {(summary) => (
          <dl class="figures">
            <Show when={summary().numbers > 0}>
              <Figure name={t("Sum")} value={summary().sum} />
              <Figure name={t("Average")} value={summary().average} />
              <Figure name={t("Min")} value={summary().minimum} />
              <Figure name={t("Max")} value={summary().maximum} />
            </Show>
            <Figure name={t("Count")} value={showNumber(summary().filled)} />
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
