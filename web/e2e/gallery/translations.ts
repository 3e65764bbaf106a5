/**
 * Translations of the client, so that states can select controls by their English texts in any
 * language.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../app/src/language");

type Forms = Readonly<Record<string, string>>;

export class Translations {
  readonly language: string;
  private readonly catalogue: Readonly<Record<string, string | Forms>>;

  constructor(language: string) {
    this.language = language;
    const read = (folder: string) => JSON.parse(readFileSync(join(FOLDER, folder, `${language}.json`), "utf8")) as Record<string, string | Forms>;
    this.catalogue = { ...read("account-catalogues"), ...read("catalogues") };
  }

  /** Translation of an English text; `count` selects the plural form. */
  translate(message: string, count?: number): string {
    const entry = this.catalogue[message] ?? message.replace(/\|.*$/, "");
    if (typeof entry === "string") {
      return entry;
    }
    const form = new Intl.PluralRules(this.language).select(count ?? 0);
    const text = entry[form] ?? entry["other"] ?? message;
    return text.replace("{count}", new Intl.NumberFormat(this.language).format(count ?? 0));
  }
}
