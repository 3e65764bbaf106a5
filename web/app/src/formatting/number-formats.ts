/** The number formats of the toolbar, with examples in the language of the page. */

import type { Language, Message } from "../language/index.ts";

/** A number format of the menu. */
export interface NumberFormat {
  readonly name: Message;
  /** Format code of Excel; `null` for General. */
  readonly code: string | null;
  readonly example: string;
}

const LONG_DATE = "d mmmm yyyy";
const EAST_ASIAN = 'yyyy"年"m"月"d"日"';

/** Long date formats that differ from English (long date patterns of CLDR). */
const LONG_DATES: Partial<Record<Language, string>> = {
  de: "d. mmmm yyyy",
  es: 'd "de" mmmm "de" yyyy',
  ja: EAST_ASIAN,
  "zh-Hans": EAST_ASIAN,
  "zh-Hant": EAST_ASIAN,
};

/** The local currency of a language, in addition to dollar and euro. */
const LOCAL_CURRENCIES: Partial<Record<Language, readonly [name: Message, code: string, sign: string, digits: number]>> = {
  ja: ["Yen", "[$¥-411]#,##0", "¥", 0],
  "zh-Hans": ["Yuan", "[$¥-804]#,##0.00", "¥", 2],
  "zh-Hant": ["New Taiwan dollar", "[$NT$-404]#,##0", "NT$", 0],
};

/** Locales for examples: English with the day first, Arabic with Latin digits, as in cells. */
const TAGS: Partial<Record<Language, string>> = { en: "en-GB", ar: "ar-u-nu-latn" };

/** The formats in the order of the menu. */
export function numberFormats(language: Language): readonly NumberFormat[] {
  const tag = TAGS[language] ?? language;
  const number = (value: number, digits: number): string =>
    value.toLocaleString(tag, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: "always" });
  const plain = (value: number, digits: number): string =>
    value.toLocaleString(tag, { minimumFractionDigits: digits, useGrouping: false });
  const date = new Date(2026, 10, 21).toLocaleDateString(tag, { dateStyle: "long" });
  const of = (name: Message, code: string | null, example: string): NumberFormat => ({ name, code, example });
  const currency = LOCAL_CURRENCIES[language];
  const local = currency ? [of(currency[0], currency[1], `${currency[2]}${number(currency[3] > 0 ? 1234.5 : 1235, currency[3])}`)] : [];
  return [
    of("General", null, plain(1234.5, 1)),
    of("Number", "#,##0.00", number(1234.5, 2)),
    of("Whole number", "#,##0", number(1235, 0)),
    of("Percent", "0%", "12%"),
    of("Percent, 2 decimals", "0.00%", `${plain(12.34, 2)}%`),
    ...local,
    of("Dollar", "$#,##0.00", `$${number(1234.5, 2)}`),
    of("Euro", "[$€-x-euro2] #,##0.00", `€ ${number(1234.5, 2)}`),
    of("Accounting", "#,##0.00;[Red](#,##0.00)", `(${number(1234.5, 2)})`),
    of("Scientific", "0.00E+00", `${plain(1.23, 2)}E+03`),
    of("Fraction", "# ?/?", "1 1/2"),
    of("Date", "yyyy-mm-dd", "2026-11-21"),
    of("Long date", LONG_DATES[language] ?? LONG_DATE, date),
    of("Time", "hh:mm:ss", "14:30:00"),
    of("Date and time", "yyyy-mm-dd hh:mm", "2026-11-21 14:30"),
    of("Duration", "[h]:mm:ss", "26:30:00"),
    of("Text", "@", "001"),
  ];
}

/** The name of a format in any language; `undefined` for a custom format. */
export function numberFormatName(code: string | null): Message | undefined {
  const isLongDate = code !== null && Object.values(LONG_DATES).includes(code);
  const currency = Object.values(LOCAL_CURRENCIES).find(([, currencyCode]) => currencyCode === code);
  return currency ? currency[0] : isLongDate ? "Long date" : numberFormats("en").find((format) => format.code === code)?.name;
}
