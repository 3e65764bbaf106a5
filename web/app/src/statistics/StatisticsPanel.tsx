/** What is in the column of the active cell, in figures that follow what everybody types. */

import type { ColumnStatistics, CountedValue } from "@quadrille/protocol";
import { createEffect, createMemo, createSignal, Index, Show } from "solid-js";
import { showNumber, t } from "../language/index.ts";
import { Panel } from "../components/index.ts";
import { columnLabel } from "../sort/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { createPoll } from "./poll.ts";
import "../style/statistics.css";

interface Told {
  readonly column: number;
  readonly statistics: ColumnStatistics;
}

export function StatisticsPanel(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [hasHeader, setHasHeader] = createSignal(true);
  const column = createMemo(() => model.selection().active.column);
  const asking = createPoll(() => {
    const [sheet, asked] = [model.sheet(), column()];
    return sheet === undefined
      ? undefined
      : model.session
          .query({ type: "columnStatistics", sheet, column: asked, hasHeader: hasHeader() })
          .then((statistics): Told => ({ column: asked, statistics }));
  });
  createEffect(() => {
    model.cellChanges();
    model.sheet();
    column();
    hasHeader();
    asking.again();
  });

  return (
    <Panel title={t("Column statistics")} onClose={() => model.closePanel()}>
      <Show when={asking.result()} fallback={<p class="panel-note">{t("Calculating…")}</p>}>
        {(told) => (
          <>
            <section class="panel-section" aria-live="polite" aria-atomic="true">
              <h3 dir="auto">{columnLabel(told().statistics.header ?? undefined, told().column)}</h3>
            </section>
            <Show when={told().statistics.header !== null}>
              <label class="check">
                <input type="checkbox" checked={hasHeader()} onChange={(event) => setHasHeader(event.currentTarget.checked)} />
                {t("Header row")}
              </label>
            </Show>
            <SelectionDetails statistics={told().statistics} />
            <Show when={told().statistics.frequent.length > 0}>
              <Bars title={t("Most frequent values")} counted={told().statistics.frequent} />
            </Show>
            <Show when={told().statistics.distribution.counts.length > 1}>
              <Bars title={t("Distribution of the numbers")} counted={steps(told().statistics)} />
            </Show>
          </>
        )}
      </Show>
    </Panel>
  );
}

function steps({ distribution: { edges, counts } }: ColumnStatistics): readonly CountedValue[] {
  return counts.map((count, at) => ({ text: t("{from} to under {to}", { from: edges[at] ?? "", to: edges[at + 1] ?? "" }), count }));
}

function SelectionDetails(props: { readonly statistics: ColumnStatistics }) {
  const lines = (): readonly (readonly [name: string, figure: string])[] => {
    const { filled, blank, distinct, numbers, sum, average, median, minimum, maximum } = props.statistics;
    return [
      [t("Filled cells"), showNumber(filled)],
      [t("Blank cells"), showNumber(blank)],
      [t("Different values"), showNumber(distinct)],
      [t("Numbers"), showNumber(numbers)],
      ...(numbers === 0
        ? []
        : ([
            // Days have none.
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
      <Index each={lines()}>
        {(line) => (
          <div>
            <dt>{line()[0]}</dt>
            <dd>
              <bdi>{line()[1]}</bdi>
            </dd>
          </div>
        )}
      </Index>
    </dl>
  );
}

/** Each value with how often it occurs, as a bar and as a number. */
function Bars(props: { readonly title: string; readonly counted: readonly CountedValue[] }) {
  const most = () => Math.max(1, ...props.counted.map(({ count }) => count));
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
                <span style={{ width: `${(100 * value().count) / most()}%` }} />
              </span>
            </li>
          )}
        </Index>
      </ul>
    </section>
  );
}
