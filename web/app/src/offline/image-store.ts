/**
 * Pictures in this browser: those that were seen, for when there is no network, and those that the server has yet to get.
 *
 * An item names its picture by the SHA-256 of its bytes, so a picture can be put in before the server has it: the item
 * waits among the unconfirmed edits, the bytes here. Only secure pages can keep anything.
 */

import { IMAGE_CACHE, UNSENT_IMAGES } from "./image-cache-names.ts";

/** Seen pictures beyond this are forgotten, those first that came first. */
const BYTES_MAX = 100 * 1_024 * 1_024;
const COUNT_MAX = 300;
/** As the server has it; for what does not say how large it is. */
const PICTURE_BYTES_MAX = 5 * 1_024 * 1_024;
/** Waiting at once, of all rooms. */
const UNSENT_MAX = 20;

export function canKeep(): boolean {
  return "caches" in window && "subtle" in crypto;
}

/** A picture that was shown; its bytes are in the browser's own cache, as a rule. */
export async function cacheImage(address: string): Promise<void> {
  if (!canKeep()) {
    return;
  }
  try {
    const cache = await caches.open(IMAGE_CACHE);
    const { pathname } = new URL(address, location.href);
    if (await cache.match(pathname)) {
      return;
    }
    const response = await fetch(pathname);
    if (response.ok) {
      await cache.put(pathname, response);
      await trim(cache);
    }
  } catch (error) {
    // The disk is full, or the network has gone: the picture is on the screen, and that is what was asked for.
    console.warn("quadrille: a picture cannot be kept for offline use:", error);
  }
}

async function trim(cache: Cache): Promise<void> {
  // In the order in which they came.
  const requests = await cache.keys();
  const sizes = await Promise.all(
    requests.map(async (request) => Number((await cache.match(request))?.headers.get("content-length") ?? PICTURE_BYTES_MAX)),
  );
  let [count, bytes] = [requests.length, sizes.reduce((sum, size) => sum + size, 0)];
  for (const [at, request] of requests.entries()) {
    if (count <= COUNT_MAX && bytes <= BYTES_MAX) {
      return;
    }
    await cache.delete(request);
    count -= 1;
    bytes -= sizes[at] ?? 0;
  }
}

/** Keeps a picture until the server can be reached, and says by which name; `undefined`: it cannot be kept. */
export async function storeUnsent(addressOf: (name: string) => string, picture: Blob): Promise<string | undefined> {
  if (!canKeep()) {
    return undefined;
  }
  try {
    const unsent = await caches.open(UNSENT_IMAGES);
    if ((await unsent.keys()).length >= UNSENT_MAX) {
      return undefined;
    }
    const digest = await crypto.subtle.digest("SHA-256", await picture.arrayBuffer());
    const name = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const headers = { "content-type": picture.type, "content-length": String(picture.size), "x-content-type-options": "nosniff" };
    await unsent.put(addressOf(name), new Response(picture, { headers }));
    return name;
  } catch (error) {
    console.warn("quadrille: a picture cannot be kept until it is sent:", error);
    return undefined;
  }
}

/** Sends what waits below this address. Pictures that the server does not want are told and forgotten. */
export async function sendUnsent(address: string, refused: () => void): Promise<void> {
  if (!canKeep() || !(await caches.has(UNSENT_IMAGES))) {
    return;
  }
  const unsent = await caches.open(UNSENT_IMAGES);
  const below = new URL(`${address}/`, location.href).href;
  for (const request of (await unsent.keys()).filter(({ url }) => url.startsWith(below))) {
    const image = await (await unsent.match(request))?.blob();
    const answer = image && (await fetch(address, { method: "POST", body: image, headers: { "content-type": image.type } }).catch(() => undefined));
    // Without an answer, or when the server has trouble of its own, it waits for the next time.
    if (answer && answer.status < 500) {
      if (answer.ok) {
        await cacheImage(request.url);
      } else {
        refused();
      }
      await unsent.delete(request);
    }
  }
  if ((await unsent.keys()).length === 0) {
    await caches.delete(UNSENT_IMAGES);
  }
}
