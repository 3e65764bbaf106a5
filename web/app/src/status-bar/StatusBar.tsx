/** The status bar: figures of the selection, calculation and protection state, and zoom. */

import { columnCount, currentRange, isSingleCell, rowCount } from "@quadrille/grid";
import type { Summary } from "@quadrille/protocol";
import { createSignal, For, Show } from "solid-js";
import { Icon, Menu, MenuCheck } from "../components/index.ts";
import { isChartSheet } from "../sheets/index.ts";
import { lockAt } from "../protection/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { type Message, showNumber, t } from "../language/index.ts";
import { ZoomControl } from "./ZoomControl.tsx";

type FigureName = "sum" | "average" | "minimum" | "maximum" | "filled" | "numbers";

const FIGURES: readonly (readonly [figure: FigureName, name: Message, value: (summary: Summary) => string | undefined])[] = [
  ["sum", "Sum", (summary) => (summary.numbers > 0 ? summary.sum : undefined)],
  ["average", "Average", (summary) => (summary.numbers > 0 ? summary.average : undefined)],
  ["minimum", "Min", (summary) => (summary.numbers > 0 ? summary.minimum : undefined)],
  ["maximum", "Max", (summary) => (summary.numbers > 0 ? summary.maximum : undefined)],
  ["filled", "Count", (summary) => showNumber(summary.filled)],
  ["numbers", "Number count", (summary) => showNumber(summary.numbers)],
];

/** Figures that the user has hidden, stored for all workbooks of this browser. */
const KEY = "quadrille.figures.hidden";
const HIDDEN_BY_DEFAULT: readonly FigureName[] = ["numbers"];

function hiddenFigures(): ReadonlySet<FigureName> {
  let stored: string | null = null;
  try {
    stored = localStorage.getItem(KEY);
  } catch {
    // Storage is disabled, for example in a frame of another site.
  }
  const names = stored === null ? HIDDEN_BY_DEFAULT : stored.split(" ");
  return new Set(FIGURES.map(([figure]) => figure).filter((figure) => names.includes(figure)));
}

/** The status bar. */
export function StatusBar(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [hidden, setHidden] = createSignal(hiddenFigures());
  const size = () => {
    const range = currentRange(model.selection());
    return isSingleCell(model.selection())
      ? ""
      : `${showNumber(rowCount(range))} × ${showNumber(columnCount(range))}`;
  };
  const summary = () => (isChartSheet(model) ? undefined : model.selectionDetails.summary());
  const setVisible = (figure: FigureName, isVisible: boolean): void => {
    const next = new Set(hidden());
    if (isVisible) {
      next.delete(figure);
    } else {
      next.add(figure);
    }
    setHidden(next);
    try {
      localStorage.setItem(KEY, [...next].join(" "));
    } catch {
      // Without storage, the choice lasts until the page is closed.
    }
  };
  return (
    <div class="status-bar">
      <div class="status-figures" role="group" aria-label={t("Selection")}>
        <Show when={model.isCalculating()}>
          <span class="status-busy">
            <span class="spinner is-small" aria-hidden="true" />
            {t("Calculating…")}
          </span>
        </Show>
        <Show when={!isChartSheet(model) && lockAt(model, model.selection().active)}>
          <span class="status-lock">
            <Icon name="lock" />
            {t("Protected")}
          </span>
        </Show>
        <Show when={summary()}>
          {(summary) => (
            <dl class="figures">
              <For each={FIGURES.filter(([figure]) => !hidden().has(figure))}>
                {([, name, value]) => <Show when={value(summary())}>{(text) => <Figure name={t(name)} value={text()} />}</Show>}
              </For>
            </dl>
          )}
        </Show>
        <span class="status-size">{size()}</span>
      </div>
      <Show when={summary()}>
        <Menu isForViewers label={t("Customize status bar")} buttonClass="tool is-small" button={<Icon name="chevron" />} onClosed={() => model.focusCells()}>
          <For each={FIGURES}>
            {([figure, name]) => (
              <MenuCheck isForViewers staysOpen isChecked={!hidden().has(figure)} onSelect={() => setVisible(figure, hidden().has(figure))}>
                {t(name)}
              </MenuCheck>
            )}
          </For>
        </Menu>
      </Show>
      <Show when={!isChartSheet(model)}>
        <ZoomControl model={model} />
      </Show>
    </div>
  );
}

function Figure(props: { readonly name: string; readonly value: string }) {
  return (
    <div class="figure">
      <dt>{props.name}</dt>
      <dd dir="auto">{props.value}</dd>
    </div>
  );
}
