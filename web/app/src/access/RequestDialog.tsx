/** The dialog by which a viewer or commenter asks for edit access. */

import { createSignal, Show } from "solid-js";
import { Modal } from "../components/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { RequestForm } from "./RequestForm.tsx";

/** The dialog "Request edit access". */
export function RequestDialog(props: { readonly model: WorkbookModel; readonly onClose: () => void }) {
  const [isSent, setIsSent] = createSignal(false);
  return (
    <Modal isOpen title={t("Request edit access")} onClose={() => props.onClose()}>
      <RequestForm room={props.model.room} name={props.model.identity().name} onCancel={() => props.onClose()} onSent={() => setIsSent(true)} />
      <Show when={isSent()}>
        <div class="modal-buttons">
          <button type="button" class="button is-main" onClick={() => props.onClose()}>
            {t("Done")}
          </button>
        </div>
      </Show>
    </Modal>
  );
}
