/** What cells and tables may be called. */

import { t } from "../language/index.ts";
import { notation } from "../settings/index.ts";

/** As `validate_name` in crates/operation/src/limits.rs has it, which has the last say. */
const NAME = /^[\p{L}_\\][\p{L}\p{N}_.\\]*$/u;
const VALUES = ["TRUE", "FALSE", "R", "C"];

/** Why this cannot be a name, if it cannot; `taken` are those of others. */
export function nameError(name: string, taken: readonly string[]): string | undefined {
  if (name === "") {
    return t("Enter a value.");
  }
  if (!NAME.test(name) || VALUES.includes(name.toUpperCase()) || notation().parse(name, { row: 0, column: 0 }) !== undefined) {
    return t("A name has letters, digits, _ and . only, begins with a letter and is not that of a cell.");
  }
  return taken.some((other) => other.toLowerCase() === name.toLowerCase()) ? t("This name is taken.") : undefined;
}
