import { cpus } from "node:os";
import { fileURLToPath } from "node:url";

import { defineConfig } from "@playwright/test";
import { CHROMIUM, CHROMIUM_ARGS } from "./chromium.ts";
import { FIREFOX_OPTIONS } from "./firefox/process.ts";

/** Tests that start what they need themselves: Firefox with the screen reader Orca. */
const OTHERS = ["orca/*.spec.ts"];

/**
 * What runs in Firefox and WebKit as well. With `FIREFOX_TESTS=all` and `WEBKIT_TESTS=all`, all tests run
 * there that need nothing of Chromium.
 */
const IN_EVERY_BROWSER = ["collaboration", "editing", "files", "find", "grid", "input", "loading", "offline", "paste", "roles"];

function testsIn(browser: "FIREFOX" | "WEBKIT"): string | string[] {
  return process.env[`${browser}_TESTS`] === "all" ? "*.spec.ts" : IN_EVERY_BROWSER.map((name) => `${name}.spec.ts`);
}

// Chromium takes the encoding of file names from the locale, which containers often do not have.
if (!/utf-?8/i.test(process.env["LC_ALL"] || process.env["LC_CTYPE"] || process.env["LANG"] || "")) {
  process.env["LC_ALL"] = "C.UTF-8";
}

/**
 * Features of Chromium that the tests do without.
 *
 * Each window loads two pages of the browser itself, for the list below its address bar. The windows
 * of the tests have no address bar, and these pages took almost half of the processor time of a test.
 *
 * Chromium uses the last `--disable-features` alone, so those that Playwright disables because tests
 * depend on it are repeated (`chromiumSwitches.ts` of Playwright).
 */
const disabledFeatures = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxFullPopup",
  "WebUIOmniboxAimPopup",
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
];

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  outputDir: "../test-results",
  // A browser uses more than one processor. With twice as many workers, tests took a fifth longer, because
  // pages are drawn anew while a test waits.
  workers: cpus().length,
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
  },
  projects: [
    {
      name: "chromium",
      testIgnore: OTHERS,
      use: {
        launchOptions: {
          executablePath: CHROMIUM,
          args: [
            ...CHROMIUM_ARGS,
            `--disable-features=${disabledFeatures.join(",")}`,
          ],
        },
      },
    },
    {
      name: "firefox",
      testMatch: testsIn("FIREFOX"),
      testIgnore: OTHERS,
      use: { browserName: "firefox", launchOptions: FIREFOX_OPTIONS },
    },
    {
      name: "webkit",
      testMatch: testsIn("WEBKIT"),
      testIgnore: OTHERS,
      use: { browserName: "webkit", launchOptions: { executablePath: fileURLToPath(new URL("webkit/relay.mjs", import.meta.url)) } },
    },
    { name: "others", testMatch: OTHERS },
  ],
});
