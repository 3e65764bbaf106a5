/** Embedding in other pages. `EmbedFooter.tsx` is loaded in embedded pages only. */

export { canTakeFocus, embedding, watchPresses } from "./mode.ts";
