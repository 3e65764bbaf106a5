/** The part of the dialog "Data validation" for lists: choices with colours, and how cells show them. */

import type { ItemDetails, ItemValue } from "@quadrille/protocol";
import { createEffect, createSignal, For, Show } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { FormField } from "../components/index.ts";
import { displayedFormula, storedFormula } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { type Choice, ChoicesField } from "./ChoicesField.tsx";
import { allowsMultiple, choicesOf, colorsOf } from "./list-values.ts";
import { hasChips } from "./rules-of-cells.ts";
import { textOf } from "./validation-rules.ts";

type DisplayStyle = "chip" | "arrow" | "plainText";

const STYLES: readonly (readonly [style: DisplayStyle, name: Message])[] = [
  ["chip", "Chip"],
  ["arrow", "Arrow"],
  ["plainText", "Plain text"],
];
/** Cells of a range whose colours can be set here. */
const CELLS_SHOWN_MAX = 200;

type Host = Parameters<typeof displayedFormula>[1];

/** What the dialog edits of a list. */
export interface ListDraft {
  readonly isOfCells: boolean;
  readonly choices: readonly Choice[];
  /** The reference to the cells in the notation of the user, with `=`. */
  readonly range: string;
  /** Colours of the values of these cells. */
  readonly colors: ReadonlyMap<string, string>;
  readonly style: DisplayStyle;
  readonly allowsMultiple: boolean;
}

/** The list of a rule; a new one has one blank choice and chips. */
export function listDraft(item: ItemDetails | undefined, host: Host): ListDraft {
  const fields = item?.fields ?? {};
  const isList = item !== undefined && fields["rule"] === "list";
  const colors = item ? colorsOf(item) : new Map<string, string>();
  const texts = (Array.isArray(fields["choices"]) ? fields["choices"] : [""]).filter((choice) => typeof choice === "string");
  const isOfCells = isList && typeof fields["formula1"] === "string";
  return {
    isOfCells,
    choices: texts.map((text) => ({ text, color: colors.get(text) })),
    range: isOfCells ? displayedFormula(textOf(fields["formula1"]), host) : "=",
    colors,
    style: !isList ? "chip" : fields["showDropdown"] === false ? "plainText" : hasChips(item) ? "chip" : "arrow",
    allowsMultiple: item !== undefined && allowsMultiple(item),
  };
}

/** Whether the list has no choices. */
export function isBlankList({ isOfCells, choices, range }: ListDraft): boolean {
  return isOfCells ? range.trim().replace(/^=/, "") === "" : choices.every(({ text }) => text.trim() === "");
}

/** The fields of the rule. */
export function listFields(draft: ListDraft, host: Host): Record<string, ItemValue> {
  const named = draft.choices.map(({ text, color }) => ({ text: text.trim(), color })).filter(({ text }) => text !== "");
  const choices = named.filter(({ text }, index) => named.findIndex((other) => other.text === text) === index);
  const colored = draft.isOfCells ? [...draft.colors].map(([text, color]) => ({ text, color })) : choices;
  const colors = colored.flatMap(({ text, color }) => (color === undefined ? [] : [{ value: text, color }]));
  const range = draft.range.trim();
  return {
    ...(draft.isOfCells ? { formula1: storedFormula(range.startsWith("=") ? range : `=${range}`, host) } : { choices: choices.map(({ text }) => text) }),
    choiceColors: colors.length > 0 ? colors : null,
    displayStyle: draft.style === "plainText" ? null : draft.style,
    showDropdown: draft.style !== "plainText",
    allowMultiple: draft.allowsMultiple || null,
  };
}

/** Properties of `ListRule`. */
export interface ListRuleProps {
  readonly model: WorkbookModel;
  readonly host: Host;
  readonly draft: ListDraft;
  readonly errorText: string | undefined;
  readonly onChange: (part: Partial<ListDraft>) => void;
}

/** The fields of a list. */
export function ListRule(props: ListRuleProps) {
  const [values, setValues] = createSignal<readonly string[]>([]);
  createEffect(() => {
    const { isOfCells, range } = props.draft;
    if (!isOfCells) {
      return;
    }
    const formula1 = storedFormula(range.startsWith("=") ? range : `=${range}`, props.host);
    void choicesOf(props.model, { fields: { formula1 }, anchors: [] }).then((found) => {
      if (props.draft.range === range) {
        setValues(found.slice(0, CELLS_SHOWN_MAX));
      }
    });
  });
  const cellChoices = (): readonly Choice[] => values().map((text) => ({ text, color: props.draft.colors.get(text) }));
  const colorCells = (choices: readonly Choice[]): void => {
    const colors = new Map(props.draft.colors);
    for (const { text, color } of choices) {
      if (color === undefined) {
        colors.delete(text);
      } else {
        colors.set(text, color);
      }
    }
    props.onChange({ colors });
  };

  return (
    <>
      <label class="form-label">
        {t("Source")}
        <select class="field" onChange={(event) => props.onChange({ isOfCells: event.currentTarget.selectedIndex === 1 })}>
          <option selected={!props.draft.isOfCells}>{t("Items")}</option>
          <option selected={props.draft.isOfCells}>{t("Cells of a range")}</option>
        </select>
      </label>
      <Show
        when={props.draft.isOfCells}
        fallback={<ChoicesField choices={props.draft.choices} isOfCells={false} errorText={props.errorText} onChange={(choices) => props.onChange({ choices })} />}
      >
        <FormField label={t("Cells")} errorText={props.errorText}>
          {(attributes) => <input {...attributes} class="field is-code" dir="ltr" placeholder="=A1:A9" value={props.draft.range} onInput={(event) => props.onChange({ range: event.currentTarget.value })} />}
        </FormField>
        <Show when={values().length > 0}>
          <ChoicesField choices={cellChoices()} isOfCells errorText={undefined} onChange={colorCells} />
        </Show>
      </Show>
      <label class="form-label">
        {t("Display style")}
        <select class="field" onChange={(event) => props.onChange({ style: STYLES[event.currentTarget.selectedIndex]?.[0] ?? "chip" })}>
          <For each={STYLES}>{([style, name]) => <option selected={props.draft.style === style}>{t(name)}</option>}</For>
        </select>
      </label>
      <MultipleChoice isOn={props.draft.allowsMultiple} onChange={(allowsMultiple) => props.onChange({ allowsMultiple })} />
    </>
  );
}

/** Whether a cell may have several values. */
export function MultipleChoice(props: { readonly isOn: boolean; readonly onChange: (isOn: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={props.isOn} onChange={(event) => props.onChange(event.currentTarget.checked)} />
      {t("Allow multiple selections")}
    </label>
  );
}
