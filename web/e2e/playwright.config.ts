import { defineConfig } from "@playwright/test";

/** Playwright's own browsers are not downloaded; any Chromium will do. */
const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  outputDir: "../test-results",
  // Each test starts its own server and browsers; more at a time than cores makes them wait for one another.
  workers: 2,
  fullyParallel: true,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  // Who passes only at the second try is counted as flaky in the last lines: a defect to mend, which need not hide what the
  // other tests have to say.
  retries: 1,
  forbidOnly: process.env["CI"] !== undefined,
  reporter: [["list"]],
  use: {
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      executablePath,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
