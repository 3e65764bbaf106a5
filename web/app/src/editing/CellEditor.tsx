/**
 * The text field over the active cell. It always has the focus, so that no first key of an entry is
 * lost, including one composed by an input method; outside of an edit it is transparent and empty.
 */

import { bindingFor } from "@quadrille/editor";
import { type Box } from "@quadrille/grid";
import { isFormula } from "@quadrille/editor";
import { createEffect, createMemo, createSignal, Show } from "solid-js";
import { isApple } from "../keyboard/index.ts";
import { isDashboard, selectByKeyboard } from "../presentation/index.ts";
import { laterParts } from "../workbook/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";

interface FieldLayout {
  readonly box: Box;
  readonly cells: Box;
  readonly isVisible: boolean;
  readonly text: string;
  readonly zoom: number;
}

/** Extra width, so that the field does not grow with each letter. */
const WIDTH_EXTRA_PX = 24;
/**
 * Minimum width of a longer text at the edge of the view, where the field covers preceding cells.
 */
const EDGE_WIDTH_PX = 240;
const OUT_OF_SIGHT_PX = 60;

/** The editor of the active cell. */
export function CellEditor(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  let field!: HTMLTextAreaElement;
  let highlight: HTMLElement | undefined;
  let isComposing = false;
  let layout: FieldLayout | undefined;
  /** Height of one line of text, by zoom. */
  const lineHeightPx = new Map<number, number>();
  // The browser displays text during composition.
  const [composing, setComposing] = createSignal(false);

  const cell = createMemo(() => model.cellEdit.edit()?.cell ?? model.selection().active);
  // A formula that refers to another sheet is edited in the formula bar there.
  const isEditing = createMemo(() => model.cellEdit.edit()?.sheet === model.sheet() && model.cellEdit.edit() !== undefined);
  const hasHighlight = createMemo(() => isEditing() && laterParts() !== undefined && model.cellEdit.hasHighlight() && !composing());

  createEffect(() => {
    const text = model.cellEdit.edit()?.text ?? "";
    // Setting the value would end the composition.
    if (!isComposing && field.value !== text) {
      field.value = text;
    }
    updateLayout();
  });
  createEffect(() => {
    model.layout();
    updateLayout();
  });

  /**
   * Positions the field: as large as its text, at least as large as the cell, within the visible
   * cells.
   */
  function updateLayout(): void {
    const boxes = model.cellBox(cell());
    if (!boxes) {
      return;
    }
    const { box, cells } = boxes;
    const isVisible = isEditing();
    const current: FieldLayout = { box, cells, isVisible, text: field.value, zoom: model.zoom() };
    if (layout && isSame(layout, current)) {
      return;
    }
    layout = current;
    const textWidth = isVisible ? (model.grid?.fitting.widthNeededPx(field.value.split("\n")) ?? 0) * current.zoom + WIDTH_EXTRA_PX : 0;
    const end = cells.x + cells.width;
    // Outside of the visible area the field is narrow, so that it covers little.
    const widthMin = box.x < end ? Math.min(cells.width, textWidth, EDGE_WIDTH_PX) : OUT_OF_SIGHT_PX;
    const x = isVisible ? Math.max(cells.x, Math.min(box.x, end - widthMin)) : box.x;
    const y = isVisible ? Math.min(Math.max(box.y, cells.y), cells.y + cells.height - 24) : box.y;
    const { style } = field;
    style.setProperty("--zoom", String(model.zoom()));
    style.transform = `translate(${Math.round(x) - 1}px, ${Math.round(y) - 1}px)`;
    if (!isVisible) {
      style.width = `${box.width + 1}px`;
      style.height = `${box.height + 1}px`;
      return;
    }
    const widthMax = end - x;
    style.width = `${Math.min(widthMax, Math.max(box.width + 1, textWidth))}px`;
    // Only ASCII text has the known line height; fonts of other scripts may have higher lines.
    const isOneLine = textWidth <= widthMax && /^[ -~]*$/.test(current.text);
    const textHeight = isOneLine ? (lineHeightPx.get(current.zoom) ?? measureHeight(current.zoom)) : measureHeight(undefined);
    style.height = `${Math.min(cells.y + cells.height - y, Math.max(box.height + 1, textHeight))}px`;
    alignHighlight();
  }

  /** Height of the text. Measuring forces a layout, so the height of one line is remembered. */
  function measureHeight(zoomOfSingleLine: number | undefined): number {
    field.style.height = "0";
    const height = field.scrollHeight + 2;
    if (zoomOfSingleLine !== undefined) {
      lineHeightPx.set(zoomOfSingleLine, height);
    }
    return height;
  }

  function handleInput(text: string): void {
    if (!model.findModel.awaitsField()) {
      model.cellEdit.handleInput(text, "cell");
    } else if (!isComposing) {
      model.findModel.typeBeforeLoaded(text);
      field.value = "";
    }
  }

  /** Handles a key while a dialog or the search is being loaded: it must not change cells. */
  function handleKeyWhileLoading(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      model.closeDialogAndFind();
    }
    const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!(isText && model.findModel.awaitsField())) {
      event.preventDefault();
    }
  }

  /** Aligns the highlighting with the field. */
  function alignHighlight(): void {
    if (highlight) {
      const { width, height, transform } = field.style;
      Object.assign(highlight.style, { width, height, transform });
      highlight.style.setProperty("--zoom", String(model.zoom()));
    }
  }

  return (
    <>
      <Show when={laterParts()} keyed>
        {({ FormulaHighlight }) => (
          <FormulaHighlight
            model={model}
            surface="cell"
            isVisible={hasHighlight()}
            ref={(element) => {
              highlight = element;
              // It appears during an edit if the later parts are loaded then.
              queueMicrotask(alignHighlight);
            }}
          />
        )}
      </Show>
      <textarea
      ref={(element) => {
        field = element;
        model.cellEdit.attach("cell", element);
        element.addEventListener("focus", () => model.grid?.setFocused(true));
        element.addEventListener("blur", () => model.grid?.setFocused(false));
      }}
      class="cell-field grid-overlay"
      classList={{ "is-editing": isEditing(), "is-formula": isFormula(model.cellEdit.edit()?.text ?? ""), "has-highlight": hasHighlight() }}
      rows={1}
      spellcheck={false}
      autocomplete="off"
      autocapitalize="off"
      wrap={isEditing() ? "soft" : "off"}
      role="textbox"
      aria-multiline="true"
      aria-label={`${notation().cell(cell())} ${model.cellEdit.barText()}`}
      aria-activedescendant={isEditing() ? undefined : model.ariaNodeId(model.selection().active)}
      readOnly={!model.suggestions.canEnter() || model.dialog() !== undefined}
      onBeforeInput={(event) => {
        if (!isComposing && event.inputType === "insertText" && model.keys.queueText(event.data)) {
          event.preventDefault();
        }
      }}
      onInput={(event) => {
        handleInput(event.currentTarget.value);
        updateLayout();
      }}
      onCompositionStart={() => {
        isComposing = true;
        model.cellEdit.isComposing = true;
        setComposing(true);
        if (!model.cellEdit.edit() && !model.findModel.awaitsField()) {
          model.cellEdit.startWith("");
        }
      }}
      onCompositionEnd={(event) => {
        isComposing = false;
        model.cellEdit.isComposing = false;
        setComposing(false);
        handleInput(event.currentTarget.value);
      }}
      onFocus={() => model.cellEdit.focused("cell")}
      onKeyDown={(event) => {
        // 229: an input method handles the key.
        if (event.isComposing || event.keyCode === 229) {
          return;
        }
        if (model.isLoadingDialog()) {
          handleKeyWhileLoading(event);
          return;
        }
        if (model.cellEdit.handleHelpKey(event.key)) {
          event.preventDefault();
          return;
        }
        selectByKeyboard(true);
        const binding = bindingFor(event, isApple);
        const isPlain = event.getModifierState("AltGraph") || (!event.ctrlKey && !event.metaKey && !event.altKey);
        if (binding ? model.keys.run(binding.action, event.key) : isPlain && model.keys.queueLetter(event.key)) {
          event.preventDefault();
        } else if (!model.suggestions.canEnter() && event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
          // Shows the reason.
          model.suggestions.checkCanEnter();
        }
      }}
      onCopy={(event) => model.clipboard.copy(event, false)}
      onCut={(event) => model.clipboard.copy(event, !isDashboard(model))}
      onPaste={(event) => (isDashboard(model) && !model.suggestions.checkCanEnter() ? event.preventDefault() : model.clipboard.paste(event))}
      />
    </>
  );
}

function isSame(a: FieldLayout, b: FieldLayout): boolean {
  const isSameBox = (one: Box, other: Box): boolean =>
    one.x === other.x && one.y === other.y && one.width === other.width && one.height === other.height;
  return a.text === b.text && a.isVisible === b.isVisible && a.zoom === b.zoom && isSameBox(a.box, b.box) && isSameBox(a.cells, b.cells);
}
