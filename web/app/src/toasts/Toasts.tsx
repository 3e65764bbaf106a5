import { For } from "solid-js";
import { Icon } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { t } from "../language/index.ts";

export function Toasts(props: { readonly model: WorkbookModel }) {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {/* When the server has closed the workbook, the dialog says why. */}
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

/** A way through the menus stays together at its arrows: “Data → Protected cells”. */
function nonBreaking(text: string): string {
  return text.replace(/ ([→←]) /g, "\u00a0$1\u00a0");
}
