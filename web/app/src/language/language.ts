/**
 * What the page says, in the language of the person who reads it.
 *
 * The code is written in English and its English texts are the keys of the other catalogues, so that English costs
 * nothing to load. What stands after `|` in a key tells equal English words of different meaning apart and is not
 * shown. `{name}` is a value. A text that depends on a number is a set of CLDR plural forms, chosen by `count`.
 */

import { createSignal } from "solid-js";
import english from "./catalogues/en.json";
import type german from "./catalogues/de.json";

export type Message = keyof typeof german;
export type Values = Readonly<Record<string, string | number>>;

type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;
export type Catalogue = Readonly<Record<string, string | Forms>>;

export type Language = "en" | "de" | "fr" | "es" | "ja" | "zh-Hans" | "zh-Hant" | "ar";

/** By their own names, for people who cannot read the one that shows. */
export const LANGUAGES: readonly (readonly [language: Language, name: string])[] = [
  ["en", "English"],
  ["de", "Deutsch"],
  ["fr", "Français"],
  ["es", "Español"],
  ["ja", "日本語"],
  ["zh-Hans", "简体中文"],
  ["zh-Hant", "繁體中文"],
  ["ar", "العربية"],
];

const CATALOGUES: Readonly<Record<Exclude<Language, "en">, () => Promise<{ default: Catalogue }>>> = {
  de: () => import("./catalogues/de.json"),
  fr: () => import("./catalogues/fr.json"),
  es: () => import("./catalogues/es.json"),
  ja: () => import("./catalogues/ja.json"),
  "zh-Hans": () => import("./catalogues/zh-Hans.json"),
  "zh-Hant": () => import("./catalogues/zh-Hant.json"),
  ar: () => import("./catalogues/ar.json"),
};

const KEY = "quadrille.language";
const RIGHT_TO_LEFT: ReadonlySet<Language> = new Set(["ar"]);

interface Speech {
  readonly language: Language;
  readonly catalogue: Catalogue;
  readonly plurals: Intl.PluralRules;
  readonly numbers: Intl.NumberFormat;
}

const [speech, setSpeech] = createSignal<Speech>(speechIn("en", english));

/** The text in the reader's language, with its values filled in. */
export function t(message: Message, values: Values = {}): string {
  return translated(message, values);
}

/** For texts that other packages name: labels of the keymap, sentences of the engine. Unknown ones stay English. */
export function translated(message: string, values: Values = {}): string {
  const { catalogue, plurals, numbers } = speech();
  const count = values["count"];
  const entry = catalogue[message] ?? message.replace(/\|.*$/, "");
  const text =
    typeof entry === "string" ? entry : (entry[plurals.select(Number(count))] ?? entry.other ?? message);
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return typeof value === "number" ? numbers.format(value) : value === undefined ? whole : isolated(value);
  });
}

/** What others wrote, a date or a name of cells in a text from the right keeps its own order: it stands between FSI and PDI. */
export function isolated(value: string): string {
  if (!isRightToLeft() || value === "") {
    return value;
  }
  // A text of ours with values in it is read from the right, too; FSI does not look into what stands isolated in it.
  // A formula is read from the left, whatever the letters of its names.
  const start = value.startsWith("=") ? "\u2066" : value.includes("\u2068") ? "\u2067" : "\u2068";
  return `${start}${value}\u2069`;
}

/** For what others keep and read as well: without what keeps languages apart on this page. */
export function withoutIsolates(text: string): string {
  return text.replace(/[\u2066-\u2069]/g, "");
}

export function language(): Language {
  return speech().language;
}

export function isRightToLeft(): boolean {
  return RIGHT_TO_LEFT.has(language());
}

/** For what lies over the sheet, which has a direction of its own. */
export function direction(): "rtl" | "ltr" {
  return isRightToLeft() ? "rtl" : "ltr";
}

export function showNumber(number: number): string {
  return speech().numbers.format(number);
}

/** Loads what the page round this one wants, what the person chose before, or what the browser prefers. */
export async function startLanguage(wanted?: string): Promise<void> {
  await speak((wanted === undefined ? undefined : known(wanted)) ?? chosenBefore() ?? preferred(navigator.languages));
}

export async function chooseLanguage(chosen: Language): Promise<void> {
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // No storage: the choice lasts as long as the page.
  }
  await speak(chosen);
}

/** The first language of the list that there is a catalogue for. */
export function preferred(tags: readonly string[]): Language {
  for (const tag of tags) {
    const found = known(tag);
    if (found) {
      return found;
    }
  }
  return "en";
}

function known(tag: string): Language | undefined {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return LANGUAGES.map(([name]) => name).find((name) => name === language || name === `${language}-${script}`);
  } catch {
    // Not the name of a language.
    return undefined;
  }
}

function chosenBefore(): Language | undefined {
  try {
    const stored = localStorage.getItem(KEY);
    return LANGUAGES.find(([name]) => name === stored)?.[0];
  } catch {
    return undefined;
  }
}

async function speak(wanted: Language): Promise<void> {
  let describeChart = speechIn("en", english);
  if (wanted !== "en") {
    try {
      describeChart = speechIn(wanted, (await CATALOGUES[wanted]()).default);
    } catch (error) {
      // Better in English than not at all.
      console.warn("quadrille: the catalogue could not be loaded:", wanted, error);
    }
  }
  setSpeech(describeChart);
  document.documentElement.lang = describeChart.language;
  document.documentElement.dir = RIGHT_TO_LEFT.has(describeChart.language) ? "rtl" : "ltr";
}

function speechIn(language: Language, catalogue: Catalogue): Speech {
  return { language, catalogue, plurals: new Intl.PluralRules(language), numbers: new Intl.NumberFormat(language) };
}
