/** The dialogs of the menu of a sheet tab. */

import type { SheetTab } from "@quadrille/protocol";
import { Modal } from "../components/index.ts";
import { ColorPicker } from "../formatting/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";

interface DialogProps {
  readonly model: WorkbookModel;
  /** The sheet that the dialog is about; `undefined` while it is closed. */
  readonly sheet: SheetTab | undefined;
  readonly onClose: () => void;
}

/** Both dialogs; one of them is open at most. */
export function SheetDialogs(props: {
  readonly model: WorkbookModel;
  readonly coloring: SheetTab | undefined;
  readonly deleting: SheetTab | undefined;
  readonly onClose: () => void;
}) {
  return (
    <>
      <TabColorDialog model={props.model} sheet={props.coloring} onClose={() => props.onClose()} />
      <DeleteDialog model={props.model} sheet={props.deleting} onClose={() => props.onClose()} />
    </>
  );
}

/** The dialog "Tab color". */
function TabColorDialog(props: DialogProps) {
  const pick = (color: string | null): void => {
    if (props.sheet) {
      props.model.items.patch(0, { tabColor: color }, props.sheet.id);
    }
    props.onClose();
    props.model.focusCells();
  };
  return (
    <Modal isOpen={props.sheet !== undefined} title={t("Tab colour")} onClose={() => props.onClose()}>
      <div class="colors is-in-dialog">
        <ColorPicker color={props.sheet?.color} noneLabel={t("No colour")} onPick={pick} />
      </div>
    </Modal>
  );
}

/** The question before a sheet is deleted. */
function DeleteDialog(props: DialogProps) {
  return (
    <Modal isOpen={props.sheet !== undefined} title={t("Delete this sheet?")} onClose={() => props.onClose()}>
      <p>{t("“{name}” and all its contents will be deleted for everyone. You can undo this.", { name: props.sheet?.name ?? "" })}</p>
      <div class="modal-buttons">
        <button type="button" class="button" onClick={() => props.onClose()}>
          {t("Keep sheet")}
        </button>
        <button
          type="button"
          class="button is-danger"
          onClick={() => {
            const { sheet } = props;
            props.onClose();
            if (sheet) {
              props.model.command({ type: "removeSheet", sheet: sheet.id });
            }
            props.model.focusCells();
          }}
        >
          {t("Delete")}
        </button>
      </div>
    </Modal>
  );
}
