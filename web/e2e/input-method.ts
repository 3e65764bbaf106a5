/** Input methods as they write a word: composition events, their own key presses, and the committed text. */

import type { CDPSession } from "@playwright/test";
import { FirefoxProcess } from "./firefox/process.ts";
import type { User } from "./user.ts";

/** An input method of a person. */
export interface InputMethod {
  /** Types a word, of which these are the texts after each key. */
  compose(...steps: string[]): Promise<void>;
  /** Commits the composition with Enter or a number key. */
  choose(text: string): Promise<void>;
}

/** Why tests with this input method are skipped in WebKit. */
export const NO_METHOD = "WebDriver composes no text in WebKitGTK.";

export async function inputMethod(person: User): Promise<InputMethod> {
  return person.isInFirefox ? new FirefoxInputMethod(FirefoxProcess.of(person.context)) : new ChromiumInputMethod(await person.context.newCDPSession(person.page));
}

/** By the Chrome DevTools Protocol. */
class ChromiumInputMethod implements InputMethod {
  private readonly devtools: CDPSession;

  constructor(devtools: CDPSession) {
    this.devtools = devtools;
  }

  /** A key press handled by the input method, which pages receive with key code 229. */
  private async key(): Promise<void> {
    const key = { windowsVirtualKeyCode: 229, nativeVirtualKeyCode: 229, key: "Process" };
    await this.devtools.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key });
    await this.devtools.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
  }

  async compose(...steps: string[]): Promise<void> {
    for (const text of steps) {
      await this.key();
      await this.devtools.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
    }
  }

  async choose(text: string): Promise<void> {
    await this.key();
    await this.devtools.send("Input.insertText", { text });
  }
}

/** By `nsITextInputProcessor`, with which Firefox tests its own input methods. */
class FirefoxInputMethod implements InputMethod {
  private readonly firefox: FirefoxProcess;

  constructor(firefox: FirefoxProcess) {
    this.firefox = firefox;
  }

  async compose(...steps: string[]): Promise<void> {
    for (const text of steps) {
      await this.process(`
        if (${JSON.stringify(text)} === "") {
          processor.cancelComposition(new window.KeyboardEvent("", { key: "Escape", keyCode: window.KeyboardEvent.DOM_VK_ESCAPE }));
        } else {
          processor.setPendingCompositionString(${JSON.stringify(text)});
          processor.appendClauseToPendingComposition(${text.length}, processor.ATTR_RAW_CLAUSE);
          processor.setCaretInPendingComposition(${text.length});
          processor.flushPendingComposition(new window.KeyboardEvent("", { key: "Process", code: "KeyN", keyCode: 229 }));
        }
      `);
    }
  }

  async choose(text: string): Promise<void> {
    await this.process(`processor.commitCompositionWith(${JSON.stringify(text)}, new window.KeyboardEvent("", { key: "Process", code: "Enter", keyCode: 229 }));`);
  }

  /** The processor of a window stays, because a composition has several steps. */
  private async process(script: string): Promise<void> {
    await this.firefox.runInWindow(`
      const processor = (window.inputMethodOfTests ??= Cc["@mozilla.org/text-input-processor;1"].createInstance(Ci.nsITextInputProcessor));
      if (!processor.beginInputTransactionForTests(window)) {
        throw new Error("another input method is in use");
      }
      ${script}
    `);
  }
}
