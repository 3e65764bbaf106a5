/** The end of a form in a dialog: back, or do it; other buttons come first. */

import type { JSX } from "solid-js";
import { t } from "../language/index.ts";

export function DialogButtons(props: { readonly onCancel: () => void; readonly label?: string; readonly isDisabled?: boolean; readonly children?: JSX.Element }) {
  return (
    <div class="modal-buttons">
      {props.children}
      <button type="button" class="button" onClick={() => props.onCancel()}>
        {t("Cancel")}
      </button>
      <button type="submit" class="button is-main" disabled={props.isDisabled ?? false}>
        {props.label ?? t("Apply")}
      </button>
    </div>
  );
}
