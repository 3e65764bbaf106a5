/** The initials of a name, for avatars. */

/** The first letters of the first and the last word, in upper case. */
export function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== "");
  const first = [...(words[0] ?? "?")][0] ?? "?";
  const last = words.length > 1 ? ([...(words.at(-1) ?? "")][0] ?? "") : "";
  return (first + last).toUpperCase();
}
