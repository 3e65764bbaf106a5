/** The field for the language of the interface; each language is listed by its own name. */

import { For } from "solid-js";
import { chooseLanguage, language, type Language, LANGUAGES, t } from "../language/index.ts";

/** Selects the language of the interface and loads its texts. */
export function LanguageField() {
  return (
    <select
      class="field language-field"
      aria-label={t("Language")}
      onChange={(event) => {
        const chosen = LANGUAGES.find(([name]) => name === event.currentTarget.value);
        void chooseLanguage(chosen?.[0] ?? "en");
      }}
    >
      <For each={LANGUAGES}>
        {([tag, name]: readonly [Language, string]) => (
          <option value={tag} lang={tag} selected={tag === language()}>
            {name}
          </option>
        )}
      </For>
    </select>
  );
}
