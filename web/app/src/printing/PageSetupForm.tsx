/** The form of the page setup. */

import type { Range } from "@quadrille/grid";
import { createSignal, For, Show } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { FormField } from "../components/index.ts";
import { displayedRanges, notation } from "../settings/index.ts";
import { INCH_MM, isPaper, type Margins, MARGIN_PRESETS, PAPERS, type HeaderSections, readMargin, SCALE_MAX, SCALE_MIN, type PageSetup } from "./page-setup.ts";

/** What is printed. */
export type PrintScope = "sheet" | "selection" | "workbook";

const SCOPES: readonly (readonly [scope: PrintScope, name: Message])[] = [
  ["sheet", "This sheet"],
  ["selection", "Selected cells|to print"],
  ["workbook", "Whole workbook"],
];

const SCALES = [
  ["size", "Actual size (100%)"],
  ["width", "Fit to width"],
  ["page", "Fit to page"],
  ["custom", "Custom scale"],
] as const satisfies readonly (readonly [scale: string, name: Message])[];

const MARGIN_NAMES: readonly (readonly [name: keyof typeof MARGIN_PRESETS | "custom", label: Message])[] = [
  ["normal", "Normal|margins"],
  ["narrow", "Narrow|margins"],
  ["wide", "Wide|margins"],
  ["custom", "Custom|margins"],
];

const MARGIN_SIDES: readonly (readonly [side: keyof Margins, name: Message])[] = [
  ["top", "Top"],
  ["right", "Right"],
  ["bottom", "Bottom"],
  ["left", "Left"],
];

/** Headers and footers, and the setting that makes them count. */
const HEADERS: readonly (readonly [name: HeaderName, label: Message, setting?: DifferentHeaders])[] = [
  ["header", "Header"],
  ["footer", "Footer"],
  ["firstHeader", "Header of the first page", "differentFirst"],
  ["firstFooter", "Footer of the first page", "differentFirst"],
  ["evenHeader", "Header of even pages", "differentOddEven"],
  ["evenFooter", "Footer of even pages", "differentOddEven"],
];

const DIFFERENT_HEADERS: readonly (readonly [setting: DifferentHeaders, name: Message])[] = [
  ["differentFirst", "Different first page"],
  ["differentOddEven", "Different odd and even pages"],
];

type HeaderName = "header" | "footer" | "firstHeader" | "firstFooter" | "evenHeader" | "evenFooter";
type DifferentHeaders = "differentFirst" | "differentOddEven";

const SECTIONS: readonly Message[] = ["Left", "Middle|of a header", "Right"];

const CHECKS: readonly (readonly [field: "gridlines" | "headings" | "centersHorizontally" | "centersVertically", name: Message])[] = [
  ["gridlines", "Gridlines|of a sheet"],
  ["headings", "Row and column headings"],
  ["centersHorizontally", "Centre horizontally"],
  ["centersVertically", "Centre vertically"],
];

/** The form of the page setup. */
export function PageSetupForm(props: {
  readonly setup: PageSetup;
  readonly onChange: (change: Partial<PageSetup>) => void;
  readonly scope: PrintScope;
  readonly onScope: (scope: PrintScope) => void;
  readonly selected: string;
  readonly canStore: boolean;
}) {
  const [usesCustomScale, setUsesCustomScale] = createSignal(false);
  const [usesCustomMargins, setUsesCustomMargins] = createSignal(false);
  const scale = () => {
    const { fitToWidth, fitToHeight, scale } = props.setup;
    if (usesCustomScale()) {
      return "custom";
    }
    if (fitToWidth !== undefined || fitToHeight !== undefined) {
      return fitToHeight ? "page" : "width";
    }
    return scale === 100 ? "size" : "custom";
  };
  const setScale = (chosen: (typeof SCALES)[number][0]): void => {
    setUsesCustomScale(chosen === "custom");
    const fits = { width: { fitToWidth: 1, fitToHeight: 0 }, page: { fitToWidth: 1, fitToHeight: 1 } } as const;
    const none = { fitToWidth: undefined, fitToHeight: undefined };
    props.onChange(chosen === "size" ? { ...none, scale: 100 } : chosen === "custom" ? none : fits[chosen]);
  };
  const margins = () => (usesCustomMargins() ? "custom" : (MARGIN_NAMES.find(([name]) => name !== "custom" && isSame(MARGIN_PRESETS[name], props.setup.margins))?.[0] ?? "custom"));
  const setMargins = (chosen: (typeof MARGIN_NAMES)[number][0]): void => {
    setUsesCustomMargins(chosen === "custom");
    if (chosen !== "custom") {
      props.onChange({ margins: MARGIN_PRESETS[chosen] });
    }
  };
  const setSection = (name: HeaderName, index: number, text: string): void => {
    const parts = props.setup[name].map((part, position) => (position === index ? text : part)) as unknown as HeaderSections;
    props.onChange({ [name]: parts });
  };

  return (
    <form class="form print-form" onSubmit={(event) => event.preventDefault()}>
      <label class="form-label">
        {t("Print")}
        <select class="field" onChange={(event) => props.onScope(SCOPES[event.currentTarget.selectedIndex]?.[0] ?? "sheet")}>
          <For each={SCOPES}>{([scope, name]) => <option selected={props.scope === scope}>{t(name)}</option>}</For>
        </select>
      </label>
      <div class="form-pair">
        <label class="form-label">
          {t("Paper")}
          <select
            class="field"
            onChange={(event) => {
              const { value } = event.currentTarget;
              if (isPaper(value)) {
                props.onChange({ paper: value });
              }
            }}
          >
            <For each={Object.keys(PAPERS)}>
              {(name) => (
                <option value={name} selected={props.setup.paper === name}>
                  {paperName(name)}
                </option>
              )}
            </For>
          </select>
        </label>
        <label class="form-label">
          {t("Orientation")}
          <select class="field" onChange={(event) => props.onChange({ isLandscape: event.currentTarget.selectedIndex === 1 })}>
            <option selected={!props.setup.isLandscape}>{t("Portrait")}</option>
            <option selected={props.setup.isLandscape}>{t("Landscape")}</option>
          </select>
        </label>
      </div>
      <div classList={{ "form-pair": scale() === "custom" }}>
        <label class="form-label">
          {t("Scale|of printing")}
          <select class="field" onChange={(event) => setScale(SCALES[event.currentTarget.selectedIndex]?.[0] ?? "size")}>
            <For each={SCALES}>{([name, label]) => <option selected={scale() === name}>{t(label)}</option>}</For>
          </select>
        </label>
        <Show when={scale() === "custom"}>
          <label class="form-label">
            {t("Scale (%)")}
            <input
              class="field"
              type="number"
              min={SCALE_MIN}
              max={SCALE_MAX}
              value={props.setup.scale}
              onChange={(event) => props.onChange({ scale: Math.min(SCALE_MAX, Math.max(SCALE_MIN, event.currentTarget.valueAsNumber || 100)) })}
            />
          </label>
        </Show>
      </div>
      <label class="form-label">
        {t("Margins")}
        <select class="field" onChange={(event) => setMargins(MARGIN_NAMES[event.currentTarget.selectedIndex]?.[0] ?? "normal")}>
          <For each={MARGIN_NAMES}>{([name, label]) => <option selected={margins() === name}>{t(label)}</option>}</For>
        </select>
      </label>
      <Show when={margins() === "custom"}>
        <fieldset class="print-margins">
          <legend>{t("Margins in millimetres")}</legend>
          <For each={MARGIN_SIDES}>
            {([side, name]) => (
              <label class="form-label">
                {t(name)}
                <input
                  class="field"
                  type="number"
                  min={0}
                  max={250}
                  step={1}
                  value={Math.round(props.setup.margins[side] * INCH_MM)}
                  onChange={(event) =>
                    props.onChange({ margins: { ...props.setup.margins, [side]: readMargin(event.currentTarget.valueAsNumber) } })
                  }
                />
              </label>
            )}
          </For>
        </fieldset>
      </Show>
      <div class="print-checks">
        <For each={CHECKS}>
          {([field, name]) => (
            <label class="print-check">
              <input type="checkbox" checked={props.setup[field]} onChange={(event) => props.onChange({ [field]: event.currentTarget.checked })} />
              {t(name)}
            </label>
          )}
        </For>
      </div>
      <RangeField
        label={t("Print area")}
        hint={t("Everything")}
        ranges={props.setup.areas}
        onChange={(areas) => props.onChange({ areas })}
        selected={props.selected}
      />
      <div class="form-pair">
        <RangeField
          label={t("Repeat rows")}
          hint={displayedRanges(["1:2"])}
          ranges={props.setup.titleRows ? [props.setup.titleRows] : []}
          onChange={([range]) => props.onChange({ titleRows: range && { ...range, left: 0, right: 16_383 } })}
        />
        <RangeField
          label={t("Repeat columns")}
          hint={displayedRanges(["A:A"])}
          ranges={props.setup.titleColumns ? [props.setup.titleColumns] : []}
          onChange={([range]) => props.onChange({ titleColumns: range && { ...range, top: 0, bottom: 1_048_575 } })}
        />
      </div>
      <details class="print-more">
        <summary>{t("Header and footer")}</summary>
        <p class="print-note">{t("Codes: {page} page number, {pages} number of pages, {sheet} sheet name, {file} workbook name, {date} and {time} of printing.", {
          page: "&P",
          pages: "&N",
          sheet: "&A",
          file: "&F",
          date: "&D",
          time: "&T",
        })}</p>
        <div class="print-checks">
          <For each={DIFFERENT_HEADERS}>
            {([setting, name]) => (
              <label class="print-check">
                <input type="checkbox" checked={props.setup[setting]} onChange={(event) => props.onChange({ [setting]: event.currentTarget.checked })} />
                {t(name)}
              </label>
            )}
          </For>
        </div>
        <For each={HEADERS.filter(([, , setting]) => setting === undefined || props.setup[setting])}>
          {([name, label]) => (
            <fieldset class="print-sections">
              <legend>{t(label)}</legend>
              <For each={SECTIONS}>
                {(section, index) => (
                  <input
                    class="field"
                    dir="auto"
                    maxLength={255}
                    aria-label={t(section)}
                    placeholder={t(section)}
                    value={props.setup[name][index()] ?? ""}
                    onChange={(event) => setSection(name, index(), event.currentTarget.value)}
                  />
                )}
              </For>
            </fieldset>
          )}
        </For>
      </details>
      <Show when={!props.canStore}>
        <p class="print-note">{t("This page setup applies to this print only because the workbook is view-only.")}</p>
      </Show>
    </form>
  );
}

function RangeField(props: {
  readonly label: string;
  readonly hint: string;
  readonly ranges: readonly Range[];
  readonly onChange: (ranges: readonly Range[]) => void;
  /** The selected range, offered by a button. */
  readonly selected?: string;
}) {
  const [invalid, setInvalid] = createSignal<string>();
  const read = (text: string): void => {
    const parts = text.split(/[,;\s]+/).filter((part) => part !== "");
    const parsed = parts.map((part) => notation().parse(part, { row: 0, column: 0 }));
    const invalidIndex = parsed.indexOf(undefined);
    setInvalid(parts[invalidIndex]);
    if (invalidIndex < 0) {
      props.onChange(parsed.flatMap((range) => range ?? []));
    }
  };
  return (
    <div class="print-range">
      <FormField label={props.label} errorText={invalid() === undefined ? undefined : t("Not a valid cell reference: {text}", { text: invalid() ?? "" })}>
        {(attributes) => (
          <input
            {...attributes}
            class="field"
            dir="ltr"
            placeholder={props.hint}
            value={props.ranges.map(notation().range).join(", ")}
            onChange={(event) => read(event.currentTarget.value)}
          />
        )}
      </FormField>
      <Show when={props.selected}>
        {(selected) => (
          <button type="button" class="button" onClick={() => read(selected())}>
            {t("Use selection")}
          </button>
        )}
      </Show>
    </div>
  );
}

function paperName(name: string): string {
  return /^[ab]\d$/.test(name) ? name.toUpperCase() : name.charAt(0).toUpperCase() + name.slice(1);
}

function isSame(one: Margins, other: Margins): boolean {
  return MARGIN_SIDES.every(([side]) => Math.abs(one[side] - other[side]) < 0.01);
}
