/**
 * Syntax highlighting of a formula, or the fonts of the parts of a text, behind a text field with
 * transparent text. Caret, selection, input methods and undo stay those of the field.
 */

import { bracketsAt, type FontChange, isFormula, type TextRun, tokens } from "@quadrille/editor";
import { createMemo, Index, type JSX, onCleanup, onMount } from "solid-js";
import { type EditSurface, REFERENCE_COLOURS } from "../editing/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";

interface Span {
  readonly text: string;
  readonly kind: string;
  readonly css: JSX.CSSProperties;
}

/** The highlighting of one field. Its nodes are kept between edits and reused. */
export function FormulaHighlight(props: {
  readonly model: WorkbookModel;
  readonly surface: EditSurface;
  readonly isVisible: boolean;
  readonly ref: (element: HTMLElement) => void;
}) {
  const { model } = props;
  const spans = createMemo((before: readonly Span[]): readonly Span[] => {
    if (!props.isVisible) {
      return before;
    }
    const text = model.cellEdit.edit()?.text ?? "";
    if (!isFormula(text)) {
      return partsOf(text, model.cellEdit.edit()?.runs ?? []);
    }
    model.cellEdit.caretMoved();
    const caret = model.cellEdit.field(props.surface)?.selectionStart ?? 0;
    const brackets = bracketsAt(text, caret, notation());
    const colours = new Map(model.cellEdit.references().map(({ start, colour }) => [start, colour]));
    return tokens(text, notation()).map(({ kind, start, end }) => ({
      text: text.slice(start, end),
      kind: kind === "bracket" && brackets.includes(start) ? (brackets.length === 2 ? "bracket is-matched" : "bracket is-alone") : kind,
      css: { color: referenceColor(colours.get(start)) },
    }));
  }, []);
  let layer!: HTMLDivElement;
  const syncScroll = (): void => {
    const field = model.cellEdit.field(props.surface);
    if (field) {
      layer.scrollTop = field.scrollTop;
      layer.scrollLeft = field.scrollLeft;
    }
  };
  // The field is rendered after this component.
  onMount(() => {
    const field = model.cellEdit.field(props.surface);
    field?.addEventListener("scroll", syncScroll);
    onCleanup(() => field?.removeEventListener("scroll", syncScroll));
  });
  return (
    <div
      class={`formula-highlight ${props.surface === "cell" ? "cell-highlight" : "bar-highlight"}`}
      aria-hidden="true"
      hidden={!props.isVisible}
      classList={{ "is-text": !isFormula(model.cellEdit.edit()?.text ?? "") }}
      dir={isFormula(model.cellEdit.edit()?.text ?? "") ? "ltr" : props.surface === "bar" ? "auto" : undefined}
      ref={(element) => {
        layer = element;
        props.ref(element);
      }}
    >
      <Index each={spans()}>
        {(span) => (
          <span class={`token-${span().kind}`} style={span().css}>
            {span().text}
          </span>
        )}
      </Index>
    </div>
  );
}

/** The parts of a text. Italic parts are divided into words, because each word is slanted on its own. */
function partsOf(text: string, runs: readonly TextRun[]): readonly Span[] {
  let start = 0;
  return runs.flatMap(({ length, font }) => {
    start += length;
    const part = text.slice(start - length, start);
    const pieces = font.italic ? part.split(/(\s+)/).filter((piece) => piece !== "") : [part];
    return pieces.map((piece) => ({ text: piece, kind: font.italic && piece.trim() !== "" ? "part is-italic" : "part", css: cssOf(font) }));
  });
}

/**
 * A font as CSS that changes no width, so that every letter stays where the field has it: bold letters have
 * a stroke, italic ones are slanted; sizes and font families are drawn after the edit.
 */
function cssOf({ bold, underline, underlineStyle, strikethrough, script, textColor }: FontChange): JSX.CSSProperties {
  const lines = [underline && "underline", strikethrough && "line-through"].filter(Boolean).join(" ");
  return {
    color: textColor ?? undefined,
    "-webkit-text-stroke": bold ? "0.04em currentColor" : undefined,
    "text-decoration": lines === "" ? undefined : lines,
    "text-decoration-style": underline && underlineStyle === "double" ? "double" : undefined,
    position: script ? "relative" : undefined,
    top: script ? (script === "superscript" ? "-0.2em" : "0.2em") : undefined,
  };
}

function referenceColor(colour: number | undefined): string | undefined {
  return colour === undefined
    ? undefined
    : `var(--reference-${colour}, #${(REFERENCE_COLOURS[colour] ?? 0).toString(16).padStart(6, "0")})`;
}
