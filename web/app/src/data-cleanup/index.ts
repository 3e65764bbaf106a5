/**
 * Removing duplicates, splitting texts, trimming whitespace, goal seek. The dialogs are loaded on first use.
 */

export { trimWhitespace } from "./trim-whitespace.ts";
