/** The page to which a sign-in leads back. */

import { BASE_PATH, withoutBasePath } from "../base-path.ts";

/**
 * The local path that `?return=` names; the start page for anything that leads to another origin or
 * tenant, or back to the sign-in page.
 */
export function returnPath(search: string, origin: string, basePath = BASE_PATH): string {
  const start = `${basePath}/`;
  const given = new URLSearchParams(search).get("return");
  // `//host` and `/\host` are addresses of another host.
  if (given === null || !/^\/(?![/\\])/.test(given)) {
    return start;
  }
  try {
    const url = new URL(given, origin);
    if (url.origin !== origin || url.pathname.startsWith("//") || !url.pathname.startsWith(start) || /^\/_sign-in(\/|$)/.test(withoutBasePath(url.pathname, basePath))) {
      return start;
    }
    return url.pathname + url.search + url.hash;
  } catch {
    return start;
  }
}
