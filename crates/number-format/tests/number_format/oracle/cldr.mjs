// Prints locale data of JavaScript's Intl: `node cldr.mjs > cldr.tsv` (Node 20.20, CLDR 48).
const TAGS = ["en-US", "en-GB", "de", "fr", "es", "ja", "zh-Hans", "zh-Hant", "ar"];
const CURRENCIES = { "en-US": "USD", "en-GB": "GBP", de: "EUR", fr: "EUR", es: "EUR", ja: "JPY", "zh-Hans": "CNY", "zh-Hant": "TWD", ar: "" };
const UTC = { timeZone: "UTC" };
const day = (month, date, hour = 0) => new Date(Date.UTC(2024, month, date, hour));
const print = (tag, fact, ...values) => console.log([tag, fact, ...values].join("\t"));

for (const tag of TAGS) {
  const locale = `${tag}-u-nu-latn-ca-gregory`;
  const part = (options, date, type) =>
    new Intl.DateTimeFormat(locale, { ...options, ...UTC }).formatToParts(date).find((part) => part.type === type)?.value;
  const number = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 }).formatToParts(12345678.5);
  for (const type of ["decimal", "group"]) print(tag, type, number.find((part) => part.type === type).value);
  const months = [...Array(12).keys()];
  // Numeric month names get their suffix.
  print(tag, "months", months.map((month) => {
    const name = part({ month: "long", day: "numeric" }, day(month, 15), "month");
    return /^\d+$/.test(name) ? `${name}月` : name;
  }));
  print(tag, "months short", months.map((month) => new Intl.DateTimeFormat(locale, { month: "short", ...UTC }).format(day(month, 15))));
  const days = [7, 8, 9, 10, 11, 12, 13].map((date) => day(0, date));
  print(tag, "weekdays", days.map((date) => part({ weekday: "long" }, date, "weekday")));
  print(tag, "weekdays short", days.map((date) => part({ weekday: "short" }, date, "weekday")));
  print(tag, "noon", [9, 15].map((hour) => part({ hour: "numeric", hour12: true }, day(0, 7, hour), "dayPeriod")));
  // Without bidirectional control characters.
  const numeric = new Intl.DateTimeFormat(locale, { year: "numeric", month: "2-digit", day: "2-digit", ...UTC });
  print(tag, "date", numeric.format(day(4, 31)).replace(/[\u200e\u200f]/g, ""));
  if (CURRENCIES[tag]) {
    const money = new Intl.NumberFormat(locale, { style: "currency", currency: CURRENCIES[tag] }).formatToParts(1);
    print(tag, "currency", money.find((part) => part.type === "currency").value.replace("￥", "¥"));
  }
}
