/** The page to which a sign-in leads back. */

/**
 * The local path that `?return=` names; the start page for anything that leads to another origin or
 * back to the sign-in page.
 */
export function returnPath(search: string, origin: string): string {
  const given = new URLSearchParams(search).get("return");
  // `//host` and `/\host` are addresses of another host.
  if (given === null || !/^\/(?![/\\])/.test(given)) {
    return "/";
  }
  try {
    const url = new URL(given, origin);
    if (url.origin !== origin || url.pathname.startsWith("//") || /^\/_sign-in(\/|$)/.test(url.pathname)) {
      return "/";
    }
    return url.pathname + url.search + url.hash;
  } catch {
    return "/";
  }
}
