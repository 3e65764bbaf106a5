/** The buttons "Cancel" and "Apply" at the end of a dialog form; `children` come before them. */

import type { JSX } from "solid-js";
import { t } from "../language/index.ts";

/** The buttons of a dialog form; `label` replaces "Apply", and `isDanger` marks what cannot be undone. */
export function DialogButtons(props: { readonly onCancel: () => void; readonly label?: string; readonly isDisabled?: boolean; readonly isDanger?: boolean; readonly children?: JSX.Element }) {
  return (
    <div class="modal-buttons">
      {props.children}
      <button type="button" class="button" onClick={() => props.onCancel()}>
        {t("Cancel")}
      </button>
      <button type="submit" class={props.isDanger ? "button is-danger" : "button is-main"} disabled={props.isDisabled ?? false}>
        {props.label ?? t("Apply")}
      </button>
    </div>
  );
}
