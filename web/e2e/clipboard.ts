/** Pasting what other programs have put on the clipboard. */

import { FirefoxProcess } from "./firefox/process.ts";
import type { User } from "./user.ts";

/** Pastes contents, by their media types, where the focus is. */
export async function paste(person: User, contents: Readonly<Record<string, string>>): Promise<void> {
  if (person.isInFirefox) {
    await FirefoxProcess.of(person.context).setClipboard(contents);
    await person.press("Control+v");
    return;
  }
  // Dispatches the event, because Chromium sanitizes HTML that a page writes to the clipboard.
  await person.page.evaluate((texts) => {
    const data = new DataTransfer();
    for (const [type, text] of Object.entries(texts)) {
      data.setData(type, text);
    }
    document.activeElement?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, contents);
}
