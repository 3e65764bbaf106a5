/**
 * The dialog for a stopped engine or a closed session, after which only a reload helps. It uses the
 * native dialog, as other code may be what failed to load.
 */

import { serverPath } from "../base-path.ts";
import { Show } from "solid-js";
import { t } from "../language/index.ts";
import { NativeDialog } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** The text for a close code of `CloseReason` (`crates/protocol`) that ends a session for good. */
function closeText(code: number | undefined): string {
  switch (code) {
    case 4400:
      return t("The server has a newer version of this page. Reload to get it.");
    case 4410:
      return t("The workbook was deleted.");
    case 4411:
      return t("This copy of the workbook was opened elsewhere.");
    case 4413:
      return t("The workbook was not created: you have reached the limit for workbooks or storage.");
    case 1009:
      return t("A change was too large for the server. Bring large amounts of data in as a file.");
    default:
      return t("The server could not read this page's data. Reload to continue from the saved state.");
  }
}

/** No role in the room: `access/NoAccess.tsx` takes the place of the workbook. */
const FORBIDDEN = 4403;
/** The room was deleted, or cannot be created: a reload does not help. */
const BETTER_LEFT: ReadonlySet<number> = new Set([4410, 4413]);

/** Shows why the session ended. */
export function SessionEnded(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const refused = () => {
    const connection = model.connection();
    return connection.state === "refused" && connection.code !== FORBIDDEN ? connection : undefined;
  };
  const wasOpen = () => model.status().isReady;
  return (
    <>
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
      <NativeDialog isOpen={refused() !== undefined} title={t("The server closed this workbook")}>
        <p>{closeText(refused()?.code)}</p>
        <p class="error-detail">
          <bdi dir="ltr">
            {refused()?.code} {refused()?.reason}
          </bdi>
        </p>
        <div class="modal-buttons">
          {/* The most useful button is the last one, as in every dialog. */}
          <Show
            when={BETTER_LEFT.has(refused()?.code ?? 0)}
            fallback={
              <>
                <a class="button" href={serverPath("/")}>
                  {t("Start page")}
                </a>
                <button type="button" class="button is-main" autofocus onClick={() => location.reload()}>
                  {t("Reload")}
                </button>
              </>
            }
          >
            <button type="button" class="button" onClick={() => location.reload()}>
              {t("Try again")}
            </button>
            <a class="button is-main" autofocus href={serverPath("/")}>
              {t("Start page")}
            </a>
          </Show>
        </div>
      </NativeDialog>
    </>
  );
}
