/** Touch input by the Chrome DevTools Protocol. */

import type { Page } from "@playwright/test";

/** Two taps sent at once, because taps that are too far apart are not a double tap. */
export async function doubleTap(page: Page, x: number, y: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const events = ["touchStart", "touchEnd", "touchStart", "touchEnd"] as const;
  await Promise.all(
    events.map((type) => devtools.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] })),
  );
  await devtools.detach();
}
