/** Shows toasts over the page. */

import { For } from "solid-js";
import { Icon } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { t } from "../language/index.ts";

/** The open toasts. */
export function Toasts(props: { readonly model: WorkbookModel }) {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {/* After the server has closed the session, a dialog gives the reason. */}
      <For each={props.model.connection().state === "refused" ? [] : props.model.toastQueue.list()}>
        {(toast) => (
          <div class="toast" classList={{ "is-error": toast.isError }}>
            <Icon name={toast.icon} />
            <p>{nonBreaking(toast.text)}</p>
            <button
              type="button"
              class="tool is-small"
              aria-label={t("Dismiss")}
              onClick={() => props.model.toastQueue.close(toast.id)}
            >
              <Icon name="close" />
            </button>
          </div>
        )}
      </For>
    </div>
  );
}

/** Keeps the parts of a menu path on one line: “Data → Protected cells”. */
function nonBreaking(text: string): string {
  return text.replace(/ ([→←]) /g, "\u00a0$1\u00a0");
}
