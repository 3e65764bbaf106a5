/** Who is signed in, and how people sign in to the server. */

import { serverPath } from "../base-path.ts";

/** The answer of `GET /api/v1/session` (docs/rest.md). */
export interface SessionInfo {
  readonly access: "open" | "accounts";
  readonly account: { readonly id: string; readonly name: string; readonly email: string | null } | null;
}

let request: Promise<SessionInfo> | undefined;

/** The session of this browser; without an answer, a server without accounts is assumed. */
export function sessionInfo(): Promise<SessionInfo> {
  request ??= fetchSession();
  return request;
}

async function fetchSession(): Promise<SessionInfo> {
  try {
    const response = await fetch(serverPath("/api/v1/session"), { headers: { accept: "application/json" } });
    if (response.ok) {
      return (await response.json()) as SessionInfo;
    }
  } catch {
    request = undefined;
  }
  return { access: "open", account: null };
}

/** The address of the page for signing in, which leads back to this page. */
export function signInPath(): string {
  return `${serverPath("/_sign-in")}?return=${encodeURIComponent(location.pathname + location.search + location.hash)}`;
}
