/** Paths of the pages of this folder. */

import { withoutBasePath } from "../base-path.ts";

const PAGES = { "/_sign-in": "sign-in", "/_account": "account", "/_admin": "admin" } as const;

/** A page for accounts. */
export type AccountPageName = (typeof PAGES)[keyof typeof PAGES];

/** The page for accounts that a path names; `undefined` for other pages. */
export function pageOfPath(path: string): AccountPageName | undefined {
  const own = withoutBasePath(path);
  return Object.entries(PAGES).find(([page]) => page === own)?.[1];
}
