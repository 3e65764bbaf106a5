/** Amounts of data in the language of the page. */

import { language } from "../../language/index.ts";

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** An amount in the largest unit (powers of 1,000) of which there is at least one, with three digits at most. */
export function showBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const unit = UNITS[power] ?? "byte";
  return new Intl.NumberFormat(language(), { style: "unit", unit, unitDisplay: unit === "byte" ? "long" : "short", maximumSignificantDigits: 3 }).format(bytes / 1_000 ** power);
}
