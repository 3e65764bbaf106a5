/** How tests and benchmarks start Chromium. */

/** An installed Chromium, instead of a download of Playwright. */
export const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

export const CHROMIUM_ARGS: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
