/**
 * Takes a picture of every state of the page: `cargo xtask gallery [--out DIR] [--size phone,laptop,wide]
 * [--scheme light,dark] [--language en,ar,ja] [--only NAME]`, or with `--readme DIR` those of the README.
 *
 * The pictures are to be looked at by a person; what can be checked without one is in `states.spec.ts`.
 */

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Browser, chromium } from "@playwright/test";
import config from "../playwright.config.ts";
import { Server } from "../server.ts";
import { cutOff } from "./cut.ts";
import { shootReadme } from "./readme.ts";
import { contextOf, furnish, type Setting, SIZES, stageOf } from "./stage.ts";
import { STATES } from "./states.ts";

interface Wish {
  readonly out: string;
  readonly settings: readonly Setting[];
  readonly only: RegExp;
  /** Where the README's pictures go; then no others are taken. */
  readonly readme: string | undefined;
}

function wishOf(given: readonly string[]): Wish {
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

/** A state spends much of its time waiting: so many settings are photographed at the same time, each on a server of its own. */
const AT_ONCE = 3;

/** Pictures of all states in one setting; returns what did not come about or cannot be seen whole. */
async function shoot(browser: Browser, server: Server, setting: Setting, wish: Wish): Promise<string[]> {
  const { size, scheme, language } = setting;
  const folder = join(wish.out, `${size}-${scheme}-${language}`);
  mkdirSync(folder, { recursive: true });
  const context = await contextOf(browser, setting);
  const failed: string[] = [];
  for (const state of STATES.filter(({ name }) => wish.only.test(name))) {
    // Init scripts and routes of one state do not reach the next.
    const stage = await stageOf(context, server, language);
    const { page } = stage;
    try {
      if (!state.isAlone) {
        await stage.reset();
      }
      await state.show(stage);
      await page.waitForTimeout(150);
    } catch (error) {
      failed.push(`${size}-${scheme}-${language} ${state.name}: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`);
    }
    await page.screenshot({ path: join(folder, `${state.name}.png`) });
    failed.push(...(await cutOff(page)).map((name) => `${size}-${scheme}-${language} ${state.name}: cut off: ${name}`));
    await stage.close();
  }
  await context.close();
  return failed;
}

/** Takes settings from those that wait until there are none; returns what did not come about or cannot be seen whole. */
async function work(browser: Browser, waiting: Setting[], wish: Wish): Promise<string[]> {
  const [first] = waiting;
  if (!first) {
    return [];
  }
  const failed: string[] = [];
  const server = await Server.start();
  try {
    const context = await contextOf(browser, first);
    await furnish(await stageOf(context, server, first.language));
    await context.close();
    for (let setting = waiting.shift(); setting; setting = waiting.shift()) {
      failed.push(...(await shoot(browser, server, setting, wish)));
      console.log(`${setting.size} ${setting.scheme} ${setting.language}`);
    }
  } finally {
    await server.stop();
  }
  return failed;
}

async function readme(browser: Browser, folder: string): Promise<void> {
  const server = await Server.start();
  try {
    await shootReadme(browser, server, folder);
  } finally {
    await server.stop();
  }
}

const wish = wishOf(process.argv.slice(2));
const browser = await chromium.launch(config.use?.launchOptions ?? {});
let failed: string[] = [];
try {
  if (wish.readme === undefined) {
    const waiting = [...wish.settings];
    failed = (await Promise.all(Array.from({ length: AT_ONCE }, () => work(browser, waiting, wish)))).flat();
  } else {
    await readme(browser, resolve(wish.readme));
  }
} finally {
  await browser.close();
}
console.log(failed.length === 0 ? `\n${wish.readme ?? wish.out}` : `\ndid not come about, or cannot be seen whole:\n${failed.join("\n")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
