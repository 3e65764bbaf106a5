/**
 * Lets the page open without a network: keeps the files of one build, and answers with them when the server does
 * not. What the server says always comes first, except for files whose name holds their hash.
 *
 * Cells are none of its business: rooms are kept by the engine's worker (`session/src/replica-store.ts`). Pictures are, since the
 * browser asks for them by their address.
 */

import { IMAGE_CACHE, UNSENT_IMAGES } from "./image-cache-names.ts";

/** Written by the build: every file of the page, and a name that changes when one of them does. */
declare const QUADRILLE_FILES: readonly string[];
declare const QUADRILLE_BUILD: string;

// The compiler takes every file for a page's.
const worker = self as unknown as ServiceWorkerGlobalScope;

const PREFIX = "quadrille-page-";
const CACHE = PREFIX + QUADRILLE_BUILD;
/** A server that takes longer than this to send the page is taken for absent when the page is here. */
const PAGE_MS_MAX = 4_000;

worker.addEventListener("install", (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(CACHE);
      // What an earlier build has under the same name is the same: names of assets hold their hash.
      await Promise.all(
        QUADRILLE_FILES.map(async (path) => {
          const known = path.startsWith("/assets/") ? await caches.match(path) : undefined;
          await (known ? cache.put(path, known) : cache.add(path));
        }),
      );
      await worker.skipWaiting();
    })(),
  );
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      const names = await caches.keys();
      await Promise.all(
        names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)),
      );
      await worker.clients.claim();
    })(),
  );
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) {
    return;
  }
  if (request.mode === "navigate" && isPage(pathname)) {
    event.respondWith(page(request));
  } else if (QUADRILLE_FILES.includes(pathname)) {
    event.respondWith(file(request, pathname));
  } else if (/^\/api\/v1\/rooms\/[^/]+\/images\/[0-9a-f]{64}$/.test(pathname)) {
    event.respondWith(image(request, pathname));
  }
});

/** Its name is the hash of its bytes: what is kept is what the server has. The page keeps them (`pictures.ts`). */
async function image(request: Request, pathname: string): Promise<Response> {
  for (const cacheName of [IMAGE_CACHE, UNSENT_IMAGES]) {
    const kept = await caches.match(pathname, { cacheName });
    if (kept) {
      return kept;
    }
  }
  return fetch(request);
}

/** The start page or a room; neither files nor what lies below a path of the server. */
function isPage(pathname: string): boolean {
  return /^\/[^/_=.][^/]*$|^\/$/.test(pathname) && !/\.[a-z]+$/.test(pathname);
}

async function page(request: Request): Promise<Response> {
  const kept = await caches.match("/index.html", { cacheName: CACHE });
  try {
    return await fetch(request, kept ? { signal: AbortSignal.timeout(PAGE_MS_MAX) } : {});
  } catch (error) {
    if (kept) {
      return kept;
    }
    throw error;
  }
}

async function file(request: Request, pathname: string): Promise<Response> {
  const kept = await caches.match(pathname, { cacheName: CACHE });
  if (kept && pathname.startsWith("/assets/")) {
    return kept;
  }
  try {
    return await fetch(request);
  } catch (error) {
    if (kept) {
      return kept;
    }
    throw error;
  }
}
