/** What fingers do, as Chromium's DevTools protocol sends it. */

import type { Page } from "@playwright/test";

/** Two taps without a pause for answers in between: taps that are far apart in time are two single ones. */
export async function doubleTap(page: Page, x: number, y: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const events = ["touchStart", "touchEnd", "touchStart", "touchEnd"] as const;
  await Promise.all(
    events.map((type) => devtools.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] })),
  );
  await devtools.detach();
}
