/** Links in cells. `LinkDialog.tsx` is loaded on first use. */

export { linkTarget } from "./addresses.ts";
