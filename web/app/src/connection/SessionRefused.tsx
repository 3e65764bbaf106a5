/** The dialog for a session that the server closed for good. */

import { serverPath } from "../base-path.ts";
import { Show } from "solid-js";
import { t } from "../language/index.ts";
import { NativeDialog } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { refusal } from "./refusal.ts";

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

/** The room was deleted, or cannot be created: a reload does not help. */
const BETTER_LEFT: ReadonlySet<number> = new Set([4410, 4413]);

/** Shows why the server closed the session. */
export function SessionRefused(props: { readonly model: WorkbookModel }) {
  const refused = () => refusal(props.model);
  return (
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
  );
}
