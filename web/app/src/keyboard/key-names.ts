/** What keys are called here. */

import { showKey } from "@quadrille/editor";
import { type Message, t } from "../language/index.ts";

/** Command instead of Ctrl, and keys shown by their signs. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** Keys that are called otherwise on keyboards of other languages. */
const KEYS: Readonly<Record<string, Message>> = {
  Ctrl: "Ctrl|key",
  Shift: "Shift|key",
  Space: "Space|key",
  Esc: "Esc|key",
  Enter: "Enter|key",
  Delete: "Delete|key",
  Backspace: "Backspace|key",
  Home: "Home|key",
  End: "End|key",
  "Page Up": "Page Up|key",
  "Page Down": "Page Down|key",
};

/** `mod+shift+z` → `Ctrl+Shift+Z`, as it stands on the reader's keyboard. */
export function keyLabel(name: string): string {
  return showKey(name, isApple, (word) => {
    const message = KEYS[word];
    return message ? t(message) : word;
  });
}
