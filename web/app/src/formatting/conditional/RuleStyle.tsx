/** The fields for the format of a rule: a preset, or a custom format. */

import { onPaper, TEXT_CONTRAST } from "@quadrille/grid";
import { createEffect, createSignal, For, Show } from "solid-js";
import { type Message, t } from "../../language/index.ts";
import { Icon } from "../../components/index.ts";
import { readTheme } from "../../theme/index.ts";
import type { RuleFormat } from "./rule-draft.ts";

/** The preset formats. */
export const STYLE_PRESETS: readonly (readonly [name: Message, format: RuleFormat])[] = [
  ["Green", { fillColor: "#d9ead3", textColor: "#1e5213" }],
  ["Yellow", { fillColor: "#fff2cc", textColor: "#6b5200" }],
  ["Red", { fillColor: "#f4cccc", textColor: "#8f1d1d" }],
  ["Blue", { fillColor: "#cfe2f3", textColor: "#1d4a8a" }],
  ["Bold", { bold: true }],
];

const STYLES = [
  ["bold", "Bold"],
  ["italic", "Italic"],
  ["underline", "Underline"],
  ["strikethrough", "Strikethrough"],
] as const satisfies readonly (readonly [attribute: string, name: Message])[];

const COLORS = [
  ["textColor", "Text colour", "#8f1d1d"],
  ["fillColor", "Fill colour", "#f4cccc"],
] as const satisfies readonly (readonly [attribute: string, name: Message, defaultColor: string])[];

function isEqual(one: RuleFormat, other: RuleFormat): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => (one[name] ?? null) === (other[name] ?? null));
}

/** The format of a rule. */
export function RuleStyle(props: { readonly format: RuleFormat; readonly onChange: (format: RuleFormat) => void }) {
  const preset = () => STYLE_PRESETS.findIndex(([, format]) => isEqual(format, props.format));
  const [isCustom, setIsCustom] = createSignal(preset() < 0);
  const showsCustom = () => isCustom() || preset() < 0;
  const set = (attribute: string, value: string | true | undefined): void => {
    const { [attribute]: _before, ...others } = props.format;
    props.onChange(value === undefined ? others : { ...others, [attribute]: value });
  };
  const choose = (index: number): void => {
    setIsCustom(index >= STYLE_PRESETS.length);
    const format = STYLE_PRESETS[index]?.[1];
    if (format) {
      props.onChange(format);
    }
  };
  return (
    <>
      <div class="rule-format">
        <label class="form-label">
          {t("Format")}
          <select class="field" onChange={(event) => choose(event.currentTarget.selectedIndex)}>
            <For each={STYLE_PRESETS}>{([name], index) => <option selected={!showsCustom() && preset() === index()}>{t(name)}</option>}</For>
            <option selected={showsCustom()}>{t("Custom")}</option>
          </select>
        </label>
        <Sample format={props.format} />
      </div>
      <Show when={showsCustom()}>
        <div class="rule-custom" role="group" aria-label={t("Format")}>
          <div class="rule-styles">
            <For each={STYLES}>
              {([attribute, name]) => (
                <button
                  type="button"
                  class="tool"
                  aria-label={t(name)}
                  title={t(name)}
                  aria-pressed={props.format[attribute] === true}
                  onClick={() => set(attribute, props.format[attribute] === true ? undefined : true)}
                >
                  <Icon name={attribute} />
                </button>
              )}
            </For>
          </div>
          <For each={COLORS}>
            {([attribute, name, defaultColor]) => {
              const color = () => props.format[attribute];
              return (
                <span class="rule-color">
                  <label class="check">
                    <input type="checkbox" checked={typeof color() === "string"} onChange={(event) => set(attribute, event.currentTarget.checked ? defaultColor : undefined)} />
                    {t(name)}
                  </label>
                  <ColorField label={t(name)} value={textOrDefault(color(), defaultColor)} onChange={(chosen) => set(attribute, chosen)} />
                </span>
              );
            }}
          </For>
        </div>
      </Show>
    </>
  );
}

const textOrDefault = (value: unknown, other: string): string => (typeof value === "string" ? value : other);

/** A field for a color. */
export function ColorField(props: { readonly label: string; readonly value: string; readonly onChange: (color: string) => void }) {
  return <input type="color" class="field is-color" aria-label={props.label} value={props.value} onInput={(event) => props.onChange(event.currentTarget.value)} />;
}

/** A sample cell with the format of a rule. */
export function Sample(props: { readonly format: RuleFormat }) {
  let element: HTMLSpanElement | undefined;
  createEffect(() => {
    const { format } = props;
    const { style } = element as HTMLSpanElement;
    style.backgroundColor = textOrDefault(format["fillColor"], "");
    // Text on a fill is black unless it has a color, as in the grid.
    const hasFill = typeof format["fillColor"] === "string";
    const textColor = textOrDefault(format["textColor"], hasFill ? "#16191c" : "");
    style.color = textColor === "" || hasFill ? textColor : onPaper(Number.parseInt(textColor.slice(1), 16), readTheme(), TEXT_CONTRAST);
    style.fontWeight = format["bold"] === true ? "700" : "";
    style.fontStyle = format["italic"] === true ? "italic" : "";
    const decorations = [format["underline"] === true ? "underline" : "", format["strikethrough"] === true ? "line-through" : ""];
    style.textDecoration = decorations.join(" ").trim();
  });
  return (
    <span class="rule-sample" aria-hidden="true" ref={element}>
      123
    </span>
  );
}
