/**
 * Syntax highlighting of a formula, behind a text field with transparent text. Caret, selection,
 * input methods and undo stay those of the field.
 */

import { bracketsAt, tokens } from "@quadrille/editor";
import { createMemo, Index, onCleanup, onMount } from "solid-js";
import { type EditSurface, REFERENCE_COLOURS } from "../editing/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";

interface Span {
  readonly text: string;
  readonly kind: string;
  readonly colour: number | undefined;
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
    model.cellEdit.caretMoved();
    const caret = model.cellEdit.field(props.surface)?.selectionStart ?? 0;
    const brackets = bracketsAt(text, caret, notation());
    const colours = new Map(model.cellEdit.references().map(({ start, colour }) => [start, colour]));
    return tokens(text, notation()).map(({ kind, start, end }) => ({
      text: text.slice(start, end),
      kind: kind === "bracket" && brackets.includes(start) ? (brackets.length === 2 ? "bracket is-matched" : "bracket is-alone") : kind,
      colour: colours.get(start),
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
      dir="ltr"
      ref={(element) => {
        layer = element;
        props.ref(element);
      }}
    >
      <Index each={spans()}>
        {(span) => (
          <span class={`token-${span().kind}`} style={{ color: referenceColor(span().colour) }}>
            {span().text}
          </span>
        )}
      </Index>
    </div>
  );
}

function referenceColor(colour: number | undefined): string | undefined {
  return colour === undefined
    ? undefined
    : `var(--reference-${colour}, #${(REFERENCE_COLOURS[colour] ?? 0).toString(16).padStart(6, "0")})`;
}
