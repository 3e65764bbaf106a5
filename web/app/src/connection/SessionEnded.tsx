/**
 * The dialog for a stopped engine, after which only a reload helps. It uses the native dialog, as other code
 * may be what failed to load.
 */

import { t } from "../language/index.ts";
import { NativeDialog } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Shows that the engine stopped. */
export function SessionEnded(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const wasOpen = () => model.status().isReady;
  return (
    <NativeDialog
      isOpen={model.stopped() !== undefined}
      title={wasOpen() ? t("This page stopped working") : t("This page could not be loaded")}
    >
      <p>
        {wasOpen()
          ? t("This page has stopped because of an error. Saved changes are safe on the server. Reload to continue.")
          : t("Part of the page could not be loaded. Check your connection and reload.")}
      </p>
      <p class="error-detail">{model.stopped()}</p>
      <div class="modal-buttons">
        <button type="button" class="button is-main" autofocus onClick={() => location.reload()}>
          {t("Reload")}
        </button>
      </div>
    </NativeDialog>
  );
}
