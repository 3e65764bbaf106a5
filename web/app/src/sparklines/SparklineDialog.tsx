/** The dialog "Sparkline": data, target, type and colors. It inserts formulas. */

import { cssColor, isSingleCell, lightenedForDark, type Range, rangeName } from "@quadrille/grid";
import { createSignal, createUniqueId, For, onMount, Show } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { Modal } from "../components/index.ts";
import { isDark } from "../theme/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { displayedRanges, notation } from "../settings/index.ts";
import { parseReference } from "../references/index.ts";
import { dataOfEach, KINDS, sparklineFormula, type SparklineKind, DEFAULT_COLOR, defaultTarget } from "./formulas.ts";

const NAMES: Readonly<Record<SparklineKind, Message>> = {
  line: "Line|chart",
  column: "Columns",
  bar: "Stacked bar",
  winloss: "Win/loss",
};

/** Maximum number of sparklines inserted at once. */
const TARGETS_MAX = 1_000;

/** The dialog "Sparkline". */
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
  const formulas = (): readonly (readonly { formula: string }[])[] | undefined => {
    const from = parseReference(data(), model.sheets(), read);
    const to = read(target().trim());
    const dataRanges = from && to && dataOfEach(from.range, to);
    if (!dataRanges || dataRanges.length * (dataRanges[0]?.length ?? 0) > TARGETS_MAX) {
      return undefined;
    }
    const style = { kind: kind(), color: color(), negativeColor: marksNegative() ? negativeColor() : undefined, axis: axis() };
    const sheet = /^\s*=?(.*!)/.exec(data())?.[1] ?? "";
    return dataRanges.map((row) => row.map((range) => ({ formula: sparklineFormula(`${sheet}${rangeName(range)}`, style) })));
  };

  /** The color as cells display it, which is lighter in the dark theme. */
  const displayedColor = (color: string): { readonly "--displayed-color": string } => {
    const isLighter = model.schemeChanges() >= 0 && isDark();
    return { "--displayed-color": isLighter ? cssColor(lightenedForDark(Number.parseInt(color.slice(1), 16))) : color };
  };

  const errorId = createUniqueId();
  const isInvalid = (): boolean => data().trim() !== "" && target().trim() !== "" && !formulas();
  /**
   * ARIA attributes of a field: the data field if its reference is invalid, otherwise the target.
   */
  const errorAttributes = (field: "data" | "target") => {
    const isInvalidField = (): boolean => isInvalid() && (parseReference(data(), model.sheets(), read) === undefined) === (field === "data");
    return {
      get "aria-invalid"() {
        return isInvalidField();
      },
      get "aria-describedby"() {
        return isInvalidField() ? errorId : undefined;
      },
    };
  };
  const insert = (): void => {
    const cells = formulas();
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
          <label class="form-label">
            {t("Data range")}
            <input {...errorAttributes("data")} class="field" dir="ltr" spellcheck={false} placeholder={displayedRanges(["A1:F1"])} value={data()} onInput={(event) => setData(event.currentTarget.value)} />
          </label>
          <label class="form-label">
            {t("Location cell")}
            <input {...errorAttributes("target")} class="field" dir="ltr" spellcheck={false} value={target()} onInput={(event) => setTarget(event.currentTarget.value)} />
          </label>
        </div>
        <Show when={isInvalid()}>
          <p role="alert" class="form-error" id={errorId}>
            {t("Enter a data range such as A1:F1, and one cell for all data or one cell for each row or column.")}
          </p>
        </Show>
        <div class="form-pair">
          <label class="form-label">
            {t("Type")}
            <select class="field" onChange={(event) => setKind(KINDS[event.currentTarget.selectedIndex] ?? "line")}>
              <For each={KINDS}>{(name) => <option selected={name === kind()}>{t(NAMES[name])}</option>}</For>
            </select>
          </label>
          <label class="form-label">
            {t("Colour")}
            <input class="field has-displayed-color" style={displayedColor(color())} type="color" value={color()} onInput={(event) => setColor(event.currentTarget.value)} />
          </label>
        </div>
        <Show when={kind() !== "bar"}>
          <label class="check">
            <input type="checkbox" checked={marksNegative()} onChange={(event) => setMarksNegative(event.currentTarget.checked)} />
            {t("Colour for negative numbers")}
            <Show when={marksNegative()}>
              <input
                type="color"
                class="has-displayed-color"
                style={displayedColor(negativeColor())}
                aria-label={t("Colour of negative numbers")}
                value={negativeColor()}
                onInput={(event) => setNegativeColor(event.currentTarget.value)}
              />
            </Show>
          </label>
          <label class="check">
            <input type="checkbox" checked={axis()} onChange={(event) => setAxis(event.currentTarget.checked)} />
            {t("Show axis")}
          </label>
        </Show>
        <div class="modal-buttons">
          <button type="button" class="button" onClick={() => model.closeDialog()}>
            {t("Cancel")}
          </button>
          <button type="submit" class="button is-main" disabled={!formulas()}>
            {t("Insert")}
          </button>
        </div>
      </form>
    </Modal>
  );
}
