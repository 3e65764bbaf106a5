/** Name box and formula bar. The bar and the field over the cell are two views of one edit. */

import { bindingFor, isFormula } from "@quadrille/editor";
import { columnCount, currentRange, rowCount } from "@quadrille/grid";
import { createEffect, createMemo, createSignal, onCleanup } from "solid-js";
import { Icon } from "../components/index.ts";
import { FormulaHighlight } from "./FormulaHighlight.tsx";
import { isApple } from "../keyboard/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";
import { positionOf } from "../references/index.ts";
import { t } from "../language/index.ts";

/** No letter of the bar is wider. */
const LETTER_PX_MAX = 24;

export function FormulaBar(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  let field!: HTMLTextAreaElement;
  let ink: HTMLElement | undefined;
  let isComposing = false;
  // Letters that are being composed are the browser's to show.
  const [composing, setComposing] = createSignal(false);
  const isEditing = createMemo(() => model.cellEdit.edit() !== undefined);
  const hasInk = createMemo(() => !composing() && isFormula(model.cellEdit.edit()?.text ?? ""));

  createEffect(() => {
    const text = model.cellEdit.barText();
    if (!isComposing && field.value !== text) {
      field.value = text;
    }
    grow();
  });

  // Asked for once: it lays out the page, and this is done with every key.
  let widthPx = 0;
  const controller = new AbortController();
  onCleanup(() => controller.abort());
  window.addEventListener("resize", () => (widthPx = 0), { signal: controller.signal });

  /** Up to a few lines while it is typed into. */
  function grow(): void {
    field.style.height = "";
    const { value } = field;
    const mayWrap = value.includes("\n") || value.length * LETTER_PX_MAX > (widthPx ||= field.clientWidth);
    if (model.cellEdit.edit() && mayWrap && field.scrollHeight > field.clientHeight + 2) {
      field.style.height = `${Math.min(field.scrollHeight + 2, 120)}px`;
    }
    if (ink) {
      ink.style.height = field.style.height;
    }
  }

  return (
    <div class="formula-bar" classList={{ "is-waiting": !model.status().isReady, "is-empty": model.sheet() === undefined }}>
      <NameBox model={model} />
      {/* One of the two shows; both stay, because every edit changes them twice. */}
      <span class="formula-sign" aria-hidden="true" hidden={isEditing()}>
        fx
      </span>
      <span class="formula-buttons" hidden={!isEditing()}>
        <button type="button" class="tool is-small" aria-label={t("Cancel entry")} onClick={() => model.cellEdit.cancel()}>
          <Icon name="close" />
        </button>
        <button type="button" class="tool is-small" aria-label={t("Complete entry")} onClick={() => model.cellEdit.commit()}>
          <Icon name="check" />
        </button>
      </span>
      <div class="formula-place">
      <FormulaHighlight
        model={model}
        place="bar"
        isShown={hasInk()}
        ref={(element) => {
          ink = element;
        }}
      />
      <textarea
        ref={(element) => {
          field = element;
          model.cellEdit.attach("bar", element);
        }}
        class="formula-field"
        // A formula reads from the left in every language.
        dir={model.cellEdit.barText().startsWith("=") ? "ltr" : "auto"}
        classList={{ "is-editing": isEditing(), "is-formula": isFormula(model.cellEdit.edit()?.text ?? ""), "has-ink": hasInk() }}
        rows={1}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        aria-label={t("Formula bar")}
        readOnly={!model.canType()}
        onFocus={() => {
          if (model.cellEdit.edit()) {
            model.cellEdit.focused("bar");
          }
        }}
        onPointerDown={() => {
          if (!model.cellEdit.edit()) {
            startInBar(model, field);
          }
        }}
        onInput={(event) => {
          if (!model.cellEdit.edit()) {
            startInBar(model, field);
          }
          model.cellEdit.handleInput(event.currentTarget.value, "bar");
        }}
        onCompositionStart={() => {
          isComposing = true;
        model.cellEdit.isComposing = true;
          setComposing(true);
        }}
        onCompositionEnd={(event) => {
          isComposing = false;
        model.cellEdit.isComposing = false;
          setComposing(false);
          model.cellEdit.handleInput(event.currentTarget.value, "bar");
        }}
        onKeyDown={(event) => {
          if (event.isComposing || event.keyCode === 229 || !model.cellEdit.edit()) {
            return;
          }
          if (model.cellEdit.handleHelpKey(event.key)) {
            event.preventDefault();
            return;
          }
          const binding = bindingFor(event, isApple);
          if (binding && model.keys.act(binding.action, event.key)) {
            event.preventDefault();
          }
        }}
      />
      </div>
    </div>
  );
}

/** The caret stays where the press put it. */
function startInBar(model: WorkbookModel, field: HTMLTextAreaElement): void {
  model.cellEdit.startInBar(field.value);
}

function NameBox(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [isWrong, setIsWrong] = createSignal(false);
  let field!: HTMLInputElement;
  let isTyped = false;
  const shown = () => {
    const selection = model.selection();
    const range = currentRange(selection);
    const isSingle = rowCount(range) === 1 && columnCount(range) === 1;
    return isSingle ? notation().cell(selection.active) : notation().range(range);
  };
  // What is selected may change while a place is being typed: by an answer that comes late, or by others' edits.
  createEffect(() => {
    const name = shown();
    if (!isTyped) {
      field.value = name;
    }
  });
  /** A cell, a range, on another sheet if it says so, or a defined name. */
  const goTo = async (text: string): Promise<void> => {
    const { sheets } = model;
    const isName = (name: string) => name.toLowerCase() === text.trim().toLowerCase();
    const place =
      positionOf(text, sheets(), (cells) => notation().parse(cells, model.selection().active)) ??
      positionOf((await model.session.query({ type: "names" })).find(({ name }) => isName(name))?.definition ?? "", sheets());
    setIsWrong(place === undefined);
    if (place) {
      model.goToReference(place);
    }
  };
  return (
    <input
      ref={field}
      class="name-box"
      dir="ltr"
      classList={{ "is-wrong": isWrong() }}
      aria-label={t("Selected cells; type a cell to go there")}
      aria-invalid={isWrong()}
      spellcheck={false}
      autocomplete="off"
      onFocus={(event) => event.currentTarget.select()}
      onInput={() => {
        isTyped = true;
        setIsWrong(false);
      }}
      onBlur={() => {
        isTyped = false;
        setIsWrong(false);
        field.value = shown();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") {
          // The cells get the focus now, and must not get this key as well.
          event.preventDefault();
          isTyped = false;
          void goTo(field.value);
        } else if (event.key === "Escape") {
          isTyped = false;
          field.value = shown();
          model.focusCells();
        }
      }}
    />
  );
}
