/** Validation of names of ranges and tables. */

import { t } from "../language/index.ts";
import { notation } from "../settings/index.ts";

/**
 * The same pattern as `validate_name` in `crates/operation/src/limits.rs`; the engine validates
 * again.
 */
const NAME = /^[\p{L}_\\][\p{L}\p{N}_.\\]*$/u;
const RESERVED = ["TRUE", "FALSE", "R", "C"];

/** Why the name is invalid or already in `taken`; `undefined` if it is valid. */
export function nameError(name: string, taken: readonly string[]): string | undefined {
  if (name === "") {
    return t("Enter a value.");
  }
  if (!NAME.test(name) || RESERVED.includes(name.toUpperCase()) || notation().parse(name, { row: 0, column: 0 }) !== undefined) {
    return t("Use only letters, digits, _ and . in a name. Start with a letter. Cell references are not allowed.");
  }
  return taken.some((other) => other.toLowerCase() === name.toLowerCase()) ? t("This name is already in use.") : undefined;
}
