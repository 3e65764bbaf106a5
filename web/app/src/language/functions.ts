/**
 * Descriptions of functions in the language of the page.
 *
 * The English descriptions of the registry are the keys of the translations; untranslated ones stay
 * English. The names of functions are the caller's (`settings/formula-language.ts`). The module is large: import it only
 * when a formula is typed.
 */

import { FUNCTIONS, type FunctionDetails } from "@quadrille/protocol/functions";
import { type Language } from "./language.ts";

/** The translations of one language. */
export interface FunctionTexts {
  readonly sentences: Readonly<Record<string, string>>;
  /**
   * Translations by argument name without its number; a key such as `ERF(to)` applies to one
   * function.
   */
  readonly argumentNames: Readonly<Record<string, string>>;
  readonly categories: Readonly<Record<string, string>>;
}

/** A function with translated texts. */
export interface FunctionHelp extends FunctionDetails {
  readonly englishName: string;
  /**
   * Everything that a search matches, in the language of the page and in English, in lower case.
   */
  readonly searchText: string;
  /** What each argument means; only named functions have it. */
  readonly argumentTexts?: readonly string[];
}

const TEXTS: Readonly<Record<Exclude<Language, "en">, () => Promise<{ default: FunctionTexts }>>> = {
  de: () => import("./functions/de.json"),
  fr: () => import("./functions/fr.json"),
  es: () => import("./functions/es.json"),
  ja: () => import("./functions/ja.json"),
  "zh-Hans": () => import("./functions/zh-Hans.json"),
  "zh-Hant": () => import("./functions/zh-Hant.json"),
  ar: () => import("./functions/ar.json"),
};

/** All functions with the texts of a language and the names that `nameOf` gives them, by name. */
export async function functionHelp(language: Language, nameOf: (english: string) => string = (name) => name): Promise<readonly FunctionHelp[]> {
  const { compare } = new Intl.Collator(language);
  const translated = (texts: FunctionTexts | undefined): readonly FunctionHelp[] =>
    FUNCTIONS.map((details) => translateFunction(details, texts, nameOf(details.name))).sort((a, b) => compare(a.name, b.name));
  try {
    return translated(language === "en" ? undefined : (await TEXTS[language]()).default);
  } catch (error) {
    // Falls back to English.
    console.warn("quadrille: the help for functions could not be loaded:", language, error);
    return translated(undefined);
  }
}

/** Translates a function; without `texts`, the result is in English. */
export function translateFunction(details: FunctionDetails, texts: FunctionTexts | undefined, name = details.name): FunctionHelp {
  const summary = texts?.sentences[details.summary] ?? details.summary;
  const category = texts?.categories[details.category] ?? details.category;
  return {
    name,
    englishName: details.name,
    // Brackets, dots and commas are kept, as they separate the arguments.
    arguments: texts ? details.arguments.replace(/[a-z][a-z0-9_]*/g, (argument) => translateArgument(details.name, argument, texts)) : details.arguments,
    category,
    summary,
    searchText: [name, details.name, summary, category, details.summary, details.category].join(" ").toLowerCase(),
  };
}

/**
 * Translates an argument such as `start_date`, or `number2` as the translation of `number` with the
 * number appended.
 */
function translateArgument(name: string, argument: string, texts: FunctionTexts): string {
  const stem = argument.replace(/\d+$/, "");
  const find = (key: string): string | undefined => texts.argumentNames[`${name}(${key})`] ?? texts.argumentNames[key];
  const translatedStem = find(stem);
  const translation = find(argument) ?? (translatedStem && translatedStem + argument.slice(stem.length)) ?? argument;
  // Isolated, as right-to-left names would reverse the order of the arguments.
  return /\p{Script=Arabic}/u.test(translation) ? `\u2068${translation}\u2069` : translation;
}
