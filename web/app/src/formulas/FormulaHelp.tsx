/** Under the field that a formula is typed into: functions that begin so, or the arguments of the one being filled in. */

import { callAt, completions, namePart } from "@quadrille/editor";
import { createEffect, createMemo, createSignal, For, Show } from "solid-js";
import type { WorkbookModel } from "../state/index.ts";
import { type KnownFunction, language, type Language, t } from "../language/index.ts";
import { listSeparator } from "../settings/index.ts";
import { FunctionSignature } from "./FunctionSignature.tsx";

const SHOWN_MAX = 8;
/** Between the field and the list. */
const GAP_PX = 4;

export function FormulaHelp(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [functions, setFunctions] = createSignal<readonly KnownFunction[]>([]);
  const [chosen, setChosen] = createSignal(0);
  let element: HTMLDivElement | undefined;

  const isFormula = createMemo(() => model.cellEdit.edit()?.text.startsWith("=") ?? false);
  const separator = createMemo(() => listSeparator(language(), navigator.languages));
  let asked: Language | undefined;
  createEffect(() => {
    const wanted = language();
    if (isFormula() && asked !== wanted) {
      asked = wanted;
      import("../language/functions.ts")
        .then(({ functionHelp }) => functionHelp(wanted))
        .then(
          (found) => asked === wanted && setFunctions(found),
          // Without a network, before it was ever there: formulas are typed without it, and the next one asks again.
          () => (asked = undefined),
        );
    }
  });

  // The browser tells of the caret later than of the key, and of a caret that has not moved as well: neither may
  // take the choice in the list back.
  const at = createMemo(
    () => {
      const edit = model.cellEdit.edit();
      model.cellEdit.caretMoved();
      const field = edit && model.cellEdit.field(edit.surface);
      return edit && field && isFormula() && !edit.pointed ? { text: edit.text, caret: field.selectionStart } : undefined;
    },
    undefined,
    { equals: (before, now) => before?.text === now?.text && before?.caret === now?.caret },
  );
  const part = createMemo(() => {
    const found = at();
    return found && namePart(found.text, found.caret);
  });
  const offered = createMemo(() => {
    const typed = part();
    const found = typed ? completions(functions(), typed.text, SHOWN_MAX) : [];
    setChosen(0);
    return found;
  });
  const call = createMemo(() => {
    const found = at();
    const name = found && callAt(found.text, found.caret, separator());
    const known = name && functions().find((candidate) => candidate.name === name.name);
    return name && known && offered().length === 0 ? { known, argument: name.argument } : undefined;
  });

  const accept = (known: KnownFunction): void => {
    const typed = part();
    if (typed) {
      model.cellEdit.complete(typed.start, `${known.name}(`);
    }
  };
  // Keys that belong to the list while it shows.
  model.cellEdit.setHelpKeys((key) => {
    const list = offered();
    const known = list[chosen()];
    if (known === undefined) {
      return false;
    }
    switch (key) {
      case "ArrowDown":
        setChosen((chosen() + 1) % list.length);
        return true;
      case "ArrowUp":
        setChosen((chosen() + list.length - 1) % list.length);
        return true;
      case "Tab":
        accept(known);
        return true;
      default:
        return false;
    }
  });

  /** Below the field that is typed into, or above it near the page's end. */
  createEffect(() => {
    const edit = model.cellEdit.edit();
    const field = edit && model.cellEdit.field(edit.surface);
    offered();
    call();
    model.layout();
    queueMicrotask(() => {
      if (field && element) {
        const bounds = field.getBoundingClientRect();
        const below = bounds.bottom + GAP_PX;
        const { offsetHeight, offsetWidth } = element;
        const top = below + offsetHeight > window.innerHeight ? bounds.top - offsetHeight - GAP_PX : below;
        const left = Math.min(bounds.left, window.innerWidth - offsetWidth - GAP_PX);
        element.style.transform = `translate(${Math.round(Math.max(0, left))}px, ${Math.round(top)}px)`;
      }
    });
  });

  return (
    <Show when={offered().length > 0 || call()}>
      <aside class="formula-help" aria-label={t("Help with the formula")} ref={element} onMouseDown={(event) => event.preventDefault()}>
        <Show when={call()}>
          {(found) => (
            <div class="formula-call">
              <FunctionSignature known={found().known} separator={separator()} argument={found().argument} />
              <p dir="auto">{found().known.summary}</p>
            </div>
          )}
        </Show>
        <ul role="listbox" aria-label={t("Functions")}>
          <For each={offered()}>
            {(known, index) => (
              <li
                role="option"
                aria-selected={chosen() === index()}
                // Not “enter”, which also comes when the list opens under a mouse that rests.
                onPointerMove={() => setChosen(index())}
                onClick={() => accept(known)}
              >
                <code>{known.name}</code>
                <Show when={chosen() === index()}>
                  <span dir="auto">{known.summary}</span>
                </Show>
              </li>
            )}
          </For>
        </ul>
      </aside>
    </Show>
  );
}
