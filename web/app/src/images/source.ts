/**
 * Addresses of images. The bytes are stored beside the workbook under their SHA-256, or inside of
 * the item.
 */

import type { ItemDetails } from "@quadrille/protocol";
import { roomApi } from "../rooms/index.ts";

/** Types that every browser displays and that cannot contain scripts. */
export const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

const HASH = /^[0-9a-f]{64}$/;
const DATA_URL = /^data:image\/(png|jpeg|gif|webp);base64,/;

/** The stored image that an item displays; `undefined` for one inside of the item. */
export function storedImage(item: ItemDetails): string | undefined {
  const source = item.fields["source"];
  return typeof source === "string" && HASH.test(source) ? source : undefined;
}

/**
 * The address of an image; `undefined` for other addresses, as loading an image from elsewhere
 * would reveal its viewers.
 */
export function imageUrl(room: string, item: ItemDetails): string | undefined {
  const source = item.fields["source"];
  if (typeof source !== "string") {
    return undefined;
  }
  if (HASH.test(source)) {
    return `${roomApi(room)}/images/${source}`;
  }
  return DATA_URL.test(source) ? source : undefined;
}
