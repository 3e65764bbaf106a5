/** Input latency, from a key event to the painted result. */

import type { Page } from "@playwright/test";
import { goTo } from "./browser.ts";

/** Milliseconds from each key event to the end of the frame that shows its character. */
export async function keyToPixel(page: Page, letters: number): Promise<number[]> {
  await goTo(page, "C3");
  await page.evaluate(() => {
    const times: number[] = [];
    (window as unknown as { keyTimes: number[] }).keyTimes = times;
    document.addEventListener(
      "keydown",
      (event) => {
        const pressed = event.timeStamp;
        requestAnimationFrame(() => {
          const channel = new MessageChannel();
          channel.port1.onmessage = () => times.push(performance.now() - pressed);
          channel.port2.postMessage(null);
        });
      },
      true,
    );
  });
  for (let letter = 0; letter < letters; letter += 1) {
    // Fast typing that is not synchronized with frames.
    await page.keyboard.press("abcdefgh "[letter % 9] ?? "a", { delay: 0 });
    await page.waitForTimeout(37);
  }
  await page.keyboard.press("Escape");
  return page.evaluate(() => (window as unknown as { keyTimes: number[] }).keyTimes);
}

/** Milliseconds from Enter to the paint of a dependent cell with its new value. */
export async function enterToPixel(page: Page, repetitions: number): Promise<number[]> {
  const times: number[] = [];
  await page.evaluate(() => {
    document.addEventListener(
      "keydown",
      (event) => {
        if (event.key === "Enter") {
          (window as unknown as { enteredAt: number }).enteredAt = event.timeStamp;
        }
      },
      true,
    );
  });
  for (let run = 1; run <= repetitions; run += 1) {
    const value = 70_000_000 + run * 1_000;
    await goTo(page, "A1");
    await page.keyboard.type(String(value));
    await page.keyboard.press("Enter");
    const shown = String(value + 7);
    const at = await page.waitForFunction(
      (text) => (window as unknown as { counts: { texts: Map<string, number> } }).counts.texts.get(text),
      shown,
      { polling: 5, timeout: 10_000 },
    );
    const [drawn, entered] = [await at.jsonValue(), await page.evaluate(() => (window as unknown as { enteredAt: number }).enteredAt)];
    times.push((drawn ?? Number.NaN) - entered);
  }
  return times;
}
