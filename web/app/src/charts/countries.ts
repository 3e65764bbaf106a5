/**
 * Recognizes countries by their ISO 3166-1 codes and names. The names are those of all languages of the
 * interface, so that a map is the same for everybody, whatever language they read.
 */

import codes from "i18n-iso-countries/codes.json";
import english from "i18n-iso-countries/langs/en.json";
import { OTHER_NAMES } from "./country-names.ts";

/** Languages whose names are recognized; where two disagree, the earlier one counts. */
const LANGUAGES = ["en", "de", "fr", "es", "ja", "zh-Hans", "zh-Hant", "ar"] as const;

/** Code points of 🇦 and 🇿: two of these letters are a flag. */
const FLAG_LETTERS = [0x1f1e6, 0x1f1ff] as const;

/** Different countries that a column names at least, before a map is suggested for it. */
const COUNTRIES_MIN = 3;
/** The part of the texts of such a column that are countries. */
const COUNTRIES_SHARE = 0.8;

let codesByKey: Map<string, string> | undefined;
let codesByNumber: Map<string, string> | undefined;

/**
 * The ISO 3166-1 alpha-2 code of a country by one of its codes, names or its flag, without case, accents
 * and punctuation: `FR`, `fra`, `250`, `France`, `Frankreich`, `🇫🇷`. Kosovo has `XK`, as in Unicode CLDR.
 */
export function countryOf(text: string): string | undefined {
  const trimmed = text.trim();
  if (/^\d{1,3}$/.test(trimmed)) {
    return countryOfNumber(trimmed);
  }
  codesByKey ??= keys();
  const without = trimmed.replace(/\s*\([^()]*\)$/, "");
  return codesByKey.get(keyOf(trimmed)) ?? codesByKey.get(keyOf(without)) ?? flagOf(trimmed);
}

/** The alpha-2 code of a numeric one; zeros at its beginning may be missing, as in cells with numbers. */
export function countryOfNumber(number: string): string | undefined {
  codesByNumber ??= new Map(codes.map(([alpha2 = "", , numeric = ""]) => [numeric, alpha2]));
  return codesByNumber.get(number.padStart(3, "0"));
}

/**
 * Whether most of the texts name countries. Codes of two letters do not count: they may as well be those
 * of states and languages, or words such as `no`.
 */
export function areCountries(texts: readonly string[]): boolean {
  const filled = texts.filter((text) => text.trim() !== "");
  const found = filled.flatMap((text) => (keyOf(text).length > 2 || flagOf(text) ? (countryOf(text) ?? []) : []));
  return new Set(found).size >= COUNTRIES_MIN && found.length >= filled.length * COUNTRIES_SHARE;
}

function keys(): Map<string, string> {
  const found = new Map<string, string>();
  const add = (text: string, code: string): void => {
    const key = keyOf(text);
    if (!found.has(key)) {
      found.set(key, code);
    }
  };
  for (const [alpha2 = "", alpha3 = ""] of codes) {
    add(alpha2, alpha2);
    add(alpha3, alpha2);
  }
  for (const [code, names] of [...Object.entries(OTHER_NAMES), ...Object.entries(english.countries)]) {
    for (const name of [names].flat()) {
      add(name, code);
    }
  }
  for (const language of LANGUAGES) {
    for (const style of ["long", "short"] as const) {
      const names = new Intl.DisplayNames([language], { type: "region", style, fallback: "none" });
      for (const [code = ""] of codes) {
        add(names.of(code) ?? code, code);
      }
    }
  }
  return found;
}

/** What two spellings of a name have in common: letters and digits, without case and accents. */
function keyOf(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    // Upper case first: `ß` and `SS` are the same.
    .toUpperCase()
    .toLowerCase()
    .replaceAll("&", " and ")
    .replace(/^the /, "")
    .replace(/, the$/, "")
    .replace(/[^\p{L}\p{N}]/gu, "");
}

function flagOf(text: string): string | undefined {
  const [first, last] = FLAG_LETTERS;
  const letters = [...text].map((character) => character.codePointAt(0) ?? 0);
  if (letters.length !== 2 || letters.some((letter) => letter < first || letter > last)) {
    return undefined;
  }
  const code = String.fromCharCode(...letters.map((letter) => letter - first + 65));
  return codes.some(([alpha2]) => alpha2 === code) ? code : undefined;
}
