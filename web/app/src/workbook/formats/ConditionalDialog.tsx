/** Looks that depend on what cells hold: the sheet's rules, and a new one. */

import { rangeName } from "@quadrille/grid";
import type { ItemDetails, ItemValue } from "@quadrille/protocol";
import { createSignal, For, Show } from "solid-js";
import { type Message, t } from "../../language/language.ts";
import { Icon } from "../../parts/Icon.tsx";
import { Modal } from "../../parts/Modal.tsx";
import type { WorkbookModel } from "../model.ts";

interface RuleKind {
  readonly name: Message;
  /** What the rule compares with; none for rules that know by themselves. */
  readonly operands: 0 | 1 | 2;
  readonly fields: (first: string, second: string) => Record<string, ItemValue>;
  /** The rule paints by itself. */
  readonly isPainting?: boolean;
}

const formula = (text: string): string => `=${text.trim().replace(/^=/, "") || "0"}`;
const compared = (operator: string) => (first: string, second: string) => ({
  rule: "cell",
  operator,
  formula1: formula(first),
  ...(operator === "between" && { formula2: formula(second) }),
});

const KINDS: readonly RuleKind[] = [
  { name: "Greater than", operands: 1, fields: compared("greater") },
  { name: "Less than", operands: 1, fields: compared("less") },
  { name: "Equal to", operands: 1, fields: compared("equal") },
  { name: "Between", operands: 2, fields: compared("between") },
  { name: "Text contains", operands: 1, fields: (text) => ({ rule: "text", operator: "contains", text }) },
  { name: "Blank cells", operands: 0, fields: () => ({ rule: "blank" }) },
  { name: "Repeated values", operands: 0, fields: () => ({ rule: "duplicate" }) },
  { name: "The highest", operands: 1, fields: (count) => ({ rule: "top", rank: Number(count) || 10 }) },
  { name: "The lowest", operands: 1, fields: (count) => ({ rule: "bottom", rank: Number(count) || 10 }) },
  { name: "Above average", operands: 0, fields: () => ({ rule: "aboveAverage" }) },
  { name: "A formula is true", operands: 1, fields: (first) => ({ rule: "formula", formula1: formula(first) }) },
  {
    name: "Colour scale",
    operands: 0,
    isPainting: true,
    fields: () => ({
      rule: "colorScale",
      stops: [
        { at: "minimum", color: "#e99999" },
        { at: "percentile", value: 50, color: "#fff2cc" },
        { at: "maximum", color: "#a8d19b" },
      ],
    }),
  },
  { name: "Data bars", operands: 0, isPainting: true, fields: () => ({ rule: "dataBar", color: "#2a917a", negativeColor: "#cc3d3d", gradient: false }) },
  { name: "Icons", operands: 0, isPainting: true, fields: () => ({ rule: "iconSet", iconSet: "3TrafficLights1" }) },
];

const LOOKS: readonly (readonly [name: Message, format: Record<string, ItemValue>])[] = [
  ["Green", { fillColor: "#d9ead3", textColor: "#1e5213" }],
  ["Yellow", { fillColor: "#fff2cc", textColor: "#6b5200" }],
  ["Red", { fillColor: "#f4cccc", textColor: "#8f1d1d" }],
  ["Blue", { fillColor: "#cfe2f3", textColor: "#1d4a8a" }],
  ["Bold", { bold: true }],
];

/** A rule in a word, as far as its kind is one of those above. */
function nameOf(item: ItemDetails): string {
  const { rule, operator } = item.fields;
  const kind = KINDS.find(({ fields }) => {
    const made = fields("", "");
    return made["rule"] === rule && (made["operator"] ?? null) === (operator ?? null);
  });
  return kind ? t(kind.name) : String(rule ?? "");
}

export function ConditionalDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [cells, setCells] = createSignal(model.selection().ranges.map(rangeName).join(" "));
  const [kindAt, setKindAt] = createSignal(0);
  const [first, setFirst] = createSignal("");
  const [second, setSecond] = createSignal("");
  const [lookAt, setLookAt] = createSignal(0);
  const kind = () => KINDS[kindAt()] as RuleKind;
  const rules = () => model.items.ofKind("conditionalRule");
  const operandsOf = (item: ItemDetails): string =>
    [item.fields["formula1"], item.fields["formula2"], item.fields["text"], item.fields["rank"]]
      .filter((value) => value !== undefined && value !== null)
      .map((value) => String(value).replace(/^=/, ""))
      .join(" … ");
  const add = (): void => {
    const fields = { ...kind().fields(first(), second()), ...(!kind().isPainting && { format: LOOKS[lookAt()]?.[1] ?? {} }), priority: rules().length + 1 };
    model.command({ type: "setItem", sheet: model.sheetId(), kind: "conditionalRule", anchors: cells().split(/[\s,;]+/).filter((part) => part !== ""), fields });
    setFirst("");
    setSecond("");
  };

  return (
    <Modal isOpen title={t("Conditional formatting")} onClose={() => model.closeDialog()}>
      <ul class="names">
        <For each={rules()} fallback={<li class="names-none">{t("This sheet has no rules yet.")}</li>}>
          {(item) => (
            <li>
              <span class="names-go">
                <strong>
                  {nameOf(item)} {operandsOf(item)}
                </strong>
                <code dir="ltr">{item.anchors.join(" ")}</code>
              </span>
              <button type="button" class="tool is-small" aria-label={t("Remove {name}", { name: nameOf(item) })} onClick={() => model.items.remove(item.id)}>
                <Icon name="trash" />
              </button>
            </li>
          )}
        </For>
      </ul>
      <form
        class="form is-below"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <label class="form-line">
          {t("Cells")}
          <input class="field" dir="ltr" value={cells()} onInput={(event) => setCells(event.currentTarget.value)} />
        </label>
        <label class="form-line">
          {t("Rule")}
          <select class="field" onChange={(event) => setKindAt(event.currentTarget.selectedIndex)}>
            <For each={KINDS}>{({ name }, at) => <option selected={kindAt() === at()}>{t(name)}</option>}</For>
          </select>
        </label>
        <Show when={kind().operands > 0}>
          <div class="form-pair">
            <label class="form-line">
              {t("Value")}
              <input class="field" dir="auto" value={first()} onInput={(event) => setFirst(event.currentTarget.value)} />
            </label>
            <Show when={kind().operands === 2}>
              <label class="form-line">
                {t("To")}
                <input class="field" dir="auto" value={second()} onInput={(event) => setSecond(event.currentTarget.value)} />
              </label>
            </Show>
          </div>
        </Show>
        <Show when={!kind().isPainting}>
          <label class="form-line">
            {t("Look")}
            <select class="field" onChange={(event) => setLookAt(event.currentTarget.selectedIndex)}>
              <For each={LOOKS}>{([name], at) => <option selected={lookAt() === at()}>{t(name)}</option>}</For>
            </select>
          </label>
        </Show>
        <div class="modal-buttons">
          <button type="submit" class="button is-main">
            {t("Add rule")}
          </button>
        </div>
      </form>
    </Modal>
  );
}
