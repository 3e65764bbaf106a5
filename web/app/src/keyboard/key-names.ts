/** Names of keys for display. */

import { showKey } from "@quadrille/editor";
import { type Message, t } from "../language/index.ts";

/** Whether the platform uses the Command key, and symbols for keys. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** Localized names of keys. */
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

/** The label of a key combination: `mod+shift+z` → `Ctrl+Shift+Z`, in the language of the page. */
export function keyLabel(name: string): string {
  return showKey(name, isApple, (word) => {
    const message = KEYS[word];
    return message ? t(message) : word;
  });
}
