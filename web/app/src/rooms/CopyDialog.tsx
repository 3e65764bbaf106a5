/** The dialog "Make a copy". */

import { createSignal, Show } from "solid-js";
import { CopyFailed, copyRoom, openCopy } from "./copy-room.ts";
import { TITLE_MAX } from "./titles.ts";
import { t } from "../language/index.ts";
import { DialogButtons, Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** The dialog "Make a copy". */
export function CopyDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [title, setTitle] = createSignal(model.title.ofCopy());
  const [isCopying, setIsCopying] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
  // The server copies the stored workbook, so pending changes must be saved first.
  const isSaved = () => !model.isSending() && model.status().unconfirmed === 0;
  const copy = async (): Promise<void> => {
    setIsCopying(true);
    setFailure(undefined);
    try {
      const path = await copyRoom({ room: model.room, title: title(), author: model.identity().name });
      model.closeDialog();
      openCopy(path);
    } catch (error) {
      setFailure(error instanceof CopyFailed ? error.message : String(error));
    } finally {
      setIsCopying(false);
    }
  };
  return (
    <Modal isOpen title={t("Make a copy")} onClose={() => model.closeDialog()}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void copy();
        }}
      >
        <label class="form-label">
          {t("Name")}
          <input class="field" maxLength={TITLE_MAX} value={title()} onInput={(event) => setTitle(event.currentTarget.value)} />
        </label>
        <p class="panel-note">
          {t("Copies cells, formats, charts, images and comments, without history and chat.")}
        </p>
        <Show when={!isSaved()}>
          <p class="panel-note" role="status">
            {t("Saving your changes…")}
          </p>
        </Show>
        <Show when={failure()}>
          <p class="import-failure" role="alert">
            {failure()}
          </p>
        </Show>
        <DialogButtons onCancel={() => model.closeDialog()} label={t("Make a copy")} isDisabled={isCopying() || !isSaved() || title().trim() === ""} />
      </form>
    </Modal>
  );
}
