/** Prevents line breaks inside of dates and times. */

const TIME_PARTS: ReadonlySet<string> = new Set(["hour", "minute", "dayPeriod"]);

/**
 * Joins date parts so that a line can break only between date and time. Chinese and Japanese have
 * no spaces and would break between letters.
 */
export function nonBreaking(parts: readonly Intl.DateTimeFormatPart[]): string {
  const isTimePart = (index: number): boolean | undefined => parts[index] && TIME_PARTS.has(parts[index].type);
  return parts
    .map(({ type, value }, index) => {
      if (type !== "literal") {
        return value;
      }
      const glue = /\p{Letter}/u.test(value) ? "\u2060" : "";
      return isTimePart(index - 1) === isTimePart(index + 1) ? glue + value.replaceAll(" ", "\u00a0") + glue : glue + value;
    })
    .join("");
}
