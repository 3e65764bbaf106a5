/** Links in cells, and addresses of pages that name cells. `LinkDialog.tsx` is loaded on first use. */

export { followLink } from "./follow-link.ts";
export { openLinkedRange } from "./linked-range.ts";
