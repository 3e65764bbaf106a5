/**
 * Texts in the language of the user.
 *
 * The English texts in the code are the keys of the catalogues, so that English needs no download.
 * The part of a key after `|` distinguishes equal English texts with different meanings and is not
 * displayed. `{name}` is a placeholder. A text that depends on a number has CLDR plural forms,
 * chosen by `count`.
 */

import { createSignal, untrack } from "solid-js";
import type german from "./catalogues/de.json";
import type germanAccounts from "./account-catalogues/de.json";
import { significantNumber } from "./significant-number.ts";

/** An English text that is a key of the catalogues. */
export type Message = keyof typeof german | keyof typeof germanAccounts;
/** Values of placeholders. */
export type Values = Readonly<Record<string, string | number>>;

type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;
/** Translations by English text. */
export type Catalogue = Readonly<Record<string, string | Forms>>;

/** Language tag of a catalogue. */
export type Language = "en" | "de" | "fr" | "es" | "ja" | "zh-Hans" | "zh-Hant" | "ar";

/** The languages by their own names, for people who cannot read the current one. */
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

/**
 * The plural forms of English. Those that the page of a workbook displays at once are here; `loadEnglishForms` adds
 * the others.
 */
const english: Record<string, string | Forms> = {
  "{count} people here": { one: "{count} person here", other: "{count} people here" },
};

const KEY = "quadrille.language";
const RIGHT_TO_LEFT: ReadonlySet<Language> = new Set(["ar"]);

interface Localization {
  readonly language: Language;
  readonly catalogue: Catalogue;
  readonly plurals: Intl.PluralRules;
  readonly numbers: Intl.NumberFormat;
}

const [localization, setLocalization] = createSignal<Localization>(createLocalization("en", english));

/** The text in the language of the page, with placeholders replaced. */
export function t(message: Message, values: Values = {}): string {
  return translated(message, values);
}

/**
 * Like `t`, for texts of other packages (labels of the keymap, messages of the engine). Unknown
 * texts stay English.
 */
export function translated(message: string, values: Values = {}): string {
  const { catalogue, plurals, numbers } = localization();
  const count = values["count"];
  const entry = catalogue[message] ?? message.replace(/\|.*$/, "");
  const text =
    typeof entry === "string" ? entry : (entry[plurals.select(Number(count))] ?? entry.other ?? message);
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return typeof value === "number" ? numbers.format(value) : value === undefined ? whole : isolated(value);
  });
}

/**
 * Isolates a value (user text, date, cell reference) in right-to-left text by the Unicode
 * characters FSI and PDI, so that it keeps its own order.
 */
export function isolated(value: string): string {
  if (!isRightToLeft() || value === "") {
    return value;
  }
  // FSI ignores isolated text, so a localized text with values starts with RLI. Formulas start with
  // LRI.
  const start = value.startsWith("=") ? "\u2066" : value.includes("\u2068") ? "\u2067" : "\u2068";
  return `${start}${value}\u2069`;
}

/** Removes isolate characters, for text that is stored. */
export function withoutIsolates(text: string): string {
  return text.replace(/[\u2066-\u2069]/g, "");
}

/** The language of the page. */
export function language(): Language {
  return localization().language;
}

/** Whether the language of the page is right-to-left. */
export function isRightToLeft(): boolean {
  return RIGHT_TO_LEFT.has(language());
}

/** The direction of the page, for elements inside of the sheet, which has its own direction. */
export function direction(): "rtl" | "ltr" {
  return isRightToLeft() ? "rtl" : "ltr";
}

/** A number formatted in the language of the page. */
export function showNumber(number: number): string {
  return localization().numbers.format(number);
}

/** A number for an equation, in the language of the page. */
export function showSignificant(number: number, digits: number): string {
  return significantNumber(number, digits, language());
}

/**
 * Loads the language that the host page requests, the one chosen before, or the one that the
 * browser prefers.
 */
export async function startLanguage(requested?: string): Promise<void> {
  await loadLanguage((requested === undefined ? undefined : supportedLanguage(requested)) ?? storedLanguage() ?? preferredLanguage(navigator.languages));
}

/** Switches the language and stores the choice. */
export async function chooseLanguage(chosen: Language): Promise<void> {
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
  await loadLanguage(chosen);
}

/** The first language of the list that has a catalogue. */
export function preferredLanguage(tags: readonly string[]): Language {
  for (const tag of tags) {
    const supported = supportedLanguage(tag);
    if (supported) {
      return supported;
    }
  }
  return "en";
}

function supportedLanguage(tag: string): Language | undefined {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return LANGUAGES.map(([name]) => name).find((name) => name === language || name === `${language}-${script}`);
  } catch {
    // Not a valid language tag.
    return undefined;
  }
}

function storedLanguage(): Language | undefined {
  try {
    const stored = localStorage.getItem(KEY);
    return LANGUAGES.find(([name]) => name === stored)?.[0];
  } catch {
    return undefined;
  }
}

/** Loads the plural forms of English. */
export async function loadEnglishForms(): Promise<void> {
  const { default: forms } = await import("./catalogues/en.json");
  Object.assign(english, forms);
  const { language, catalogue } = untrack(localization);
  if (language === "en") {
    Object.assign(catalogue, forms);
  }
}

/** Catalogues of parts of the client that are loaded with these parts. */
const partCatalogues: ((language: Language) => Promise<Catalogue>)[] = [];

/** Adds the texts of a part of the client, in the current language and in those chosen later. */
export async function addCatalogue(load: (language: Language) => Promise<Catalogue>): Promise<void> {
  partCatalogues.push(load);
  await loadLanguage(language());
}

async function loadLanguage(wanted: Language): Promise<void> {
  let found = wanted;
  let catalogue: Catalogue = english;
  try {
    const loads = [...partCatalogues];
    const [main, ...parts] = await Promise.all([
      wanted === "en" ? english : CATALOGUES[wanted]().then((loaded) => loaded.default),
      ...loads.map((load) => load(wanted)),
    ]);
    catalogue = Object.assign({}, main, ...parts) as Catalogue;
  } catch (error) {
    // Falls back to English.
    console.warn("quadrille: the catalogue could not be loaded:", wanted, error);
    found = "en";
  }
  setLocalization(createLocalization(found, catalogue));
  document.documentElement.lang = found;
  document.documentElement.dir = RIGHT_TO_LEFT.has(found) ? "rtl" : "ltr";
}

function createLocalization(language: Language, catalogue: Catalogue): Localization {
  return { language, catalogue, plurals: new Intl.PluralRules(language), numbers: new Intl.NumberFormat(language) };
}
