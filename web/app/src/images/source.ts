/** Where the bytes of a picture are: beside the workbook, named by their SHA-256, or in the item itself. */

import type { ItemDetails } from "@quadrille/protocol";
import { roomApi } from "../rooms/index.ts";

/** Kinds that every browser shows and that can do nothing else. */
export const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

const KEPT = /^[0-9a-f]{64}$/;
const INSIDE = /^data:image\/(png|jpeg|gif|webp);base64,/;

/** `undefined`: somewhere else, where a page that shows it would tell who looks. */
export function imageUrl(room: string, item: ItemDetails): string | undefined {
  const source = item.fields["source"];
  if (typeof source !== "string") {
    return undefined;
  }
  if (KEPT.test(source)) {
    return `${roomApi(room)}/images/${source}`;
  }
  return INSIDE.test(source) ? source : undefined;
}
