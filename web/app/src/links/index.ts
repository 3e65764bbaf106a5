/** Links in cells. `LinkDialog.tsx` is loaded on first use. */

export { followLink } from "./follow-link.ts";
