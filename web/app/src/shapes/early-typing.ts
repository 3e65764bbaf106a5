/** What is typed while the server draws a new text box: it would otherwise go to the active cell. */

import { t } from "../language/index.ts";

/** A text that was typed before its field appeared. */
export interface EarlyText {
  readonly text: string;
  /** Escape or Ctrl+Enter has ended it. */
  readonly isFinished: boolean;
}

let field: HTMLTextAreaElement | undefined;
let isFinished = false;

/** Takes the focus from the cells, and keeps what is typed. */
export function catchTyping(): void {
  takeTyping();
  const caught = document.createElement("textarea");
  caught.className = "shape-early-text";
  caught.setAttribute("aria-label", t("Text of the shape"));
  caught.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      isFinished = true;
      caught.readOnly = true;
    }
  });
  document.body.append(caught);
  caught.focus();
  field = caught;
}

/** Returns what was typed since `catchTyping`, and ends it. */
export function takeTyping(): EarlyText {
  const early = { text: field?.value ?? "", isFinished };
  field?.remove();
  field = undefined;
  isFinished = false;
  return early;
}
