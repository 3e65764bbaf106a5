/**
 * The service worker: caches the files of one build and serves them when the server does not
 * answer. The server has priority, except for files whose names contain their hash.
 *
 * It does not handle cells, which the session worker stores (`session/src/replica-store.ts`), but
 * images, which the browser requests by address.
 */

import { IMAGE_CACHE, UNSENT_IMAGES } from "./image-cache-names.ts";

/** Defined by the build: the files of the client, and a name that changes with them. */
declare const QUADRILLE_FILES: readonly string[];
declare const QUADRILLE_BUILD: string;

// The compiler assumes the global scope of a page.
const worker = self as unknown as ServiceWorkerGlobalScope;

const PREFIX = "quadrille-page-";
const CACHE = PREFIX + QUADRILLE_BUILD;
/** Time after which a cached page is served while the server does not answer. */
const PAGE_MS_MAX = 4_000;

worker.addEventListener("install", (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(CACHE);
      // An asset of an earlier build is identical, as its name contains its hash.
      await Promise.all(
        QUADRILLE_FILES.map(async (path) => {
          const cached = path.startsWith("/assets/") ? await caches.match(path) : undefined;
          await (cached ? cache.put(path, cached) : cache.add(path));
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
    event.respondWith(servePage(request));
  } else if (QUADRILLE_FILES.includes(pathname)) {
    event.respondWith(serveFile(request, pathname));
  } else if (/^(\/[a-z0-9-]+)?\/api\/v1\/rooms\/[^/]+\/images\/[0-9a-f]{64}$/.test(pathname)) {
    event.respondWith(serveImage(request, pathname));
  }
});

/**
 * Serves an image: its name is its hash, so a cached image equals that of the server.
 * `image-store.ts` fills the caches.
 */
async function serveImage(request: Request, pathname: string): Promise<Response> {
  for (const cacheName of [IMAGE_CACHE, UNSENT_IMAGES]) {
    const cached = await caches.match(pathname, { cacheName });
    if (cached) {
      return cached;
    }
  }
  return fetch(request);
}

/**
 * Whether the path is the start page or a room, also of a tenant by path, not a file or another path
 * of the server.
 */
function isPage(pathname: string): boolean {
  return /^(\/[a-z0-9-]+)?\/([^/_=.][^/]*)?$/.test(pathname) && !/^\/(api|assets)\//.test(pathname) && !/\.[a-z]+$/.test(pathname);
}

async function servePage(request: Request): Promise<Response> {
  const cached = await caches.match("/index.html", { cacheName: CACHE });
  try {
    return await fetch(request, cached ? { signal: AbortSignal.timeout(PAGE_MS_MAX) } : {});
  } catch (error) {
    if (cached) {
      return cached;
    }
    throw error;
  }
}

async function serveFile(request: Request, pathname: string): Promise<Response> {
  const cached = await caches.match(pathname, { cacheName: CACHE });
  if (cached && pathname.startsWith("/assets/")) {
    return cached;
  }
  try {
    return await fetch(request);
  } catch (error) {
    if (cached) {
      return cached;
    }
    throw error;
  }
}
