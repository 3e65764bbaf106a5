/** Find and replace, beside the cells rather than over them. */

import { createSignal, onCleanup, Show } from "solid-js";
import { t } from "../language/language.ts";
import { Icon } from "../components/Icon.tsx";
import type { WorkbookModel } from "../state/workbook-model.ts";
import type { SearchPlace } from "./find.ts";

export function FindPanel(props: { readonly model: WorkbookModel }) {
  const { finding } = props.model;
  const [with_, setWith] = createSignal("");
  const wish = () => finding.wish();
  let field!: HTMLInputElement;
  onCleanup(() => finding.detach());

  const counter = () => {
    const { total, problem } = finding.found();
    const shown = finding.shown();
    if (wish().text === "") {
      return "";
    }
    if (problem !== null) {
      return t("Invalid pattern");
    }
    if (total === 0) {
      return t("Nothing found");
    }
    return shown === undefined
      ? t("{count} found", { count: total })
      : t("{number} of {total}", { number: shown + 1, total });
  };
  const isBroken = () => finding.found().problem !== null && wish().text !== "";
  /** Not `disabled`: a button that has replaced the last of them keeps the keyboard, and with it Escape. */
  const ariaDisabled = () => wish().text === "" || isBroken() || finding.found().total === 0 || undefined;
  const keys = (event: KeyboardEvent): void => {
    if (event.isComposing) {
      return;
    }
    if (event.key === "Escape") {
      event.preventDefault();
      finding.close();
    } else if (event.key === "Enter" && event.target === field) {
      event.preventDefault();
      finding.step(event.shiftKey ? -1 : 1);
    }
  };

  return (
    <section class="find" aria-label={t("Find and replace")} onKeyDown={keys}>
      <div class="find-line">
        <input
          ref={(element) => {
            field = element;
            queueMicrotask(() => finding.attach(element));
          }}
          class="field"
          type="text"
          dir="auto"
          spellcheck={false}
          placeholder={t("Find")}
          aria-label={t("Find")}
          aria-invalid={isBroken()}
          value={wish().text}
          onInput={(event) => finding.change({ text: event.currentTarget.value })}
        />
        <output class="find-count" classList={{ "is-wrong": isBroken() }} aria-live="polite">
          {counter()}
        </output>
        <button type="button" class="tool is-small" aria-label={t("Previous")} title={t("Previous")} aria-disabled={ariaDisabled()} onClick={() => finding.step(-1)}>
          <span class="is-upside-down">
            <Icon name="chevron" />
          </span>
        </button>
        <button type="button" class="tool is-small" aria-label={t("Next")} title={t("Next")} aria-disabled={ariaDisabled()} onClick={() => finding.step(1)}>
          <Icon name="chevron" />
        </button>
        <button type="button" class="tool is-small" aria-label={t("Close")} onClick={() => finding.close()}>
          <Icon name="close" />
        </button>
      </div>
      <Show when={finding.isOpen() === "replace" && props.model.mayType()}>
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
          <button type="button" class="button is-compact" aria-disabled={ariaDisabled()} onClick={() => finding.replaceOne(with_())}>
            {t("Replace")}
          </button>
          <button type="button" class="button is-compact" aria-disabled={ariaDisabled()} onClick={() => ariaDisabled() || finding.replaceAll(with_())}>
            {t("Replace all")}
          </button>
        </div>
      </Show>
      <div class="find-line find-how">
        <Toggle label={t("Match case")} isOn={wish().matchesCase} onChange={(matchesCase) => finding.change({ matchesCase })} />
        <Toggle label={t("Whole cell")} isOn={wish().wholeCell} onChange={(wholeCell) => finding.change({ wholeCell })} />
        <Toggle label={t("Pattern (regular expression)")} isOn={wish().isPattern} onChange={(isPattern) => finding.change({ isPattern })} />
        <Toggle label={t("In formulas")} isOn={wish().inFormulas} onChange={(inFormulas) => finding.change({ inFormulas })} />
        <select
          class="field find-place"
          aria-label={t("Where to look")}
          onChange={(event) => finding.change({ place: event.currentTarget.value as SearchPlace })}
        >
          <option value="sheet" selected={wish().place === "sheet"}>
            {t("This sheet")}
          </option>
          <option value="workbook" selected={wish().place === "workbook"}>
            {t("All sheets")}
          </option>
          <option value="selection" selected={wish().place === "selection"}>
            {wish().place === "selection" ? finding.placeName() : t("Selection")}
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
