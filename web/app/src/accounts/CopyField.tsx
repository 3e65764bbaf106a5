/** A read-only text with a button that copies it. */

import { createSignal, onCleanup } from "solid-js";
import { t } from "../language/index.ts";

/** Time for which the button confirms that the text was copied. */
const COPIED_MS = 2_500;

/** A secret or link to be copied. */
export function CopyField(props: { readonly label: string; readonly value: string }) {
  const [isCopied, setIsCopied] = createSignal(false);
  let field!: HTMLInputElement;
  let timer = 0;
  onCleanup(() => window.clearTimeout(timer));
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(props.value);
    } catch {
      // The clipboard API requires HTTPS.
      field.select();
      document.execCommand("copy");
    }
    setIsCopied(true);
    timer = window.setTimeout(() => setIsCopied(false), COPIED_MS);
  };
  return (
    <div class="copy-field">
      <input ref={field} class="field is-code" dir="ltr" readOnly aria-label={props.label} value={props.value} onFocus={(event) => event.currentTarget.select()} />
      <button type="button" class="button is-main" onClick={() => void copy()}>
        {isCopied() ? t("Copied") : t("Copy")}
      </button>
      <span class="visually-hidden" role="status">
        {isCopied() ? t("Copied") : ""}
      </span>
    </div>
  );
}
