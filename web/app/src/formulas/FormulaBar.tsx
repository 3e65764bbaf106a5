/** Name box and formula bar. The bar and the field over the cell are two views of one edit. */

import { bindingFor, isFormula } from "@quadrille/editor";
import { columnCount, currentRange, rowCount } from "@quadrille/grid";
import { createEffect, createMemo, createSignal, onCleanup, Show } from "solid-js";
import { Icon } from "../components/index.ts";
import { isApple } from "../keyboard/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";
import { parseReference } from "../references/index.ts";
import { t } from "../language/index.ts";
import { laterParts, withLaterParts } from "../workbook/index.ts";

/** Upper bound of the width of a letter. */
const LETTER_PX_MAX = 24;

/** Letters of a formula that needs no lines. */
const SHORT_FORMULA_MAX = 40;

/** Part of the window that a long formula may fill. */
const BAR_PART_MAX = 0.4;

/** The row with name box and formula bar. */
export function FormulaBar(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  let field!: HTMLTextAreaElement;
  let highlight: HTMLElement | undefined;
  let isComposing = false;
  // The browser displays text during composition.
  const [composing, setComposing] = createSignal(false);
  const isEditing = createMemo(() => model.cellEdit.edit() !== undefined);
  const isLongFormula = createMemo(() => {
    const text = model.cellEdit.edit()?.text ?? "";
    return text.startsWith("=") && text.length > SHORT_FORMULA_MAX;
  });
  const hasHighlight = createMemo(() => !composing() && laterParts() !== undefined && model.cellEdit.hasHighlight());

  createEffect(() => {
    const text = model.cellEdit.barText();
    if (!isComposing && field.value !== text) {
      field.value = text;
    }
    grow();
  });

  // Remembered, as measuring forces a layout and happens on every key.
  let widthPx = 0;
  const controller = new AbortController();
  onCleanup(() => controller.abort());
  window.addEventListener("resize", () => (widthPx = 0), { signal: controller.signal });

  /** Grows the bar to a few lines during an edit. */
  function grow(): void {
    field.style.height = "";
    const { value } = field;
    const canWrap = value.includes("\n") || value.length * LETTER_PX_MAX > (widthPx ||= field.clientWidth);
    if (model.cellEdit.edit() && canWrap && field.scrollHeight > field.clientHeight + 2) {
      field.style.height = `${Math.min(field.scrollHeight + 2, Math.max(120, innerHeight * BAR_PART_MAX))}px`;
    }
    if (highlight) {
      highlight.style.height = field.style.height;
    }
  }

  return (
    <div class="formula-bar" classList={{ "is-waiting": !model.status().isReady, "is-empty": model.sheet() === undefined }}>
      <NameBox model={model} />
      {/* Both stay in the DOM, as every edit toggles them twice. */}
      <span class="formula-icon" aria-hidden="true" hidden={isEditing()}>
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
      <div class="formula-container">
      <Show when={laterParts()} keyed>
        {({ FormulaHighlight }) => (
          <FormulaHighlight
            model={model}
            surface="bar"
            isVisible={hasHighlight()}
            ref={(element) => {
              highlight = element;
            }}
          />
        )}
      </Show>
      <textarea
        ref={(element) => {
          field = element;
          model.cellEdit.attach("bar", element);
        }}
        class="formula-field"
        // Formulas read from left to right in every language.
        dir={model.cellEdit.barText().startsWith("=") ? "ltr" : "auto"}
        classList={{ "is-editing": isEditing(), "is-formula": isFormula(model.cellEdit.edit()?.text ?? ""), "has-highlight": hasHighlight() }}
        rows={1}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        aria-label={t("Formula bar")}
        readOnly={!model.suggestions.canEnter()}
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
          if (binding && model.keys.run(binding.action, event.key)) {
            event.preventDefault();
          }
        }}
      />
      </div>
      <button
        type="button"
        class="tool is-small formula-lines"
        hidden={!isLongFormula()}
        aria-label={t("Break formula into lines")}
        title={t("Break formula into lines")}
        // The caret stays where it is.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => withLaterParts(model, ({ toggleLines }) => toggleLines(model))}
      >
        <Icon name="wrap" />
      </button>
    </div>
  );
}

/** Starts an edit in the bar; the caret stays where the press put it. */
function startInBar(model: WorkbookModel, field: HTMLTextAreaElement): void {
  model.cellEdit.startInBar(field.value);
}

function NameBox(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [isInvalid, setIsInvalid] = createSignal(false);
  let field!: HTMLInputElement;
  let isEditing = false;
  const selectionName = () => {
    const selection = model.selection();
    const range = currentRange(selection);
    const isSingle = rowCount(range) === 1 && columnCount(range) === 1;
    return isSingle ? notation().cell(selection.active) : notation().range(range);
  };
  // The selection may change while a reference is being typed.
  createEffect(() => {
    const name = selectionName();
    if (!isEditing) {
      field.value = name;
    }
  });
  /** Goes to a cell or range, optionally on another sheet, or to a defined name. */
  const goTo = async (text: string): Promise<void> => {
    const { sheets } = model;
    const isName = (name: string) => name.toLowerCase() === text.trim().toLowerCase();
    const reference =
      parseReference(text, sheets(), (cells) => notation().parse(cells, model.selection().active)) ??
      parseReference((await model.session.query({ type: "names" })).find(({ name }) => isName(name))?.definition ?? "", sheets());
    setIsInvalid(reference === undefined);
    if (reference) {
      model.goToReference(reference);
    }
  };
  return (
    <input
      ref={field}
      class="name-box"
      dir="ltr"
      classList={{ "is-invalid": isInvalid() }}
      aria-label={t("Name box. Enter a cell, range or name to go to it.")}
      aria-invalid={isInvalid()}
      spellcheck={false}
      autocomplete="off"
      onFocus={(event) => event.currentTarget.select()}
      onInput={() => {
        isEditing = true;
        setIsInvalid(false);
      }}
      onBlur={() => {
        isEditing = false;
        setIsInvalid(false);
        field.value = selectionName();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") {
          // The cells get the focus and must not handle this key.
          event.preventDefault();
          isEditing = false;
          const text = field.value;
          // What was typed before belongs to the cell that was selected then.
          model.keys.enqueue(() => void goTo(text));
        } else if (event.key === "Escape") {
          isEditing = false;
          field.value = selectionName();
          model.focusCells();
        }
      }}
    />
  );
}
