/**
 * The panel "Column statistics": figures of the column of the active cell, updated while people
 * edit.
 */

import type { ColumnStatistics, CountedValue } from "@quadrille/protocol";
import { createEffect, createMemo, createSignal, Index, Show } from "solid-js";
import { showNumber, t } from "../language/index.ts";
import { Panel } from "../components/index.ts";
import { columnLabel } from "../sort/index.ts";
import { createPoll, type WorkbookModel } from "../state/index.ts";
import "../style/statistics.css";

interface Result {
  readonly column: number;
  readonly statistics: ColumnStatistics;
}

/** The panel "Column statistics". */
export function StatisticsPanel(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [hasHeader, setHasHeader] = createSignal(true);
  const column = createMemo(() => model.selection().active.column);
  const poll = createPoll(() => {
    const [sheet, queriedColumn] = [model.sheet(), column()];
    return sheet === undefined
      ? undefined
      : model.session
          .query({ type: "columnStatistics", sheet, column: queriedColumn, hasHeader: hasHeader() })
          .then((statistics): Result => ({ column: queriedColumn, statistics }));
  });
  createEffect(() => {
    model.cellChanges();
    model.sheet();
    column();
    hasHeader();
    poll.refresh();
  });

  return (
    <Panel title={t("Column statistics")} onClose={() => model.closePanel()}>
      <Show when={poll.result()} fallback={<p class="panel-note">{t("Calculating…")}</p>}>
        {(result) => (
          <>
            <section class="panel-section" aria-live="polite" aria-atomic="true">
              <h3 dir="auto">{columnLabel(result().statistics.header ?? undefined, result().column)}</h3>
            </section>
            <Show when={result().statistics.header !== null}>
              <label class="check">
                <input type="checkbox" checked={hasHeader()} onChange={(event) => setHasHeader(event.currentTarget.checked)} />
                {t("Header row")}
              </label>
            </Show>
            <Figures statistics={result().statistics} />
            <Show when={result().statistics.frequent.length > 0}>
              <BarList title={t("Most frequent values")} counted={result().statistics.frequent} />
            </Show>
            <Show when={result().statistics.distribution.counts.length > 1}>
              <BarList title={t("Distribution")} counted={intervals(result().statistics)} />
            </Show>
          </>
        )}
      </Show>
    </Panel>
  );
}

function intervals({ distribution: { edges, counts } }: ColumnStatistics): readonly CountedValue[] {
  return counts.map((count, index) => ({ text: t("{from} to under {to}", { from: edges[index] ?? "", to: edges[index + 1] ?? "" }), count }));
}

function Figures(props: { readonly statistics: ColumnStatistics }) {
  const figures = (): readonly (readonly [name: string, figure: string])[] => {
    const { filled, blank, distinct, numbers, sum, average, median, minimum, maximum } = props.statistics;
    return [
      [t("Non-empty cells"), showNumber(filled)],
      [t("Blank cells"), showNumber(blank)],
      [t("Distinct values"), showNumber(distinct)],
      [t("Number count"), showNumber(numbers)],
      ...(numbers === 0
        ? []
        : ([
            // Dates have no sum.
            ...(sum === "" ? [] : [[t("Sum"), sum] as const]),
            [t("Average"), average],
            [t("Median"), median],
            [t("Min"), minimum],
            [t("Max"), maximum],
          ] as const)),
    ];
  };
  return (
    <dl class="statistics-figures panel-section">
      <Index each={figures()}>
        {(figure) => (
          <div>
            <dt>{figure()[0]}</dt>
            <dd>
              <bdi>{figure()[1]}</bdi>
            </dd>
          </div>
        )}
      </Index>
    </dl>
  );
}

/** Values with their counts, as bars and numbers. */
function BarList(props: { readonly title: string; readonly counted: readonly CountedValue[] }) {
  const maxCount = () => Math.max(1, ...props.counted.map(({ count }) => count));
  return (
    <section class="panel-section">
      <h3>{props.title}</h3>
      <ul class="statistics-bars" aria-label={props.title}>
        <Index each={props.counted}>
          {(value) => (
            <li>
              <bdi class="statistics-value" title={value().text}>
                {value().text || t("Empty text")}
              </bdi>{" "}
              <span class="statistics-count">{showNumber(value().count)}</span>
              <span class="statistics-bar" aria-hidden="true">
                <span style={{ width: `${(100 * value().count) / maxCount()}%` }} />
              </span>
            </li>
          )}
        </Index>
      </ul>
    </section>
  );
}
