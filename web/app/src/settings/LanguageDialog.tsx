import { t } from "../language/language.ts";
import { LanguageField } from "../components/LanguageField.tsx";
import { Modal } from "../components/Modal.tsx";
import type { WorkbookModel } from "../state/workbook-model.ts";

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
