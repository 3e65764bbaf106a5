/** Defined names. `NamesDialog.tsx` is loaded on first use. */

export { nameError } from "./valid-names.ts";
