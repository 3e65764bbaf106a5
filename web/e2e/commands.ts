/**
 * Commands that a test gives to the page's own engine, for what has no button in the test's way. They travel as those
 * of the page do: worker, engine, server, everybody.
 */

import type { Command } from "@quadrille/protocol";
import type { Page } from "@playwright/test";

/** Before the page is opened. */
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

export async function command(page: Page, given: Command): Promise<void> {
  await page.evaluate((json) => {
    const { sessionWorker } = window as unknown as { sessionWorker: Worker };
    const given: unknown = JSON.parse(json);
    sessionWorker.postMessage({ type: "event", event: { type: "command", command: given } });
  }, JSON.stringify(given));
}
