/** Numbers of equations. */

/** Numbers from here on, and small ones up to here, are in scientific notation. */
const PLAIN_NUMBERS = { from: 1e-4, to: 1e10 };

/**
 * A number with at least all its integer digits and so many significant digits, without separators of
 * thousands.
 */
export function significantNumber(number: number, digits: number, locale: string): string {
  const size = Math.abs(number);
  const isPlain = number === 0 || (size >= PLAIN_NUMBERS.from && size < PLAIN_NUMBERS.to);
  const maximumSignificantDigits = isPlain && size >= 1 ? Math.max(digits, Math.floor(Math.log10(size)) + 1) : digits;
  return new Intl.NumberFormat(locale, { maximumSignificantDigits, useGrouping: false, notation: isPlain ? "standard" : "scientific" }).format(number);
}
