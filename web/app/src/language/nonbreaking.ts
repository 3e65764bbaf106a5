/** Moments on one line, as far as that goes. */

const OF_DAY: ReadonlySet<string> = new Set(["hour", "minute", "dayPeriod"]);

/** A line ends between the date and the time of day, and nowhere else. Chinese and Japanese have no spaces, and break between letters. */
export function nonBreaking(parts: readonly Intl.DateTimeFormatPart[]): string {
  const isOfDay = (at: number): boolean | undefined => parts[at] && OF_DAY.has(parts[at].type);
  return parts
    .map(({ type, value }, at) => {
      if (type !== "literal") {
        return value;
      }
      const glue = /\p{Letter}/u.test(value) ? "\u2060" : "";
      return isOfDay(at - 1) === isOfDay(at + 1) ? glue + value.replaceAll(" ", "\u00a0") + glue : glue + value;
    })
    .join("");
}
