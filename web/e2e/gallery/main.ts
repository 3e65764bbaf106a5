/**
 * Takes a screenshot of each state of the client: `cargo xtask gallery [--out DIR] [--size
 * phone,laptop,wide] [--scheme light,dark] [--language en,ar,ja] [--only NAME]`, or with `--readme
 * DIR` the images of the README and of the user's guide.
 *
 * The screenshots are for visual review; automatic checks are in `gallery.spec.ts`.
 */

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Browser, chromium } from "@playwright/test";
import config from "../playwright.config.ts";
import { Server } from "../server.ts";
import { clippedContent } from "./clipped-content.ts";
import { captureGuide, captureReadme } from "./document-images.ts";
import { contextOf, createWorkbook, type Setting, SIZES, openGalleryPage } from "./gallery-page.ts";
import { STATES } from "./states.ts";

interface Options {
  readonly out: string;
  readonly settings: readonly Setting[];
  readonly only: RegExp;
  /** Output directory of the images of the documents; if set, no other screenshots are taken. */
  readonly readme: string | undefined;
}

function parseOptions(given: readonly string[]): Options {
  const names = ["--out", "--size", "--scheme", "--language", "--only", "--readme"];
  const values = new Map<string, string>();
  for (let at = 0; at < given.length; at += 2) {
    const [name = "", value] = given.slice(at, at + 2);
    if (!names.includes(name) || value === undefined) {
      throw new Error(`unknown argument: ${name}; there are ${names.join(" ")}, each with a value`);
    }
    values.set(name, value);
  }
  const list = (name: string, all: string): readonly string[] => (values.get(name) ?? all).split(",");
  const settings = list("--size", Object.keys(SIZES).join(",")).flatMap((size) =>
    list("--scheme", "light,dark").flatMap((scheme) =>
      list("--language", "en,ar,ja").map((language) => ({ size, scheme, language }) as Setting),
    ),
  );
  return { out: resolve(values.get("--out") ?? "gallery"), settings, only: new RegExp(values.get("--only") ?? ""), readme: values.get("--readme") };
}

/** Settings captured in parallel, each with its own server, because states mostly wait. */
const PARALLEL_SETTINGS = 3;

/** Captures all states in one setting. Returns failed states and clipped content. */
async function capture(browser: Browser, server: Server, setting: Setting, options: Options): Promise<string[]> {
  const { size, scheme, language } = setting;
  const folder = join(options.out, `${size}-${scheme}-${language}`);
  mkdirSync(folder, { recursive: true });
  const context = await contextOf(browser, setting);
  const failed: string[] = [];
  for (const state of STATES.filter(({ name }) => options.only.test(name))) {
    // A new page per state isolates init scripts and routes.
    const gallery = await openGalleryPage(context, server, language);
    const { page } = gallery;
    try {
      if (!state.skipsReset) {
        await gallery.reset();
      }
      await state.show(gallery);
      await page.waitForTimeout(150);
    } catch (error) {
      failed.push(`${size}-${scheme}-${language} ${state.name}: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`);
    }
    await page.screenshot({ path: join(folder, `${state.name}.png`) });
    failed.push(...(await clippedContent(page)).map((name) => `${size}-${scheme}-${language} ${state.name}: cut off: ${name}`));
    await gallery.close();
  }
  await context.close();
  return failed;
}

/**
 * Captures settings from the queue until it is empty. Returns failed states and clipped content.
 */
async function work(browser: Browser, waiting: Setting[], options: Options): Promise<string[]> {
  const [first] = waiting;
  if (!first) {
    return [];
  }
  const failed: string[] = [];
  const server = await Server.start();
  try {
    const context = await contextOf(browser, first);
    await createWorkbook(await openGalleryPage(context, server, first.language));
    await context.close();
    for (let setting = waiting.shift(); setting; setting = waiting.shift()) {
      failed.push(...(await capture(browser, server, setting, options)));
      console.log(`${setting.size} ${setting.scheme} ${setting.language}`);
    }
  } finally {
    await server.stop();
  }
  return failed;
}

/** Captures the images of the documents: of the README, and in the folder `guide` of the user's guide. */
async function captureDocuments(browser: Browser, folder: string): Promise<void> {
  const images = [
    { capture: captureReadme, folder },
    { capture: captureGuide, folder: join(folder, "guide") },
  ];
  for (const image of images) {
    const server = await Server.start();
    try {
      await image.capture(browser, server, image.folder);
    } finally {
      await server.stop();
    }
  }
}

const options = parseOptions(process.argv.slice(2));
const browser = await chromium.launch(config.use?.launchOptions ?? {});
let failed: string[] = [];
try {
  if (options.readme === undefined) {
    const waiting = [...options.settings];
    failed = (await Promise.all(Array.from({ length: PARALLEL_SETTINGS }, () => work(browser, waiting, options)))).flat();
  } else {
    await captureDocuments(browser, resolve(options.readme));
  }
} finally {
  await browser.close();
}
console.log(failed.length === 0 ? `\n${options.readme ?? options.out}` : `\ndid not come about, or cannot be seen whole:\n${failed.join("\n")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
