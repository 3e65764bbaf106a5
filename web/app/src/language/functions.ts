/**
 * What help says about functions, in the reader's language.
 *
 * Functions keep their names in every language. The registry's English sentences are the keys of the others, as in the catalogues; what
 * is not there stays English. All of it is loaded when somebody types a formula: import this module only then.
 */

import { FUNCTIONS, type FunctionDetails } from "@quadrille/protocol/functions";
import { type Language } from "./language.ts";

export interface FunctionWords {
  readonly sentences: Readonly<Record<string, string>>;
  /** By the registry's names without the number behind them; `ERF(to)` stands for that function's alone. */
  readonly argumentNames: Readonly<Record<string, string>>;
  readonly categories: Readonly<Record<string, string>>;
}

/** A function in the reader's words. */
export interface FunctionHelp extends FunctionDetails {
  /** All that it may be searched by, also in English, in small letters. */
  readonly searched: string;
}

const WORDS: Readonly<Record<Exclude<Language, "en">, () => Promise<{ default: FunctionWords }>>> = {
  de: () => import("./functions/de.json"),
  fr: () => import("./functions/fr.json"),
  es: () => import("./functions/es.json"),
  ja: () => import("./functions/ja.json"),
  "zh-Hans": () => import("./functions/zh-Hans.json"),
  "zh-Hant": () => import("./functions/zh-Hant.json"),
  ar: () => import("./functions/ar.json"),
};

export async function functionHelp(language: Language): Promise<readonly FunctionHelp[]> {
  try {
    const words = language === "en" ? undefined : (await WORDS[language]()).default;
    return FUNCTIONS.map((known) => describe(known, words));
  } catch (error) {
    // Better in English than not at all.
    console.warn("quadrille: the help for functions could not be loaded:", language, error);
    return FUNCTIONS.map((known) => describe(known, undefined));
  }
}

/** `undefined` is English. */
export function describe(known: FunctionDetails, words: FunctionWords | undefined): FunctionHelp {
  const summary = words?.sentences[known.summary] ?? known.summary;
  const category = words?.categories[known.category] ?? known.category;
  return {
    name: known.name,
    // Brackets, dots and commas stay: they are what tells arguments apart.
    arguments: words ? known.arguments.replace(/[a-z][a-z0-9_]*/g, (argument) => argumentIn(known.name, argument, words)) : known.arguments,
    category,
    summary,
    searched: [known.name, summary, category, known.summary, known.category].join(" ").toLowerCase(),
  };
}

/** `start_date`, or `number2`: the word for `number`, and the number behind it. */
function argumentIn(name: string, argument: string, words: FunctionWords): string {
  const stem = argument.replace(/\d+$/, "");
  const find = (key: string): string | undefined => words.argumentNames[`${name}(${key})`] ?? words.argumentNames[key];
  const stemFound = find(stem);
  const found = find(argument) ?? (stemFound && stemFound + argument.slice(stem.length)) ?? argument;
  // Names from right to left would otherwise turn round the order of the arguments.
  return /\p{Script=Arabic}/u.test(found) ? `\u2068${found}\u2069` : found;
}
