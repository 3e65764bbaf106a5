/** The panel "Find and replace", beside the cells. */

import { createSignal, onCleanup, Show } from "solid-js";
import { t } from "../language/index.ts";
import { Icon } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import type { SearchArea } from "./find.ts";
import { Search } from "./search.ts";

/** The panel "Find and replace". */
export function FindPanel(props: { readonly model: WorkbookModel }) {
  const { findModel } = props.model;
  const search = new Search(props.model);
  const [replacement, setReplacement] = createSignal("");
  const options = () => findModel.options();
  let field!: HTMLInputElement;
  onCleanup(() => findModel.detach());

  const counter = () => {
    const { total, problem } = search.results();
    const position = search.position();
    if (options().text === "") {
      return "";
    }
    if (problem !== null) {
      return t("Invalid pattern");
    }
    if (total === 0) {
      return t("No matches");
    }
    return position === undefined
      ? t("{count} found", { count: total })
      : t("{number} of {total}", { number: position + 1, total });
  };
  const isInvalid = () => search.results().problem !== null && options().text !== "";
  /**
   * `aria-disabled` instead of `disabled`, so that a button keeps the focus, and Escape works,
   * after the last match is replaced.
   */
  const ariaDisabled = () => options().text === "" || isInvalid() || search.results().total === 0 || undefined;
  const handleKey = (event: KeyboardEvent): void => {
    if (event.isComposing) {
      return;
    }
    if (event.key === "Escape") {
      event.preventDefault();
      findModel.close();
    } else if (event.key === "Enter" && event.target === field) {
      event.preventDefault();
      search.step(event.shiftKey ? -1 : 1);
    }
  };

  return (
    <section class="find" aria-label={t("Find and replace")} onKeyDown={handleKey}>
      <div class="find-row">
        <input
          ref={(element) => {
            field = element;
            queueMicrotask(() => findModel.attach(element));
          }}
          class="field"
          type="text"
          dir="auto"
          spellcheck={false}
          placeholder={t("Find")}
          aria-label={t("Find")}
          aria-invalid={isInvalid()}
          value={options().text}
          onInput={(event) => findModel.change({ text: event.currentTarget.value })}
        />
        <output class="find-count" classList={{ "is-invalid": isInvalid() }} aria-live="polite">
          {counter()}
        </output>
        <button type="button" class="tool is-small" aria-label={t("Previous")} title={t("Previous")} aria-disabled={ariaDisabled()} onClick={() => search.step(-1)}>
          <span class="is-upside-down">
            <Icon name="chevron" />
          </span>
        </button>
        <button type="button" class="tool is-small" aria-label={t("Next")} title={t("Next")} aria-disabled={ariaDisabled()} onClick={() => search.step(1)}>
          <Icon name="chevron" />
        </button>
        <button type="button" class="tool is-small" aria-label={t("Close")} onClick={() => findModel.close()}>
          <Icon name="close" />
        </button>
      </div>
      <Show when={findModel.isOpen() === "replace" && props.model.canType()}>
        <div class="find-row">
          <input
            class="field"
            type="text"
            dir="auto"
            spellcheck={false}
            placeholder={t("Replace with")}
            aria-label={t("Replace with")}
            value={replacement()}
            onInput={(event) => setReplacement(event.currentTarget.value)}
          />
          <button type="button" class="button is-compact" aria-disabled={ariaDisabled()} onClick={() => search.replaceOne(replacement())}>
            {t("Replace")}
          </button>
          <button type="button" class="button is-compact" aria-disabled={ariaDisabled()} onClick={() => ariaDisabled() || search.replaceAll(replacement())}>
            {t("Replace all")}
          </button>
        </div>
      </Show>
      <div class="find-row find-options">
        <Toggle label={t("Match case")} isOn={options().matchesCase} onChange={(matchesCase) => findModel.change({ matchesCase })} />
        <Toggle label={t("Whole cell")} isOn={options().wholeCell} onChange={(wholeCell) => findModel.change({ wholeCell })} />
        <Toggle label={t("Pattern (regular expression)")} isOn={options().isPattern} onChange={(isPattern) => findModel.change({ isPattern, isSimilar: false })} />
        <Toggle label={t("Similar words")} isOn={options().isSimilar} onChange={(isSimilar) => findModel.change({ isSimilar, isPattern: false })} />
        <Toggle label={t("In formulas")} isOn={options().inFormulas} onChange={(inFormulas) => findModel.change({ inFormulas })} />
        <select
          class="field find-scope"
          aria-label={t("Search")}
          onChange={(event) => findModel.change({ scope: event.currentTarget.value as SearchArea })}
        >
          <option value="sheet" selected={options().scope === "sheet"}>
            {t("This sheet")}
          </option>
          <option value="workbook" selected={options().scope === "workbook"}>
            {t("All sheets")}
          </option>
          <option value="selection" selected={options().scope === "selection"}>
            {options().scope === "selection" ? findModel.selectionName() : t("Selection")}
          </option>
        </select>
      </div>
    </section>
  );
}

function Toggle(props: { readonly label: string; readonly isOn: boolean; readonly onChange: (isOn: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={props.isOn} onChange={(event) => props.onChange(event.currentTarget.checked)} />
      {props.label}
    </label>
  );
}
