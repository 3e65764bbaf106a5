import { t } from "../language/language.ts";
import { Modal } from "../components/Modal.tsx";
import type { WorkbookModel } from "../state/workbook-model.ts";
import { CellStyles } from "./CellStyles.tsx";

export function StylesDialog(props: { readonly model: WorkbookModel }) {
  return (
    <Modal isOpen title={t("Cell styles")} onClose={() => props.model.closeDialog()}>
      <CellStyles model={props.model} close={() => props.model.closeDialog()} />
    </Modal>
  );
}
