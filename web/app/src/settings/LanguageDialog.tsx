/** The dialog "Language". */

import { t } from "../language/index.ts";
import { LanguageField, Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** The dialog "Language". */
export function LanguageDialog(props: { readonly model: WorkbookModel }) {
  return (
    <Modal isOpen title={t("Language")} onClose={() => props.model.closeDialog()}>
      <LanguageField />
      <div class="modal-buttons">
        <button type="button" class="button is-main" onClick={() => props.model.closeDialog()}>
          {t("Close")}
        </button>
      </div>
    </Modal>
  );
}
