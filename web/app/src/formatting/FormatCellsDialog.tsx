/** The dialog "Format cells": alignments, underlines, superscripts and fill patterns. */

import type { FillPatternName, FormatChange } from "@quadrille/protocol";
import { createSignal, createUniqueId, For, Show } from "solid-js";
import { t, type Message } from "../language/index.ts";
import { DialogButtons, Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";

type Choices<Value> = readonly (readonly [value: Value | null, name: Message])[];

const HORIZONTAL: Choices<NonNullable<FormatChange["horizontal"]>> = [
  [null, "General"],
  ["left", "Align left"],
  ["center", "Align centre"],
  ["right", "Align right"],
  ["fill", "Repeat to fill"],
  ["justify", "Justify"],
  ["centerContinuous", "Centre across selection"],
  ["distributed", "Distributed"],
];
const VERTICAL: Choices<NonNullable<FormatChange["vertical"]>> = [
  [null, "General"],
  ["top", "Top"],
  ["middle", "Middle"],
  ["bottom", "Bottom"],
  ["justify", "Justify"],
  ["distributed", "Distributed"],
];
const DIRECTIONS: Choices<NonNullable<FormatChange["readingOrder"]>> = [
  [null, "Automatic"],
  ["leftToRight", "Left to right"],
  ["rightToLeft", "Right to left"],
];
/** `single` is the underline without a style. */
const UNDERLINES: Choices<"single" | NonNullable<FormatChange["underlineStyle"]>> = [
  [null, "None"],
  ["single", "Single"],
  ["double", "Double"],
  ["singleAccounting", "Single accounting"],
  ["doubleAccounting", "Double accounting"],
];
const SCRIPTS: Choices<NonNullable<FormatChange["script"]>> = [
  [null, "None"],
  ["superscript", "Superscript"],
  ["subscript", "Subscript"],
];
/** The patterns of Excel, with its names. */
const PATTERNS: Choices<FillPatternName> = [
  [null, "None"],
  ["darkGray", "75% grey"],
  ["mediumGray", "50% grey"],
  ["lightGray", "25% grey"],
  ["gray125", "12.5% grey"],
  ["gray0625", "6.25% grey"],
  ["darkHorizontal", "Horizontal stripes"],
  ["darkVertical", "Vertical stripes"],
  ["darkDown", "Reverse diagonal stripes"],
  ["darkUp", "Diagonal stripes"],
  ["darkGrid", "Crosshatch"],
  ["darkTrellis", "Diagonal crosshatch"],
  ["lightHorizontal", "Thin horizontal stripes"],
  ["lightVertical", "Thin vertical stripes"],
  ["lightDown", "Thin reverse diagonal stripes"],
  ["lightUp", "Thin diagonal stripes"],
  ["lightGrid", "Thin crosshatch"],
  ["lightTrellis", "Thin diagonal crosshatch"],
];

/** The dialog "Format cells". Only attributes that are changed in it are set. */
export function FormatCellsDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const format = model.selectionDetails.details()?.format ?? {};
  const [changes, setChanges] = createSignal<FormatChange>({});
  const colorId = createUniqueId();
  const change = (part: FormatChange): void => {
    setChanges({ ...changes(), ...part });
  };
  const pattern = (): FillPatternName | null => {
    const { fillPattern } = changes();
    return fillPattern === undefined ? (format.fillPattern ?? null) : fillPattern;
  };
  const underline = format.underline === true ? (format.underlineStyle ?? "single") : null;
  return (
    <Modal isOpen title={t("Format cells")} onClose={() => model.closeDialog()}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          model.closeDialog();
          if (Object.keys(changes()).length > 0) {
            model.format(changes());
          }
        }}
      >
        <Choice label={t("Horizontal alignment")} choices={HORIZONTAL} value={format.horizontal ?? null} onChoose={(horizontal) => change({ horizontal })} />
        <Choice label={t("Vertical alignment")} choices={VERTICAL} value={format.vertical ?? null} onChoose={(vertical) => change({ vertical })} />
        <Choice label={t("Text direction")} choices={DIRECTIONS} value={format.readingOrder ?? null} onChoose={(readingOrder) => change({ readingOrder })} />
        <label class="check">
          <input
            type="checkbox"
            checked={format.overflow === "shrink"}
            onChange={(event) => change({ overflow: event.currentTarget.checked ? "shrink" : null })}
          />
          {t("Shrink to fit")}
        </label>
        <Choice
          label={t("Underline")}
          choices={UNDERLINES}
          value={underline}
          onChoose={(style) => change({ underline: style !== null, underlineStyle: style === "single" ? null : style })}
        />
        <Choice label={t("Font position")} choices={SCRIPTS} value={format.script ?? null} onChoose={(script) => change({ script })} />
        <Choice label={t("Fill pattern")} choices={PATTERNS} value={format.fillPattern ?? null} onChoose={(fillPattern) => change({ fillPattern })} />
        <Show when={pattern() !== null}>
          <label class="form-label" for={colorId}>
            {t("Pattern colour")}
            <input
              id={colorId}
              type="color"
              value={format.fillPatternColor ?? "#000000"}
              onChange={(event) => change({ fillPatternColor: event.currentTarget.value })}
            />
          </label>
        </Show>
        <DialogButtons onCancel={() => model.closeDialog()} />
      </form>
    </Modal>
  );
}

function Choice<Value extends string>(props: {
  readonly label: string;
  readonly choices: Choices<Value>;
  readonly value: Value | null;
  readonly onChoose: (value: Value | null) => void;
}) {
  return (
    <label class="form-label">
      {props.label}
      <select class="field" onChange={(event) => props.onChoose(props.choices[event.currentTarget.selectedIndex]?.[0] ?? null)}>
        <For each={props.choices}>{([value, name]) => <option selected={props.value === value}>{t(name)}</option>}</For>
      </select>
    </label>
  );
}
