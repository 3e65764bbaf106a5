/** The banner over a workbook in the trash, which only its owner sees. */

import "../style/share.css";
import { serverPath } from "../base-path.ts";
import { createSignal, Show } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { deleteForEver, restoreFromTrash } from "./access-api.ts";
import { forgetCredentials } from "./credentials.ts";

/** The banner with the buttons to restore and to delete. */
export function TrashBanner(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [isConfirming, setIsConfirming] = createSignal(false);
  const run = (work: () => Promise<void>): void => {
    work().catch((error: unknown) => model.toast(error instanceof Error ? error.message : String(error), true));
  };
  const restore = (): void =>
    run(async () => {
      await restoreFromTrash(model.room);
      await model.access.refreshOwnerInfo();
    });
  const remove = (): void =>
    run(async () => {
      await deleteForEver(model.room);
      forgetCredentials(model.room);
      location.href = serverPath("/");
    });
  return (
    <div class="trash-banner" role="region" aria-label={t("Trash")}>
      <p>{isConfirming() ? t("Delete this workbook for ever? Its history, chat and images are deleted too.") : t("This workbook is in the trash. Only you can open it.")}</p>
      <Show
        when={isConfirming()}
        fallback={
          <>
            <button type="button" class="button" onClick={() => setIsConfirming(true)}>
              {t("Delete for ever…")}
            </button>
            <button type="button" class="button is-main" onClick={restore}>
              {t("Restore")}
            </button>
          </>
        }
      >
        <button type="button" class="button" onClick={() => setIsConfirming(false)}>
          {t("Cancel")}
        </button>
        <button type="button" class="button is-dangerous" onClick={remove}>
          {t("Delete for ever")}
        </button>
      </Show>
    </div>
  );
}
