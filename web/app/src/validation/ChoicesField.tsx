/** The choices of a list rule with their colours. */

import { createSignal, Index, Show } from "solid-js";
import { t } from "../language/index.ts";
import { ColorPicker, Swatch } from "../formatting/index.ts";
import { Icon } from "../components/index.ts";

/** A choice of a list; `color` is in the notation of CSS. */
export interface Choice {
  readonly text: string;
  readonly color: string | undefined;
}

/** Choices of a list, at most; `CHOICES_MAX` of the engine. */
const CHOICES_MAX = 1_000;

/** Properties of `ChoicesField`. */
export interface ChoicesFieldProps {
  readonly choices: readonly Choice[];
  /** Whether the choices are those of cells: then they have colours, but their texts are fixed. */
  readonly isOfCells: boolean;
  readonly errorText: string | undefined;
  readonly onChange: (choices: readonly Choice[]) => void;
}

/** A list of choices: each has a colour, a text, and buttons to move and to remove it. */
export function ChoicesField(props: ChoicesFieldProps) {
  const [openColor, setOpenColor] = createSignal<number>();
  let list!: HTMLUListElement;
  const focusAt = (selector: string, index: number): void => {
    queueMicrotask(() => list.children[index]?.querySelector<HTMLElement>(selector)?.focus());
  };
  const change = (index: number, part: Partial<Choice>): void => {
    props.onChange(props.choices.map((choice, other) => (other === index ? { ...choice, ...part } : choice)));
  };
  const insert = (index: number, texts: readonly string[]): void => {
    const added = texts.slice(0, CHOICES_MAX - props.choices.length).map((text) => ({ text, color: undefined }));
    setOpenColor(undefined);
    props.onChange(props.choices.toSpliced(index, 0, ...added));
    focusAt("input", index + added.length - 1);
  };
  const remove = (index: number): void => {
    setOpenColor(undefined);
    props.onChange(props.choices.toSpliced(index, 1));
    focusAt("input", Math.max(0, Math.min(index, props.choices.length - 1)));
  };
  const move = (index: number, by: number): void => {
    const [choice] = props.choices.slice(index, index + 1);
    if (choice) {
      setOpenColor(undefined);
      props.onChange(props.choices.toSpliced(index, 1).toSpliced(index + by, 0, choice));
      // The button of the same direction, or the other one at the end of the list.
      const isAtEnd = index + by === 0 || index + by === props.choices.length - 1;
      focusAt((by < 0) === isAtEnd ? "[data-move=down]" : "[data-move=up]", index + by);
    }
  };
  /** Pasting several lines makes several choices. */
  const paste = (event: ClipboardEvent & { readonly currentTarget: HTMLInputElement }, index: number): void => {
    const lines = linesOf(event.clipboardData?.getData("text/plain") ?? "");
    if (lines.length < 2) {
      return;
    }
    event.preventDefault();
    const { value, selectionStart, selectionEnd } = event.currentTarget;
    const [first = "", ...rest] = lines;
    const last = rest.length - 1;
    change(index, { text: value.slice(0, selectionStart ?? 0) + first });
    insert(index + 1, rest.map((line, at) => (at === last ? line + value.slice(selectionEnd ?? value.length) : line)));
  };
  const nameOf = (choice: Choice, index: number): string => choice.text || t("Choice {number}", { number: index + 1 });

  return (
    <div class="choices-field" role="group" aria-label={t("Choices")}>
      <ul class="choice-rows" ref={list}>
        <Index each={props.choices}>
          {(choice, index) => (
            <li>
              <div class="choice-row">
                <button
                  type="button"
                  class="tool is-small choice-color"
                  aria-label={t("Colour of {name}", { name: nameOf(choice(), index) })}
                  title={t("Colour of {name}", { name: nameOf(choice(), index) })}
                  aria-expanded={openColor() === index}
                  onClick={() => setOpenColor(openColor() === index ? undefined : index)}
                >
                  <Show when={choice().color} keyed fallback={<span class="choice-swatch" />}>
                    {(color) => <Swatch class="choice-swatch" color={color} />}
                  </Show>
                </button>
                <input
                  class="field"
                  dir="auto"
                  maxLength={255}
                  readOnly={props.isOfCells}
                  aria-label={t("Choice {number}", { number: index + 1 })}
                  aria-invalid={props.errorText !== undefined && index === 0}
                  value={choice().text}
                  onInput={(event) => change(index, { text: event.currentTarget.value })}
                  onPaste={(event) => paste(event, index)}
                  onKeyDown={(event) => {
                    if (event.key === "Enter" && !event.isComposing && !props.isOfCells) {
                      event.preventDefault();
                      insert(index + 1, [""]);
                    }
                  }}
                />
                <Show when={!props.isOfCells}>
                  <button type="button" class="tool is-small is-up" data-move="up" disabled={index === 0} aria-label={t("Move {name} up", { name: nameOf(choice(), index) })} onClick={() => move(index, -1)}>
                    <Icon name="chevron" />
                  </button>
                  <button
                    type="button"
                    class="tool is-small"
                    data-move="down"
                    disabled={index === props.choices.length - 1}
                    aria-label={t("Move {name} down", { name: nameOf(choice(), index) })}
                    onClick={() => move(index, 1)}
                  >
                    <Icon name="chevron" />
                  </button>
                  <button type="button" class="tool is-small" aria-label={t("Remove {name}", { name: nameOf(choice(), index) })} onClick={() => remove(index)}>
                    <Icon name="trash" />
                  </button>
                </Show>
              </div>
              <Show when={openColor() === index}>
                <div class="colors is-in-dialog choice-palette">
                  <ColorPicker
                    color={choice().color}
                    noneLabel={t("No colour")}
                    onPick={(color) => {
                      setOpenColor(undefined);
                      change(index, { color: color ?? undefined });
                      focusAt(".choice-color", index);
                    }}
                  />
                </div>
              </Show>
            </li>
          )}
        </Index>
      </ul>
      <Show when={props.errorText}>
        <p class="form-error" role="alert">
          {props.errorText}
        </p>
      </Show>
      <Show when={!props.isOfCells}>
        <button type="button" class="button is-quiet" disabled={props.choices.length >= CHOICES_MAX} onClick={() => insert(props.choices.length, [""])}>
          <Icon name="plus" />
          {t("Add choice")}
        </button>
      </Show>
    </div>
  );
}

/** The lines of a text that are not blank. */
function linesOf(text: string): readonly string[] {
  return text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== "");
}
