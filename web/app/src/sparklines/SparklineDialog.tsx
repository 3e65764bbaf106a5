/** Small charts in cells: which cells they show, how they look, where they go. Writes formulas. */

import { cssColor, isSingleCell, lightenedForDark, type Range, rangeName } from "@quadrille/grid";
import { createSignal, createUniqueId, For, onMount, Show } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { Modal } from "../components/index.ts";
import { isDark } from "../theme/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { displayedRanges, notation } from "../settings/index.ts";
import { positionOf } from "../references/index.ts";
import { dataOfEach, KINDS, sparklineFormula, type SparklineKind, DEFAULT_COLOR, defaultTarget } from "./formulas.ts";

const NAMES: Readonly<Record<SparklineKind, Message>> = {
  line: "Line|chart",
  column: "Columns",
  bar: "Stacked bar",
  winloss: "Win/loss",
};

/** Many at once would be a table of their own. */
const TARGETS_MAX = 1_000;

export function SparklineDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [data, setData] = createSignal("");
  const [target, setTarget] = createSignal("");
  const [kind, setKind] = createSignal<SparklineKind>("line");
  const [color, setColor] = createSignal(DEFAULT_COLOR);
  const [marksNegative, setMarksNegative] = createSignal(false);
  const [negativeColor, setNegativeColor] = createSignal("#b3261e");
  const [axis, setAxis] = createSignal(false);

  onMount(() => {
    const { range } = model;
    if (isSingleCell(model.selection())) {
      setTarget(notation().range(range));
    } else {
      setData(notation().range(range));
      setTarget(notation().range(defaultTarget(range)));
    }
  });

  const read = (cells: string): Range | undefined => notation().parse(cells, model.selection().active);
  const written = (): readonly (readonly { formula: string }[])[] | undefined => {
    const from = positionOf(data(), model.sheets(), read);
    const to = read(target().trim());
    const each = from && to && dataOfEach(from.range, to);
    if (!each || each.length * (each[0]?.length ?? 0) > TARGETS_MAX) {
      return undefined;
    }
    const look = { kind: kind(), color: color(), negativeColor: marksNegative() ? negativeColor() : undefined, axis: axis() };
    const sheet = /^\s*=?(.*!)/.exec(data())?.[1] ?? "";
    return each.map((row) => row.map((range) => ({ formula: sparklineFormula(`${sheet}${rangeName(range)}`, look) })));
  };

  /** As cells show it, which is lighter in the dark. */
  const drawn = (written: string): { readonly "--drawn": string } => {
    const isLighter = model.schemeChanges() >= 0 && isDark();
    return { "--drawn": isLighter ? cssColor(lightenedForDark(Number.parseInt(written.slice(1), 16))) : written };
  };

  const problemId = createUniqueId();
  const isWrong = (): boolean => data().trim() !== "" && target().trim() !== "" && !written();
  /** The field to look at: where the cells to show can be read, the others do not go with them. */
  const marks = (field: "data" | "target") => {
    const isMarked = (): boolean => isWrong() && (positionOf(data(), model.sheets(), read) === undefined) === (field === "data");
    return {
      get "aria-invalid"() {
        return isMarked();
      },
      get "aria-describedby"() {
        return isMarked() ? problemId : undefined;
      },
    };
  };
  const insert = (): void => {
    const cells = written();
    const to = read(target().trim());
    if (!cells || !to) {
      return;
    }
    const at = { top: to.top, bottom: to.top, left: to.left, right: to.left };
    model.closeDialog();
    model.entryChecks.guard([to], () =>
      model.command({ type: "setCells", sheet: model.sheetId(), at: rangeName(at), cells: cells.map((row) => [...row]) }),
    );
  };

  return (
    <Modal isOpen title={t("Sparkline")} onClose={() => model.closeDialog()}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          insert();
        }}
      >
        <div class="form-pair">
          <label class="form-line">
            {t("Cells to show")}
            <input {...marks("data")} class="field" dir="ltr" spellcheck={false} placeholder={displayedRanges(["A1:F1"])} value={data()} onInput={(event) => setData(event.currentTarget.value)} />
          </label>
          <label class="form-line">
            {t("In cell")}
            <input {...marks("target")} class="field" dir="ltr" spellcheck={false} value={target()} onInput={(event) => setTarget(event.currentTarget.value)} />
          </label>
        </div>
        <Show when={isWrong()}>
          <p role="alert" class="form-problem" id={problemId}>
            {t("Name the cells as A1:F1, and one cell for all of them or one for each row or column.")}
          </p>
        </Show>
        <div class="form-pair">
          <label class="form-line">
            {t("Type")}
            <select class="field" onChange={(event) => setKind(KINDS[event.currentTarget.selectedIndex] ?? "line")}>
              <For each={KINDS}>{(name) => <option selected={name === kind()}>{t(NAMES[name])}</option>}</For>
            </select>
          </label>
          <label class="form-line">
            {t("Colour")}
            <input class="field is-drawn" style={drawn(color())} type="color" value={color()} onInput={(event) => setColor(event.currentTarget.value)} />
          </label>
        </div>
        <Show when={kind() !== "bar"}>
          <label class="check">
            <input type="checkbox" checked={marksNegative()} onChange={(event) => setMarksNegative(event.currentTarget.checked)} />
            {t("Colour for negative numbers")}
            <Show when={marksNegative()}>
              <input
                type="color"
                class="is-drawn"
                style={drawn(negativeColor())}
                aria-label={t("Colour of negative numbers")}
                value={negativeColor()}
                onInput={(event) => setNegativeColor(event.currentTarget.value)}
              />
            </Show>
          </label>
          <label class="check">
            <input type="checkbox" checked={axis()} onChange={(event) => setAxis(event.currentTarget.checked)} />
            {t("Horizontal axis at zero")}
          </label>
        </Show>
        <div class="modal-buttons">
          <button type="button" class="button" onClick={() => model.closeDialog()}>
            {t("Cancel")}
          </button>
          <button type="submit" class="button is-main" disabled={!written()}>
            {t("Insert")}
          </button>
        </div>
      </form>
    </Modal>
  );
}
