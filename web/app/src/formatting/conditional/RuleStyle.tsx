/** What a rule makes of a cell's look: one of those that people use, or one of one's own. */

import { onPaper, TEXT_CONTRAST } from "@quadrille/grid";
import { createEffect, createSignal, For, Show } from "solid-js";
import { type Message, t } from "../../language/index.ts";
import { Icon } from "../../components/index.ts";
import { readTheme } from "../../theme/index.ts";
import type { RuleFormat } from "./rule-draft.ts";

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
] as const satisfies readonly (readonly [attribute: string, name: Message, usual: string])[];

function isEqual(one: RuleFormat, other: RuleFormat): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => (one[name] ?? null) === (other[name] ?? null));
}

export function RuleStyle(props: { readonly format: RuleFormat; readonly onChange: (format: RuleFormat) => void }) {
  const known = () => STYLE_PRESETS.findIndex(([, format]) => isEqual(format, props.format));
  const [isOwn, setIsOwn] = createSignal(known() < 0);
  const isShown = () => isOwn() || known() < 0;
  const set = (attribute: string, value: string | true | undefined): void => {
    const { [attribute]: _before, ...others } = props.format;
    props.onChange(value === undefined ? others : { ...others, [attribute]: value });
  };
  const choose = (at: number): void => {
    setIsOwn(at >= STYLE_PRESETS.length);
    const format = STYLE_PRESETS[at]?.[1];
    if (format) {
      props.onChange(format);
    }
  };
  return (
    <>
      <div class="rule-look">
        <label class="form-line">
          {t("Format")}
          <select class="field" onChange={(event) => choose(event.currentTarget.selectedIndex)}>
            <For each={STYLE_PRESETS}>{([name], at) => <option selected={!isShown() && known() === at()}>{t(name)}</option>}</For>
            <option selected={isShown()}>{t("Custom")}</option>
          </select>
        </label>
        <Sample format={props.format} />
      </div>
      <Show when={isShown()}>
        <div class="rule-own" role="group" aria-label={t("Format")}>
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
            {([attribute, name, usual]) => {
              const color = () => props.format[attribute];
              return (
                <span class="rule-color">
                  <label class="check">
                    <input type="checkbox" checked={typeof color() === "string"} onChange={(event) => set(attribute, event.currentTarget.checked ? usual : undefined)} />
                    {t(name)}
                  </label>
                  <ColorField label={t(name)} value={textOr(color(), usual)} onChange={(chosen) => set(attribute, chosen)} />
                </span>
              );
            }}
          </For>
        </div>
      </Show>
    </>
  );
}

const textOr = (value: unknown, other: string): string => (typeof value === "string" ? value : other);

export function ColorField(props: { readonly label: string; readonly value: string; readonly onChange: (color: string) => void }) {
  return <input type="color" class="field is-color" aria-label={props.label} value={props.value} onInput={(event) => props.onChange(event.currentTarget.value)} />;
}

/** How a cell looks that meets the rule. */
export function Sample(props: { readonly format: RuleFormat }) {
  let element: HTMLSpanElement | undefined;
  createEffect(() => {
    const { format } = props;
    const { style } = element as HTMLSpanElement;
    style.backgroundColor = textOr(format["fillColor"], "");
    // On a fill, ink that is not chosen is black, as on paper.
    const hasFill = typeof format["fillColor"] === "string";
    const ink = textOr(format["textColor"], hasFill ? "#16191c" : "");
    style.color = ink === "" || hasFill ? ink : onPaper(Number.parseInt(ink.slice(1), 16), readTheme(), TEXT_CONTRAST);
    style.fontWeight = format["bold"] === true ? "700" : "";
    style.fontStyle = format["italic"] === true ? "italic" : "";
    const lines = [format["underline"] === true ? "underline" : "", format["strikethrough"] === true ? "line-through" : ""];
    style.textDecoration = lines.join(" ").trim();
  });
  return (
    <span class="rule-sample" aria-hidden="true" ref={element}>
      123
    </span>
  );
}
