/** The number formats that the toolbar offers, with examples as the reader's language writes them. */

import type { Language, Message } from "../language/index.ts";

export interface NumberFormat {
  readonly name: Message;
  /** In Excel's format language; null is General. */
  readonly code: string | null;
  readonly example: string;
}

const LONG_DATE = "d mmmm yyyy";
const EAST_ASIAN = 'yyyy"年"m"月"d"日"';

/** Long dates of languages that do not write them as English does (CLDR's long date patterns). */
const LONG_DATES: Partial<Record<Language, string>> = {
  de: "d. mmmm yyyy",
  es: 'd "de" mmmm "de" yyyy',
  ja: EAST_ASIAN,
  "zh-Hans": EAST_ASIAN,
  "zh-Hant": EAST_ASIAN,
};

/** The money of where a language is at home, where it is neither of the two that all are offered. */
const OWN_MONEY: Partial<Record<Language, readonly [name: Message, code: string, sign: string, digits: number]>> = {
  ja: ["Yen", "[$¥-411]#,##0", "¥", 0],
  "zh-Hans": ["Yuan", "[$¥-804]#,##0.00", "¥", 2],
  "zh-Hant": ["New Taiwan dollar", "[$NT$-404]#,##0", "NT$", 0],
};

/** English as dates are written between day and year; Arabic with the digits that cells are shown with. */
const TAGS: Partial<Record<Language, string>> = { en: "en-GB", ar: "ar-u-nu-latn" };

export function numberFormats(language: Language): readonly NumberFormat[] {
  const tag = TAGS[language] ?? language;
  const number = (value: number, digits: number): string =>
    value.toLocaleString(tag, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: "always" });
  const plain = (value: number, digits: number): string =>
    value.toLocaleString(tag, { minimumFractionDigits: digits, useGrouping: false });
  const date = new Date(2026, 10, 21).toLocaleDateString(tag, { dateStyle: "long" });
  const of = (name: Message, code: string | null, example: string): NumberFormat => ({ name, code, example });
  const money = OWN_MONEY[language];
  const own = money ? [of(money[0], money[1], `${money[2]}${number(money[3] > 0 ? 1234.5 : 1235, money[3])}`)] : [];
  return [
    of("General", null, plain(1234.5, 1)),
    of("Number", "#,##0.00", number(1234.5, 2)),
    of("Whole number", "#,##0", number(1235, 0)),
    of("Percent", "0%", "12%"),
    of("Percent, precise", "0.00%", `${plain(12.34, 2)}%`),
    ...own,
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

/** What a format is called that was chosen in whatever language; nothing when it is one's own. */
export function nameOf(code: string | null): Message | undefined {
  const isLongDate = code !== null && Object.values(LONG_DATES).includes(code);
  const money = Object.values(OWN_MONEY).find(([, known]) => known === code);
  return money ? money[0] : isLongDate ? "Long date" : numberFormats("en").find((known) => known.code === code)?.name;
}
