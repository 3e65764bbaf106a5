import { test } from "@playwright/test";

/** Skips the test in Firefox. */
export function skipInFirefox(why: string): void {
  test.skip(test.info().project.name === "firefox", why);
}
