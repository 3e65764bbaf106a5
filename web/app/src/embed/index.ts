/** Embedding in other pages. `EmbedFooter.tsx` is loaded in embedded pages only. */

export { canTakeFocus, type Embedding, embedding, watchPresses } from "./mode.ts";
