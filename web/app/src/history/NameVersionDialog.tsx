/** The dialog "Name current version". */

import { createSignal, Show } from "solid-js";
import { t } from "../language/index.ts";
import { DialogButtons, Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { headOf, HistoryUnavailable, nameVersion, VERSION_NAME_MAX } from "./history.ts";

/** The dialog "Name current version". */
export function NameVersionDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [name, setName] = createSignal("");
  const [isSaving, setIsSaving] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
  // The server names a stored revision, so pending changes must be saved first.
  const isSaved = () => !model.isSending() && model.status().unconfirmed === 0;
  const save = async (): Promise<void> => {
    setIsSaving(true);
    setFailure(undefined);
    try {
      await nameVersion(model.room, await headOf(model.room), name(), model.identity().name);
      model.closeDialog();
      model.toast(t("The version is named “{name}”.", { name: name().trim() }), false);
    } catch (error) {
      setFailure(error instanceof HistoryUnavailable ? error.message : t("The server cannot be reached"));
      setIsSaving(false);
    }
  };
  return (
    <Modal isOpen title={t("Name current version")} onClose={() => model.closeDialog()}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label class="form-label">
          {t("Version name")}
          <input class="field" dir="auto" maxLength={VERSION_NAME_MAX} value={name()} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
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
        <DialogButtons onCancel={() => model.closeDialog()} label={t("Save name")} isDisabled={isSaving() || !isSaved() || name().trim() === ""} />
      </form>
    </Modal>
  );
}
