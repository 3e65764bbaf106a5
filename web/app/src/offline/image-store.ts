/**
 * Images in the cache of the browser: displayed ones for offline use, and inserted ones that are
 * not uploaded yet.
 *
 * An item names its image by the SHA-256 of the bytes, so an image can be inserted before it is
 * uploaded: the item waits among the unconfirmed transactions, the bytes in the cache. Caches
 * require HTTPS.
 */

import { IMAGE_CACHE, UNSENT_IMAGES } from "./image-cache-names.ts";

/** Limits of the cache of displayed images; the oldest are removed first. */
const BYTES_MAX = 100 * 1_024 * 1_024;
const COUNT_MAX = 300;
/** Size limit of the server, assumed for images of unknown size. */
const IMAGE_BYTES_MAX = 5 * 1_024 * 1_024;
/** Maximum number of images that wait for upload, over all rooms. */
const UNSENT_MAX = 20;

/** Requests an image with the credential of its room. */
export type ImageRequest = (url: string, init?: RequestInit) => Promise<Response>;

/** Whether the browser can store images. */
export function canStore(): boolean {
  return "caches" in window && "subtle" in crypto;
}

/** Caches a displayed image; its bytes usually come from the HTTP cache. */
export async function cacheImage(address: string, request: ImageRequest): Promise<void> {
  if (!canStore()) {
    return;
  }
  try {
    const cache = await caches.open(IMAGE_CACHE);
    const { pathname } = new URL(address, location.href);
    if (await cache.match(pathname)) {
      return;
    }
    const response = await request(pathname);
    if (response.ok) {
      await cache.put(pathname, response);
      await trim(cache);
    }
  } catch (error) {
    // The disk is full or the network is down; the image is displayed nevertheless.
    console.warn("quadrille: an image cannot be stored for offline use:", error);
  }
}

async function trim(cache: Cache): Promise<void> {
  // `keys` returns requests in the order of insertion.
  const requests = await cache.keys();
  const sizes = await Promise.all(
    requests.map(async (request) => Number((await cache.match(request))?.headers.get("content-length") ?? IMAGE_BYTES_MAX)),
  );
  let [count, bytes] = [requests.length, sizes.reduce((sum, size) => sum + size, 0)];
  for (const [index, request] of requests.entries()) {
    if (count <= COUNT_MAX && bytes <= BYTES_MAX) {
      return;
    }
    await cache.delete(request);
    count -= 1;
    bytes -= sizes[index] ?? 0;
  }
}

/**
 * Stores an image until it can be uploaded, and returns its name; `undefined` if it cannot be
 * stored.
 */
export async function storeUnsent(addressOf: (name: string) => string, image: Blob): Promise<string | undefined> {
  if (!canStore()) {
    return undefined;
  }
  try {
    const unsent = await caches.open(UNSENT_IMAGES);
    if ((await unsent.keys()).length >= UNSENT_MAX) {
      return undefined;
    }
    const digest = await crypto.subtle.digest("SHA-256", await image.arrayBuffer());
    const name = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const headers = { "content-type": image.type, "content-length": String(image.size), "x-content-type-options": "nosniff" };
    await unsent.put(addressOf(name), new Response(image, { headers }));
    return name;
  } catch (error) {
    console.warn("quadrille: an image cannot be stored until it is uploaded:", error);
    return undefined;
  }
}

/**
 * Uploads the stored images below an address. Images that the server rejects are removed and
 * reported by `onRejected`.
 */
export async function sendUnsent(address: string, request: ImageRequest, onRejected: () => void): Promise<void> {
  if (!canStore() || !(await caches.has(UNSENT_IMAGES))) {
    return;
  }
  const unsent = await caches.open(UNSENT_IMAGES);
  const prefix = new URL(`${address}/`, location.href).href;
  for (const stored of (await unsent.keys()).filter(({ url }) => url.startsWith(prefix))) {
    const image = await (await unsent.match(stored))?.blob();
    const answer = image && (await request(address, { method: "POST", body: image, headers: { "content-type": image.type } }).catch(() => undefined));
    // Without an answer, or after a server error, the image stays for the next attempt.
    if (answer && answer.status < 500) {
      if (answer.ok) {
        await cacheImage(stored.url, request);
      } else {
        onRejected();
      }
      await unsent.delete(stored);
    }
  }
  if ((await unsent.keys()).length === 0) {
    await caches.delete(UNSENT_IMAGES);
  }
}
