/** Find and replace, beside the cells rather than over them. */

import { createSignal, onCleanup, Show } from "solid-js";
import { t } from "../language/index.ts";
import { Icon } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import type { SearchArea } from "./find.ts";

export function FindPanel(props: { readonly model: WorkbookModel }) {
  const { findModel } = props.model;
  const [with_, setWith] = createSignal("");
  const wish = () => findModel.wish();
  let field!: HTMLInputElement;
  onCleanup(() => findModel.detach());

  const counter = () => {
    const { total, problem } = findModel.found();
    const shown = findModel.shown();
    if (wish().text === "") {
      return "";
    }
    if (problem !== null) {
      return t("Invalid pattern");
    }
    if (total === 0) {
      return t("No matches");
    }
    return shown === undefined
      ? t("{count} found", { count: total })
      : t("{number} of {total}", { number: shown + 1, total });
  };
  const isBroken = () => findModel.found().problem !== null && wish().text !== "";
  /** Not `disabled`: a button that has replaced the last of them keeps the keyboard, and with it Escape. */
  const ariaDisabled = () => wish().text === "" || isBroken() || findModel.found().total === 0 || undefined;
  const keys = (event: KeyboardEvent): void => {
    if (event.isComposing) {
      return;
    }
    if (event.key === "Escape") {
      event.preventDefault();
      findModel.close();
    } else if (event.key === "Enter" && event.target === field) {
      event.preventDefault();
      findModel.step(event.shiftKey ? -1 : 1);
    }
  };

  return (
    <section class="find" aria-label={t("Find and replace")} onKeyDown={keys}>
      <div class="find-line">
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
          aria-invalid={isBroken()}
          value={wish().text}
          onInput={(event) => findModel.change({ text: event.currentTarget.value })}
        />
        <output class="find-count" classList={{ "is-wrong": isBroken() }} aria-live="polite">
          {counter()}
        </output>
        <button type="button" class="tool is-small" aria-label={t("Previous")} title={t("Previous")} aria-disabled={ariaDisabled()} onClick={() => findModel.step(-1)}>
          <span class="is-upside-down">
            <Icon name="chevron" />
          </span>
        </button>
        <button type="button" class="tool is-small" aria-label={t("Next")} title={t("Next")} aria-disabled={ariaDisabled()} onClick={() => findModel.step(1)}>
          <Icon name="chevron" />
        </button>
        <button type="button" class="tool is-small" aria-label={t("Close")} onClick={() => findModel.close()}>
          <Icon name="close" />
        </button>
      </div>
      <Show when={findModel.isOpen() === "replace" && props.model.canType()}>
        <div class="find-line">
          <input
            class="field"
            type="text"
            dir="auto"
            spellcheck={false}
            placeholder={t("Replace with")}
            aria-label={t("Replace with")}
            value={with_()}
            onInput={(event) => setWith(event.currentTarget.value)}
          />
          <button type="button" class="button is-compact" aria-disabled={ariaDisabled()} onClick={() => findModel.replaceOne(with_())}>
            {t("Replace")}
          </button>
          <button type="button" class="button is-compact" aria-disabled={ariaDisabled()} onClick={() => ariaDisabled() || findModel.replaceAll(with_())}>
            {t("Replace all")}
          </button>
        </div>
      </Show>
      <div class="find-line find-how">
        <Toggle label={t("Match case")} isOn={wish().matchesCase} onChange={(matchesCase) => findModel.change({ matchesCase })} />
        <Toggle label={t("Whole cell")} isOn={wish().wholeCell} onChange={(wholeCell) => findModel.change({ wholeCell })} />
        <Toggle label={t("Pattern (regular expression)")} isOn={wish().isPattern} onChange={(isPattern) => findModel.change({ isPattern })} />
        <Toggle label={t("In formulas")} isOn={wish().inFormulas} onChange={(inFormulas) => findModel.change({ inFormulas })} />
        <select
          class="field find-place"
          aria-label={t("Search")}
          onChange={(event) => findModel.change({ scope: event.currentTarget.value as SearchArea })}
        >
          <option value="sheet" selected={wish().scope === "sheet"}>
            {t("This sheet")}
          </option>
          <option value="workbook" selected={wish().scope === "workbook"}>
            {t("All sheets")}
          </option>
          <option value="selection" selected={wish().scope === "selection"}>
            {wish().scope === "selection" ? findModel.placeName() : t("Selection")}
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
