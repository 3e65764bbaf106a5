/** A button that copies a text. */

import { createSignal } from "solid-js";
import { t } from "../language/index.ts";
import { copyText } from "./copy-text.ts";

/** A button that copies a text and says so. */
export function CopyButton(props: { readonly text: () => string | Promise<string | undefined>; readonly label: string }) {
  const [isCopied, setIsCopied] = createSignal(false);
  const copy = async (): Promise<void> => {
    const text = await props.text();
    if (text !== undefined) {
      await copyText(text);
      setIsCopied(true);
      window.setTimeout(() => setIsCopied(false), 2_500);
    }
  };
  return (
    <button type="button" class="button" onClick={() => void copy()}>
      <span aria-live="polite">{isCopied() ? t("Link copied") : props.label}</span>
    </button>
  );
}
