/**
 * Posts commands to the worker of a page, for setup without user interface. They take the same path
 * as those of the page: worker, engine, server, other users.
 */

import type { Command } from "@quadrille/protocol";
import type { Page } from "@playwright/test";

/** Makes `command` available; call it before the page is opened. */
export async function keepWorker(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (message: unknown, ...rest: never[]) {
      if (typeof message === "object" && message !== null && "type" in message && message.type === "open") {
        (window as unknown as { sessionWorker: Worker }).sessionWorker = this;
      }
      postMessage.call(this, message, ...rest);
    };
  });
}

/** Posts a command to the engine. */
export async function command(page: Page, given: Command): Promise<void> {
  await page.evaluate((json) => {
    const { sessionWorker } = window as unknown as { sessionWorker: Worker };
    const given: unknown = JSON.parse(json);
    sessionWorker.postMessage({ type: "event", event: { type: "command", command: given } });
  }, JSON.stringify(given));
}
