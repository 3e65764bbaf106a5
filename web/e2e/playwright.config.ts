import { cpus } from "node:os";

import { defineConfig } from "@playwright/test";

/** Uses an installed Chromium instead of Playwright's downloads. */
const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  outputDir: "../test-results",
  // Most tests wait half of the time, for a server to start or for people who pause between two keys.
  workers: 2 * cpus().length,
  fullyParallel: true,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  // A test that passes on retry is reported as flaky. That is a defect to fix, but does not hide
  // the results of other tests.
  retries: 1,
  forbidOnly: process.env["CI"] !== undefined,
  reporter: [["list"]],
  use: {
    viewport: { width: 1280, height: 800 },
    // It would fetch all files of the client for each page. The tests of what it does allow it.
    serviceWorkers: "block",
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
