import { test } from "@playwright/test";

/** Skips the test in Firefox. */
export function skipInFirefox(why: string): void {
  test.skip(test.info().project.name === "firefox", why);
}

/** Skips the test in WebKit. */
export function skipInWebKit(why: string): void {
  test.skip(test.info().project.name === "webkit", why);
}

/** Skips the test in Firefox and WebKit. */
export function skipOutsideChromium(why: string): void {
  test.skip(test.info().project.name !== "chromium", why);
}
