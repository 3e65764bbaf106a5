/** Names of rooms. */

/** Letters and digits without those that are easily confused (`0` and `o`, `1`, `i` and `l`). */
const LETTERS = "23456789abcdefghjkmnpqrstuvwxyz";
/** 26 letters out of 31 carry 128 bits, so a room cannot be guessed. */
const RANDOM_LETTERS = 26;
/** The random part at the end of a name, made by the client or the server. */
export const RANDOM_PART = /(^|-)[A-Za-z0-9_]{20,}$/;
/**
 * Limit for the readable part in UTF-16 units of at most three bytes; a name has at most 128 bytes.
 */
const READABLE_PART_MAX = 32;

/** A name that cannot be guessed; with a file name, a readable part precedes the random one. */
export function newRoomName(fileName?: string): string {
  const random = crypto.getRandomValues(new Uint32Array(RANDOM_LETTERS));
  const letters = Array.from(random, (number) => LETTERS[number % LETTERS.length]).join("");
  const readable = (fileName ?? "")
    .replace(/\.[^.]*$/, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .slice(0, READABLE_PART_MAX)
    // The cut may have split a surrogate pair.
    .replace(/[\uD800-\uDBFF]$/, "")
    .replace(/^-+|-+$/g, "");
  return readable === "" ? letters : `${readable}-${letters}`;
}
