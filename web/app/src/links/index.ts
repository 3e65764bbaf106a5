/** Links in cells. `LinkDialog.tsx` is loaded on first use. */

export { fileOfLink, linkTarget } from "./addresses.ts";
