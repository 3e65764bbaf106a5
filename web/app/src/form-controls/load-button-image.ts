/** Loads an image of a button. Few workbooks have one, so that this is not part of the first load. */

import { roomFetch } from "../access/index.ts";

/** The image at an address of this server, or within the address; `undefined` if there is none. */
export async function loadButtonImage(room: string, address: string): Promise<ImageBitmap | undefined> {
  const blob = address.startsWith("data:") ? blobOf(address) : await fetched(room, address);
  return blob && (await createImageBitmap(blob).catch(() => undefined));
}

async function fetched(room: string, address: string): Promise<Blob | undefined> {
  const response = await roomFetch(room, address).catch(() => undefined);
  return response?.ok ? await response.blob().catch(() => undefined) : undefined;
}

/** The content of a `data:` address in Base64, which the page may not fetch. */
function blobOf(address: string): Blob | undefined {
  const [, type, content] = /^data:(image\/[a-z]+);base64,(.*)$/.exec(address) ?? [];
  if (type === undefined || content === undefined) {
    return undefined;
  }
  try {
    return new Blob([Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))], { type });
  } catch {
    return undefined;
  }
}
