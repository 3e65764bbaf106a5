/** Texts of the pages for sign-in, account and administration, which only those pages load. */

import { addCatalogue, type Catalogue, type Language } from "./language.ts";

const CATALOGUES: Readonly<Record<Language, () => Promise<{ default: Catalogue }>>> = {
  en: () => import("./account-catalogues/en.json"),
  de: () => import("./account-catalogues/de.json"),
  fr: () => import("./account-catalogues/fr.json"),
  es: () => import("./account-catalogues/es.json"),
  ja: () => import("./account-catalogues/ja.json"),
  "zh-Hans": () => import("./account-catalogues/zh-Hans.json"),
  "zh-Hant": () => import("./account-catalogues/zh-Hant.json"),
  ar: () => import("./account-catalogues/ar.json"),
};

/** Loads these texts, in the current language and in those chosen later. */
export function startAccountTexts(): Promise<void> {
  return addCatalogue(async (language) => (await CATALOGUES[language]()).default);
}
