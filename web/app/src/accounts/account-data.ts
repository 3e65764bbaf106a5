/** The own account over REST (docs/rest.md, "Account"). */

import { serverPath } from "../base-path.ts";
import { request } from "./request.ts";
import type { Account } from "./session.ts";

/** A passkey of the account. */
export interface Passkey {
  readonly id: string;
  readonly label: string;
  readonly createdMs: number;
  readonly lastUsedMs: number;
}

/** An identity at an OpenID provider. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** Identifier of the provider, if the server still offers it. */
  readonly provider: string | null;
}

/** The own account with the ways in which it signs in. */
export interface AccountDetails extends Account {
  readonly hasPassword: boolean;
  /** Whether the account wants mail about mentions, replies and tasks. */
  readonly notificationMail: boolean;
  /** Whether the server can send it. */
  readonly canGetNotificationMail: boolean;
  /** Identities at OpenID providers. */
  readonly identities: readonly Identity[];
  readonly passkeys: readonly Passkey[];
  readonly createdMs: number;
}

/** A browser in which the account is signed in. */
export interface BrowserSession {
  readonly id: string;
  readonly isCurrent?: boolean;
  readonly createdMs: number;
  readonly lastUsedMs: number;
  readonly expiresMs: number;
  readonly userAgent: string;
  readonly address: string;
}

/** What an API token may do at most. */
export type Scope = "read" | "write" | "admin";

/** An API token without its secret. */
export interface ApiToken {
  readonly id: string;
  readonly label: string;
  readonly scope: Scope;
  /** Workbooks that it may use; `null` for all. */
  readonly rooms: readonly string[] | null;
  readonly createdMs: number;
  readonly expiresMs: number | null;
  readonly lastUsedMs: number;
}

/** A token to be created. */
export type NewToken = Pick<ApiToken, "label" | "scope" | "rooms" | "expiresMs">;

const PATH = serverPath("/api/v1/account");

export const readAccount = (): Promise<AccountDetails> => request("GET", PATH);

export const renameAccount = (name: string): Promise<unknown> => request("PATCH", PATH, { name });

/** Switches mail about mentions, replies and tasks on or off. */
export const setNotificationMail = (notificationMail: boolean): Promise<AccountDetails> => request("PATCH", PATH, { notificationMail });

/** Erases the account; `confirm` is its e-mail address or identifier. */
export const deleteAccount = (confirm: string): Promise<unknown> => request("DELETE", PATH, { confirm });

/** Changes the password, which ends the other sessions. */
export const changePassword = (current: string | null, next: string): Promise<unknown> =>
  request("PUT", `${PATH}/password`, { current, new: next });

export const readSessions = async (): Promise<readonly BrowserSession[]> =>
  (await request<{ readonly sessions: readonly BrowserSession[] }>("GET", `${PATH}/sessions`)).sessions;

export const endSession = (id: string): Promise<unknown> => request("DELETE", `${PATH}/sessions/${encodeURIComponent(id)}`);

export const endOtherSessions = (): Promise<unknown> => request("DELETE", `${PATH}/sessions`);

export const readTokens = async (): Promise<readonly ApiToken[]> =>
  (await request<{ readonly tokens: readonly ApiToken[] }>("GET", `${PATH}/tokens`)).tokens;

/** Creates a token and returns its secret, which the server does not tell again. */
export const createToken = async (token: NewToken): Promise<string> =>
  (await request<{ readonly token: string }>("POST", `${PATH}/tokens`, token)).token;

export const revokeToken = (id: string): Promise<unknown> => request("DELETE", `${PATH}/tokens/${encodeURIComponent(id)}`);

export const addPasskey = (label: string, created: { readonly state: unknown; readonly credential: unknown }): Promise<unknown> =>
  request("POST", `${PATH}/passkeys`, { ...created, label });

export const removePasskey = (id: string): Promise<unknown> => request("DELETE", `${PATH}/passkeys/${encodeURIComponent(id)}`);

/** Begins to add an identity at a provider; returns the address of the provider's page. */
export const addIdentity = async (provider: string): Promise<string> => {
  const body = { provider, return: serverPath("/_account#providers") };
  return (await request<{ readonly url: string }>("POST", `${PATH}/identities`, body)).url;
};

export const removeIdentity = (provider: string): Promise<unknown> => request("DELETE", `${PATH}/identities/${encodeURIComponent(provider)}`);

/** The address from which everything that is stored about the person is downloaded. */
export const EXPORT_PATH = `${PATH}/export`;
