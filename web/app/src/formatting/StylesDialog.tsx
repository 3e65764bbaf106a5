/** The dialog "Cell styles", for screens without space for the popover. */

import { t } from "../language/index.ts";
import { Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { CellStyles } from "./CellStyles.tsx";

/** The dialog "Cell styles". */
export function StylesDialog(props: { readonly model: WorkbookModel }) {
  return (
    <Modal isOpen title={t("Cell styles")} onClose={() => props.model.closeDialog()}>
      <CellStyles model={props.model} close={() => props.model.closeDialog()} />
    </Modal>
  );
}
