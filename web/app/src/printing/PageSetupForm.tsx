/** The questions of the page set-up. */

import type { Range } from "@quadrille/grid";
import { createSignal, For, Show } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { FormField } from "../components/index.ts";
import { displayedRanges, notation } from "../settings/index.ts";
import { INCH_MM, isPaper, type Margins, MARGIN_PRESETS, PAPERS, type Parts, readMargin, SCALE_MAX, SCALE_MIN, type Setup } from "./page-setup.ts";

export type What = "sheet" | "selection" | "workbook";

const WHATS: readonly (readonly [what: What, name: Message])[] = [
  ["sheet", "This sheet"],
  ["selection", "Selected cells|to print"],
  ["workbook", "Whole workbook"],
];

const SCALES = [
  ["size", "Actual size (100%)"],
  ["width", "Fit to width"],
  ["page", "Fit to page"],
  ["own", "Scale"],
] as const satisfies readonly (readonly [scale: string, name: Message])[];

const MARGIN_NAMES: readonly (readonly [name: keyof typeof MARGIN_PRESETS | "own", label: Message])[] = [
  ["normal", "Normal|margins"],
  ["narrow", "Narrow|margins"],
  ["wide", "Wide|margins"],
  ["own", "Others|margins"],
];

const SIDES: readonly (readonly [side: keyof Margins, name: Message])[] = [
  ["top", "Top"],
  ["right", "Right"],
  ["bottom", "Bottom"],
  ["left", "Left"],
];

const PLACES: readonly Message[] = ["Left", "Middle|of a header", "Right"];

const CHECKS: readonly (readonly [field: "gridlines" | "headings" | "centersHorizontally" | "centersVertically", name: Message])[] = [
  ["gridlines", "Gridlines|of a sheet"],
  ["headings", "Row and column headings"],
  ["centersHorizontally", "Centre horizontally"],
  ["centersVertically", "Centre vertically"],
];

export function PageSetupForm(props: {
  readonly setup: Setup;
  readonly onChange: (change: Partial<Setup>) => void;
  readonly what: What;
  readonly onWhat: (what: What) => void;
  readonly selected: string;
  readonly canStore: boolean;
}) {
  const [ownsScale, setOwnsScale] = createSignal(false);
  const [ownsMargins, setOwnsMargins] = createSignal(false);
  const scale = () => {
    const { fitToWidth, fitToHeight, scale } = props.setup;
    if (ownsScale()) {
      return "own";
    }
    if (fitToWidth !== undefined || fitToHeight !== undefined) {
      return fitToHeight ? "page" : "width";
    }
    return scale === 100 ? "size" : "own";
  };
  const setScale = (chosen: (typeof SCALES)[number][0]): void => {
    setOwnsScale(chosen === "own");
    const fits = { width: { fitToWidth: 1, fitToHeight: 0 }, page: { fitToWidth: 1, fitToHeight: 1 } } as const;
    const none = { fitToWidth: undefined, fitToHeight: undefined };
    props.onChange(chosen === "size" ? { ...none, scale: 100 } : chosen === "own" ? none : fits[chosen]);
  };
  const margins = () => (ownsMargins() ? "own" : (MARGIN_NAMES.find(([name]) => name !== "own" && isSame(MARGIN_PRESETS[name], props.setup.margins))?.[0] ?? "own"));
  const setMargins = (chosen: (typeof MARGIN_NAMES)[number][0]): void => {
    setOwnsMargins(chosen === "own");
    if (chosen !== "own") {
      props.onChange({ margins: MARGIN_PRESETS[chosen] });
    }
  };
  const setPart = (name: "header" | "footer", at: number, text: string): void => {
    const parts = props.setup[name].map((part, place) => (place === at ? text : part)) as unknown as Parts;
    props.onChange({ [name]: parts });
  };

  return (
    <form class="form print-form" onSubmit={(event) => event.preventDefault()}>
      <label class="form-line">
        {t("Print")}
        <select class="field" onChange={(event) => props.onWhat(WHATS[event.currentTarget.selectedIndex]?.[0] ?? "sheet")}>
          <For each={WHATS}>{([what, name]) => <option selected={props.what === what}>{t(name)}</option>}</For>
        </select>
      </label>
      <div class="form-pair">
        <label class="form-line">
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
        <label class="form-line">
          {t("Orientation")}
          <select class="field" onChange={(event) => props.onChange({ isLandscape: event.currentTarget.selectedIndex === 1 })}>
            <option selected={!props.setup.isLandscape}>{t("Portrait")}</option>
            <option selected={props.setup.isLandscape}>{t("Landscape")}</option>
          </select>
        </label>
      </div>
      <div classList={{ "form-pair": scale() === "own" }}>
        <label class="form-line">
          {t("Size|on paper")}
          <select class="field" onChange={(event) => setScale(SCALES[event.currentTarget.selectedIndex]?.[0] ?? "size")}>
            <For each={SCALES}>{([name, label]) => <option selected={scale() === name}>{t(label)}</option>}</For>
          </select>
        </label>
        <Show when={scale() === "own"}>
          <label class="form-line">
            {t("Per cent")}
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
      <label class="form-line">
        {t("Margins")}
        <select class="field" onChange={(event) => setMargins(MARGIN_NAMES[event.currentTarget.selectedIndex]?.[0] ?? "normal")}>
          <For each={MARGIN_NAMES}>{([name, label]) => <option selected={margins() === name}>{t(label)}</option>}</For>
        </select>
      </label>
      <Show when={margins() === "own"}>
        <fieldset class="print-margins">
          <legend>{t("Margins in millimetres")}</legend>
          <For each={SIDES}>
            {([side, name]) => (
              <label class="form-line">
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
        <p class="print-note">{t("{page} is the number of the page, {pages} how many there are, {sheet} the sheet, {file} the workbook, {date} and {time} when it is printed.", {
          page: "&P",
          pages: "&N",
          sheet: "&A",
          file: "&F",
          date: "&D",
          time: "&T",
        })}</p>
        <For each={["header", "footer"] as const}>
          {(name) => (
            <fieldset class="print-parts">
              <legend>{name === "header" ? t("Header") : t("Footer")}</legend>
              <For each={PLACES}>
                {(place, at) => (
                  <input
                    class="field"
                    dir="auto"
                    maxLength={255}
                    aria-label={t(place)}
                    placeholder={t(place)}
                    value={props.setup[name][at()] ?? ""}
                    onChange={(event) => setPart(name, at(), event.currentTarget.value)}
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
  /** Offered with a button. */
  readonly selected?: string;
}) {
  const [wrong, setWrong] = createSignal<string>();
  const read = (text: string): void => {
    const parts = text.split(/[,;\s]+/).filter((part) => part !== "");
    const found = parts.map((part) => notation().parse(part, { row: 0, column: 0 }));
    const at = found.indexOf(undefined);
    setWrong(parts[at]);
    if (at < 0) {
      props.onChange(found.flatMap((range) => range ?? []));
    }
  };
  return (
    <div class="print-range">
      <FormField label={props.label} errorText={wrong() === undefined ? undefined : t("Not a valid cell reference: {text}", { text: wrong() ?? "" })}>
        {(marks) => (
          <input
            {...marks}
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
  return SIDES.every(([side]) => Math.abs(one[side] - other[side]) < 0.01);
}
