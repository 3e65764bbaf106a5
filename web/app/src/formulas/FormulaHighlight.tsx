/**
 * The letters of a formula in colour, behind a text field whose own letters are transparent. The field stays a plain
 * one: caret, selection, input methods and undo are the browser's.
 */

import { bracketsAt, tokens } from "@quadrille/editor";
import { createMemo, Index, onCleanup, onMount } from "solid-js";
import { type EditSurface, REFERENCE_COLOURS } from "../editing/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";

interface Piece {
  readonly text: string;
  readonly kind: string;
  readonly colour: number | undefined;
}

/** Stays between formulas, with its nodes: each letter would need new ones. */
export function FormulaHighlight(props: {
  readonly model: WorkbookModel;
  readonly place: EditSurface;
  readonly isShown: boolean;
  readonly ref: (ink: HTMLElement) => void;
}) {
  const { model } = props;
  const pieces = createMemo((before: readonly Piece[]): readonly Piece[] => {
    if (!props.isShown) {
      return before;
    }
    const text = model.cellEdit.edit()?.text ?? "";
    model.cellEdit.caretMoved();
    const caret = model.cellEdit.field(props.place)?.selectionStart ?? 0;
    const brackets = bracketsAt(text, caret, notation());
    const colours = new Map(model.cellEdit.references().map(({ start, colour }) => [start, colour]));
    return tokens(text, notation()).map(({ kind, start, end }) => ({
      text: text.slice(start, end),
      kind: kind === "bracket" && brackets.includes(start) ? (brackets.length === 2 ? "bracket is-matched" : "bracket is-alone") : kind,
      colour: colours.get(start),
    }));
  }, []);
  let ink!: HTMLDivElement;
  const follow = (): void => {
    const field = model.cellEdit.field(props.place);
    if (field) {
      ink.scrollTop = field.scrollTop;
      ink.scrollLeft = field.scrollLeft;
    }
  };
  // The field comes after this in the page.
  onMount(() => {
    const field = model.cellEdit.field(props.place);
    field?.addEventListener("scroll", follow);
    onCleanup(() => field?.removeEventListener("scroll", follow));
  });
  return (
    <div
      class={`formula-ink ${props.place === "cell" ? "cell-ink" : "bar-ink"}`}
      aria-hidden="true"
      hidden={!props.isShown}
      dir="ltr"
      ref={(element) => {
        ink = element;
        props.ref(element);
      }}
    >
      <Index each={pieces()}>
        {(piece) => (
          <span class={`ink-${piece().kind}`} style={{ color: cssOf(piece().colour) }}>
            {piece().text}
          </span>
        )}
      </Index>
    </div>
  );
}

function cssOf(colour: number | undefined): string | undefined {
  return colour === undefined
    ? undefined
    : `var(--reference-${colour}, #${(REFERENCE_COLOURS[colour] ?? 0).toString(16).padStart(6, "0")})`;
}
