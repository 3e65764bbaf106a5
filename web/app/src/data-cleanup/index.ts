/**
 * Removing duplicates, splitting texts, trimming whitespace. The dialogs are loaded on first use.
 */

export { trimWhitespace } from "./trim-whitespace.ts";
