/**
 * The text field over the active cell. It always has the focus, so that the first key of a word, also one composed
 * by an input method, is never lost; while nothing is being typed it is transparent and empty.
 */

import { bindingFor } from "@quadrille/editor";
import { type Box } from "@quadrille/grid";
import { isFormula } from "@quadrille/editor";
import { createEffect, createMemo, createSignal } from "solid-js";
import { FormulaHighlight } from "../formulas/index.ts";
import { isApple } from "../keyboard/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";

interface Placed {
  readonly box: Box;
  readonly cells: Box;
  readonly isShown: boolean;
  readonly text: string;
  readonly zoom: number;
}

/** Room for the next letters, so that the field does not grow with each. */
const WIDTH_EXTRA_PX = 24;
/** At the edge of the screen a longer text has this much nevertheless, and covers cells before its own. */
const EDGE_WIDTH_PX = 240;
const OUT_OF_SIGHT_PX = 60;

export function CellEditor(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  let field!: HTMLTextAreaElement;
  let ink: HTMLElement | undefined;
  let isComposing = false;
  let placed: Placed | undefined;
  /** What a text of one line needs, by the zoom. */
  const lineHeightPx = new Map<number, number>();
  // Letters that are being composed are the browser's to show.
  const [composing, setComposing] = createSignal(false);

  const cell = createMemo(() => model.cellEdit.edit()?.cell ?? model.selection().active);
  // A formula that is pointed into another sheet goes on in the bar.
  const isEditing = createMemo(() => model.cellEdit.edit()?.sheet === model.sheet() && model.cellEdit.edit() !== undefined);
  const hasInk = createMemo(() => isEditing() && isFormula(model.cellEdit.edit()?.text ?? "") && !composing());

  createEffect(() => {
    const text = model.cellEdit.edit()?.text ?? "";
    // Writing into the field during composition would end it.
    if (!isComposing && field.value !== text) {
      field.value = text;
    }
    place();
  });
  createEffect(() => {
    model.layout();
    place();
  });

  /** As large as its text, at least as the cell, and within the sheet's part of the page. */
  function place(): void {
    const found = model.cellBox(cell());
    if (!found) {
      return;
    }
    const { box, cells } = found;
    const isShown = isEditing();
    const now: Placed = { box, cells, isShown, text: field.value, zoom: model.zoom() };
    if (placed && isSame(placed, now)) {
      return;
    }
    placed = now;
    const textWidth = isShown ? (model.grid?.widthNeededPx(field.value.split("\n")) ?? 0) * now.zoom + WIDTH_EXTRA_PX : 0;
    const end = cells.x + cells.width;
    // Scrolled out of sight it covers little of what is looked at instead.
    const widthMin = box.x < end ? Math.min(cells.width, textWidth, EDGE_WIDTH_PX) : OUT_OF_SIGHT_PX;
    const x = isShown ? Math.max(cells.x, Math.min(box.x, end - widthMin)) : box.x;
    const y = isShown ? Math.min(Math.max(box.y, cells.y), cells.y + cells.height - 24) : box.y;
    const { style } = field;
    style.setProperty("--zoom", String(model.zoom()));
    style.transform = `translate(${Math.round(x) - 1}px, ${Math.round(y) - 1}px)`;
    if (!isShown) {
      style.width = `${box.width + 1}px`;
      style.height = `${box.height + 1}px`;
      return;
    }
    const widthMax = end - x;
    style.width = `${Math.min(widthMax, Math.max(box.width + 1, textWidth))}px`;
    // Letters of other scripts may come from fonts with higher lines.
    const isOneLine = textWidth <= widthMax && /^[ -~]*$/.test(now.text);
    const textHeight = isOneLine ? (lineHeightPx.get(now.zoom) ?? measured(now.zoom)) : measured(undefined);
    style.height = `${Math.min(cells.y + cells.height - y, Math.max(box.height + 1, textHeight))}px`;
    placeInk();
  }

  /** What the text needs. It lays out the page, so that of one line is remembered. */
  function measured(zoomOfLine: number | undefined): number {
    field.style.height = "0";
    const height = field.scrollHeight + 2;
    if (zoomOfLine !== undefined) {
      lineHeightPx.set(zoomOfLine, height);
    }
    return height;
  }

  function typed(text: string): void {
    if (!model.findModel.awaitsField()) {
      model.cellEdit.typed(text, "cell");
    } else if (!isComposing) {
      model.findModel.typeAhead(text);
      field.value = "";
    }
  }

  /** What was asked for is not there yet: keys are meant for it, and must not change cells. */
  function keyAhead(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      model.closeWindows();
    }
    const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!(isText && model.findModel.awaitsField())) {
      event.preventDefault();
    }
  }

  /** Exactly behind the field. */
  function placeInk(): void {
    if (ink) {
      const { width, height, transform } = field.style;
      Object.assign(ink.style, { width, height, transform });
      ink.style.setProperty("--zoom", String(model.zoom()));
    }
  }

  return (
    <>
      <FormulaHighlight
        model={model}
        place="cell"
        isShown={hasInk()}
        ref={(element) => {
          ink = element;
        }}
      />
      <textarea
      ref={(element) => {
        field = element;
        model.cellEdit.attach("cell", element);
        element.addEventListener("focus", () => model.grid?.setFocused(true));
        element.addEventListener("blur", () => model.grid?.setFocused(false));
      }}
      class="cell-field grid-overlay"
      classList={{ "is-editing": isEditing(), "is-formula": isFormula(model.cellEdit.edit()?.text ?? ""), "has-ink": hasInk() }}
      rows={1}
      spellcheck={false}
      autocomplete="off"
      autocapitalize="off"
      wrap={isEditing() ? "soft" : "off"}
      role="textbox"
      aria-multiline="true"
      aria-label={`${notation().cell(cell())} ${model.cellEdit.barText()}`}
      aria-activedescendant={isEditing() ? undefined : model.ariaNodeId(model.selection().active)}
      readOnly={!model.canType() || model.dialog() !== undefined}
      onInput={(event) => {
        typed(event.currentTarget.value);
        place();
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
        typed(event.currentTarget.value);
      }}
      onFocus={() => model.cellEdit.focused("cell")}
      onKeyDown={(event) => {
        // 229: the key belongs to an input method.
        if (event.isComposing || event.keyCode === 229) {
          return;
        }
        if (model.isAwaitingWindow()) {
          keyAhead(event);
          return;
        }
        if (model.cellEdit.helpTakes(event.key)) {
          event.preventDefault();
          return;
        }
        const binding = bindingFor(event, isApple);
        const isPlain = event.getModifierState("AltGraph") || (!event.ctrlKey && !event.metaKey && !event.altKey);
        if (binding ? model.keys.act(binding.action, event.key) : isPlain && model.keys.holds(event.key)) {
          event.preventDefault();
        } else if (!model.canType() && event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
          // Says why.
          model.canChange();
        }
      }}
      onCopy={(event) => model.clipboard.copy(event, false)}
      onCut={(event) => model.clipboard.copy(event, true)}
      onPaste={(event) => model.clipboard.paste(event)}
      />
    </>
  );
}

function isSame(a: Placed, b: Placed): boolean {
  const isSameBox = (one: Box, other: Box): boolean =>
    one.x === other.x && one.y === other.y && one.width === other.width && one.height === other.height;
  return a.text === b.text && a.isShown === b.isShown && a.zoom === b.zoom && isSameBox(a.box, b.box) && isSameBox(a.cells, b.cells);
}
