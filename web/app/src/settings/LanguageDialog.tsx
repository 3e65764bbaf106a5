/** The dialog "Language": the language of the page, and of function names. */

import { Show } from "solid-js";
import { language, t } from "../language/index.ts";
import { LanguageField, Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { chooseEnglishFunctions, hasFunctionNames, usesEnglish } from "./formula-language.ts";

/** The dialog "Language". */
export function LanguageDialog(props: { readonly model: WorkbookModel }) {
  return (
    <Modal isOpen title={t("Language")} onClose={() => props.model.closeDialog()}>
      <div class="form">
        <LanguageField />
        <Show when={hasFunctionNames(language())}>
          <label class="check">
            <input type="checkbox" checked={usesEnglish()} onChange={(event) => chooseEnglishFunctions(event.currentTarget.checked)} />
            {t("Always use English function names")}
          </label>
        </Show>
      </div>
      <div class="modal-buttons">
        <button type="button" class="button is-main" onClick={() => props.model.closeDialog()}>
          {t("Close")}
        </button>
      </div>
    </Modal>
  );
}
