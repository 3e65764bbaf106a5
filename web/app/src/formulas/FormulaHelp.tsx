/**
 * Help below the field with a formula: functions that complete the typed name, or the arguments of
 * the current function.
 */

import { callAt, completions, namePart } from "@quadrille/editor";
import { createEffect, createMemo, createSignal, For, Show } from "solid-js";
import type { WorkbookModel } from "../state/index.ts";
import { type FunctionHelp, language, t } from "../language/index.ts";
import { formulaLanguage, listSeparator } from "../settings/index.ts";
import { FunctionSignature } from "./FunctionSignature.tsx";

const SUGGESTIONS_MAX = 8;
/** Distance between field and list. */
const GAP_PX = 4;

/** Suggestions and argument help for the edited formula. */
export function FormulaHelp(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [builtIn, setBuiltIn] = createSignal<readonly FunctionHelp[]>([]);
  const [named, setNamed] = createSignal<readonly FunctionHelp[]>([]);
  const functions = createMemo(() => [...builtIn(), ...named()]);
  const [chosen, setChosen] = createSignal(0);
  let element: HTMLDivElement | undefined;

  const isFormula = createMemo(() => model.cellEdit.edit()?.text.startsWith("=") ?? false);
  const separator = createMemo(() => listSeparator(language()));
  const helpLanguage = createMemo(() => ({ tag: language(), formulas: formulaLanguage() }));
  let loadedLanguage: ReturnType<typeof helpLanguage> | undefined;
  createEffect(() => {
    const current = helpLanguage();
    if (isFormula() && loadedLanguage !== current) {
      loadedLanguage = current;
      import("../language/functions.ts")
        .then(({ functionHelp }) => functionHelp(current.tag, current.formulas?.functionName))
        .then(
          (loaded) => loadedLanguage === current && setBuiltIn(loaded),
          // Loading failed: the next formula tries again.
          () => (loadedLanguage = undefined),
        );
    }
  });

  // Named functions, as they are when the formula is begun.
  createEffect(() => {
    if (isFormula()) {
      import("../names/named-functions.ts")
        .then(async ({ helpOf, queryNamedFunctions }) => (await queryNamedFunctions(model)).map((one) => helpOf(one, t("Named functions"))))
        .then(setNamed, () => {
          // Loading failed: the next formula tries again.
        });
    }
  });

  // The `selectionchange` event comes after the key, and also without a change. Comparing text and
  // caret keeps the choice in the list.
  const position = createMemo(
    () => {
      const edit = model.cellEdit.edit();
      model.cellEdit.caretMoved();
      const field = edit && model.cellEdit.field(edit.surface);
      return edit && field && isFormula() && !edit.pointed ? { text: edit.text, caret: field.selectionStart } : undefined;
    },
    undefined,
    { equals: (before, now) => before?.text === now?.text && before?.caret === now?.caret },
  );
  const typedName = createMemo(() => {
    const current = position();
    return current && namePart(current.text, current.caret);
  });
  const suggestions = createMemo(() => {
    const typed = typedName();
    setChosen(0);
    return typed ? completions(functions(), typed.text, SUGGESTIONS_MAX) : [];
  });
  const call = createMemo(() => {
    const current = position();
    const name = current && callAt(current.text, current.caret, separator());
    // Names of the language come before English ones, as formulas are read.
    const help =
      name && (functions().find((known) => known.name === name.name) ?? functions().find((known) => known.englishName === name.name));
    return name && help && suggestions().length === 0 ? { help, argument: name.argument } : undefined;
  });

  const accept = (help: FunctionHelp): void => {
    const typed = typedName();
    if (typed) {
      model.cellEdit.complete(typed.start, `${help.name}(`);
    }
  };
  // Keys that the open list handles.
  model.cellEdit.setHelpKeys((key) => {
    const list = suggestions();
    const help = list[chosen()];
    if (help === undefined) {
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
        accept(help);
        return true;
      default:
        return false;
    }
  });

  /** Positions the help below the field, or above it near the end of the page. */
  createEffect(() => {
    const edit = model.cellEdit.edit();
    const field = edit && model.cellEdit.field(edit.surface);
    suggestions();
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
    <Show when={suggestions().length > 0 || call()}>
      <aside class="formula-help" aria-label={t("Help with the formula")} ref={element} onMouseDown={(event) => event.preventDefault()}>
        <Show when={call()}>
          {(current) => (
            <div class="formula-call">
              <FunctionSignature help={current().help} separator={separator()} argument={current().argument} />
              <p dir="auto">{current().help.summary}</p>
              <Show when={current().help.argumentTexts?.[current().argument]}>{(text) => <p dir="auto">{text()}</p>}</Show>
            </div>
          )}
        </Show>
        <ul role="listbox" aria-label={t("Functions")}>
          <For each={suggestions()}>
            {(help, index) => (
              <li
                role="option"
                aria-selected={chosen() === index()}
                // Not `pointerenter`, which also fires when the list opens under a resting pointer.
                onPointerMove={() => setChosen(index())}
                onClick={() => accept(help)}
              >
                <code>{help.name}</code>
                <Show when={!help.name.startsWith(typedName()?.text.toUpperCase() ?? "")}>
                  <code class="english-name">{help.englishName}</code>
                </Show>
                <Show when={chosen() === index()}>
                  <span dir="auto">{help.summary}</span>
                </Show>
              </li>
            )}
          </For>
        </ul>
      </aside>
    </Show>
  );
}
