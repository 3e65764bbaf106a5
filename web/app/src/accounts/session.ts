/** Who is signed in, and how one can sign in (`GET /api/v1/session`). */

import { serverPath } from "../base-path.ts";
import { createSignal } from "solid-js";
import { request, RequestFailed } from "./request.ts";

/** The signed-in person. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly isAdmin: boolean;
}

/** An OpenID provider. */
export interface Provider {
  readonly id: string;
  readonly name: string;
}

/** The ways to sign in that the server offers. */
export interface SignInMethods {
  readonly password: boolean;
  readonly passkey: boolean;
  /** A proxy in front of the server signs people in. */
  readonly header: boolean;
  /** The server sends links for forgotten passwords. */
  readonly recovery: boolean;
  /** OpenID providers. */
  readonly providers: readonly Provider[];
}

/** The session of this browser. */
export interface SessionState {
  readonly access: "open" | "accounts";
  readonly mayCreate: boolean;
  readonly account: Account | null;
  /** The OpenID provider by which the person has signed in. */
  readonly provider: Provider | null;
  readonly signIn: SignInMethods;
}

const PATH = serverPath("/api/v1/session");
const [state, setState] = createSignal<SessionState>();
let loading: Promise<SessionState> | undefined;

/** The session; `undefined` until it is loaded. */
export const session = state;

/** Loads the session once. Rejects with `RequestFailed`; the next call then tries again. */
export function loadSession(): Promise<SessionState> {
  loading ??= reloadSession().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Loads the session again. Rejects with `RequestFailed`. */
export async function reloadSession(): Promise<SessionState> {
  return setSession(await request<SessionState>("GET", PATH));
}

/** Sets the session that the server has returned. */
export function setSession(next: SessionState): SessionState {
  loading = Promise.resolve(next);
  setState(next);
  return next;
}

/** Marks the session as ended: the server has answered that nobody is signed in. */
export function forgetAccount(): void {
  const current = state();
  if (current?.account) {
    setSession({ ...current, account: null, provider: null });
  }
}

/** Signs out. Rejects with `RequestFailed`. */
export async function signOut(): Promise<void> {
  await request("DELETE", PATH).catch((error: unknown) => {
    // Somebody has ended the session elsewhere.
    if (!(error instanceof RequestFailed) || error.code !== "sign_in_required") {
      throw error;
    }
  });
  forgetIdentity();
  forgetAccount();
}

/** Removes the name of the account from this browser, which others may use too. */
function forgetIdentity(): void {
  try {
    localStorage.removeItem("quadrille.identity");
  } catch {
    // Without storage, there is nothing to remove.
  }
}

/** Whether the server offers a way to sign in that needs a page. */
export function canSignIn({ password, passkey, providers }: SignInMethods): boolean {
  return password || passkey || providers.length > 0;
}

/** The path of the sign-in page that leads back to `returnPath`. */
export function signInAgainPath(returnPath: string): string {
  return `${serverPath("/_sign-in")}?return=${encodeURIComponent(returnPath)}&again`;
}

/** Path of the sign-in page, which leads back to `returnPath`. */
export function signInPath(returnPath: string): string {
  const page = serverPath("/_sign-in");
  return returnPath === serverPath("/") ? page : `${page}?return=${encodeURIComponent(returnPath)}`;
}
