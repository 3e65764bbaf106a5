/**
 * The path below which the server answers: empty, or that of a tenant such as `/acme`
 * (docs/decisions/0017-tenants-by-path.md).
 *
 * Every page has one segment below it, so that the address of the page tells it.
 */

/** The base path of a page, without a slash at its end. */
export function basePathOf(pathname: string): string {
  return pathname.slice(0, pathname.lastIndexOf("/"));
}

/** The base path of this page. Without a page, as in tests, that of the server. */
export const BASE_PATH = "location" in globalThis ? basePathOf(location.pathname) : "";

/** The path of this server, or of its tenant, such as `/acme/_account` for `/_account`. */
export function serverPath(path: string): string {
  return BASE_PATH + path;
}

/** A path without the base path; as it is if it does not begin with that. */
export function withoutBasePath(path: string, basePath = BASE_PATH): string {
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}
