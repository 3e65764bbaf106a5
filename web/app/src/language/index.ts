/**
 * Localization: texts, numbers, times, and errors of engine and server. `functions.ts` is loaded
 * with the first formula.
 */

export { startAccountTexts } from "./account-texts.ts";
export { engineErrorText, serverRefusal } from "./engine-errors.ts";
export type { FunctionHelp } from "./functions.ts";
export { importDetails, type ImportError, importFailure, importWarnings } from "./import-messages.ts";
export {
  chooseLanguage,
  direction,
  isolated,
  isRightToLeft,
  type Language,
  language,
  LANGUAGES,
  loadEnglishForms,
  type Message,
  showNumber,
  showSignificant,
  startLanguage,
  t,
  translated,
  withoutIsolates,
} from "./language.ts";
export { LOSS_KINDS } from "./loss-messages.ts";
export { ago, moment } from "./time.ts";
