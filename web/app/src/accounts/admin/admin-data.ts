/** Administration over REST (docs/rest.md, "Administration"). */

import { serverPath } from "../../base-path.ts";
import type { ApiToken, BrowserSession } from "../account-data.ts";
import type { ListPage } from "../remote.ts";
import { queryOf, request } from "../request.ts";
import type { Account } from "../session.ts";

const PATH = serverPath("/api/v1/admin");
/** Items of a page of a list. */
const PAGE_SIZE = 50;

/** An account, as an administrator sees it. */
export interface ManagedAccount extends Account {
  readonly isDisabled: boolean;
  readonly hasPassword?: boolean;
  readonly passkeyCount?: number;
  readonly identities?: readonly { readonly issuer: string; readonly subject: string }[];
  readonly workbookCount?: number;
  readonly storedBytes?: number;
  readonly quota?: QuotaUsage;
  readonly createdMs: number;
  readonly lastSeenMs: number;
}

/** The owner of something. */
export interface Person {
  readonly id: string;
  readonly name: string;
}

/** A workbook, as an administrator sees it. */
export interface ManagedWorkbook {
  readonly room: string;
  readonly title: string | null;
  readonly owner: Person | null;
  readonly bytes?: number;
  readonly changedMs?: number;
  readonly trashedMs?: number | null;
  readonly tenant?: string | null;
}

/** A session of any account. */
export interface ManagedSession extends BrowserSession {
  readonly account: Person;
}

/** An API token of any account. */
export interface ManagedToken extends ApiToken {
  readonly account: Person;
}

/** How much of a limit is used; `limit` is `null` without one. */
export interface Usage {
  readonly used: number;
  readonly limit: number | null;
}

/** An entry of the audit log. */
export interface AuditEntry {
  readonly number: number;
  readonly timeMs: number;
  readonly actor: { readonly kind: string; readonly id?: string; readonly name?: string };
  readonly event: string;
  readonly room?: string | null;
  readonly target?: string | null;
  readonly address?: string | null;
}

async function list<Item>(name: string, path: string, parameters: Readonly<Record<string, string | number | undefined>>): Promise<ListPage<Item>> {
  const answer = await request<Readonly<Record<string, unknown>>>("GET", `${PATH}/${path}${queryOf({ ...parameters, limit: PAGE_SIZE })}`);
  const next = answer["next"];
  return { items: (answer[name] ?? []) as readonly Item[], next: typeof next === "string" || typeof next === "number" ? String(next) : null };
}

/** Numbers of the whole server; the server leaves out what it does not know. */
export interface Overview {
  readonly version?: string;
  readonly access?: string;
  readonly accounts?: number;
  readonly admins?: number;
  readonly disabledAccounts?: number;
  readonly sessions?: number;
  readonly tokens?: number;
  readonly workbooks?: number;
  readonly trashedWorkbooks?: number;
  readonly openRooms?: number;
  readonly people?: number;
  readonly storedBytes?: number;
}

export const readOverview = (): Promise<Overview> => request("GET", `${PATH}/overview`);

/** An account to be created. */
export interface NewAccount {
  readonly name: string;
  readonly email: string;
  readonly isAdmin: boolean;
}

/** A link that signs in once: the path of the sign-in page with a secret in its fragment. */
export interface Invitation {
  readonly url: string;
  readonly expiresMs: number;
  /** Whether the server has sent it by e-mail. */
  readonly sent: boolean;
}

interface Invited {
  readonly invitation: Invitation;
}

export const readAccounts = (q: string, after: string | undefined): Promise<ListPage<ManagedAccount>> => list("accounts", "accounts", { q, after });

/** Creates an account and returns the link by which its owner signs in for the first time. */
export const createAccount = async (account: NewAccount): Promise<Invitation> =>
  (await request<Invited>("POST", `${PATH}/accounts`, account)).invitation;

/** Makes a link by which the owner of the account signs in once, to choose a new password. */
export const inviteAccount = async (id: string): Promise<Invitation> =>
  (await request<Invited>("POST", `${PATH}/accounts/${encodeURIComponent(id)}/invitation`)).invitation;

export const changeAccount = (id: string, change: Partial<Pick<ManagedAccount, "name" | "isAdmin" | "isDisabled">>): Promise<unknown> =>
  request("PATCH", `${PATH}/accounts/${encodeURIComponent(id)}`, change);

/** Erases an account. Its workbooks are deleted, or given to the account `transferTo`. */
export const eraseAccount = (id: string, transferTo: string | undefined): Promise<unknown> =>
  request("DELETE", `${PATH}/accounts/${encodeURIComponent(id)}${queryOf({ transferTo })}`);

/** The address from which everything that is stored about a person is downloaded. */
export const accountExportPath = (id: string): string => `${PATH}/accounts/${encodeURIComponent(id)}/export`;

/** Which workbooks to list. */
export type WorkbookList = "" | "trash" | "unclaimed";

export const readWorkbooks = (filter: { readonly q: string; readonly list: WorkbookList }, after: string | undefined): Promise<ListPage<ManagedWorkbook>> =>
  list("workbooks", "workbooks", { ...filter, after });

export const transferWorkbook = (room: string, account: string): Promise<unknown> =>
  request("POST", `${PATH}/workbooks/${encodeURIComponent(room)}/owner`, { account });

export const restoreWorkbook = (room: string): Promise<unknown> => request("POST", `${PATH}/workbooks/${encodeURIComponent(room)}/restore`);

export const deleteWorkbook = (room: string): Promise<unknown> => request("DELETE", `${PATH}/workbooks/${encodeURIComponent(room)}`);

export const readAllSessions = (after: string | undefined): Promise<ListPage<ManagedSession>> => list("sessions", "sessions", { after });

export const endAnySession = (id: string): Promise<unknown> => request("DELETE", `${PATH}/sessions/${encodeURIComponent(id)}`);

export const readAllTokens = (after: string | undefined): Promise<ListPage<ManagedToken>> => list("tokens", "tokens", { after });

export const revokeAnyToken = (id: string): Promise<unknown> => request("DELETE", `${PATH}/tokens/${encodeURIComponent(id)}`);

/** The limits of a tenant: `null` for the setting of the server, 0 for no limit. */
export interface Quota {
  readonly workbooks: number | null;
  readonly bytes: number | null;
  readonly sessions: number | null;
  readonly operationsPerSecond: number | null;
  readonly exportsPerHour: number | null;
}

/** What somebody uses, with its limits, and the quota that was set. */
export interface QuotaUsage {
  readonly workbooks?: Usage;
  readonly bytes?: Usage;
  readonly sessions?: Usage;
  readonly operationsPerSecond?: number | null;
  readonly exportsPerHour?: number | null;
  /** What was set; without it, the limits that hold. */
  readonly stored?: Partial<Quota>;
}

/** A tenant with what it uses. */
export interface Tenant extends QuotaUsage {
  readonly name: string;
}

export const readTenants = async (): Promise<readonly Tenant[]> => (await request<{ readonly tenants: readonly Tenant[] }>("GET", `${PATH}/tenants`)).tenants;

export const setTenantQuota = (name: string, quota: Quota): Promise<unknown> => request("PUT", `${PATH}/tenants/${encodeURIComponent(name)}/quota`, quota);

export const setAccountQuota = (id: string, quota: Quota): Promise<unknown> => request("PUT", `${PATH}/accounts/${encodeURIComponent(id)}/quota`, quota);

/** Which entries of the audit log to read; empty texts do not filter. */
export interface AuditFilter {
  readonly event: string;
  /** Identifier of an account. */
  readonly account: string;
  readonly room: string;
}

export const readAudit = (filter: AuditFilter, before: string | undefined): Promise<ListPage<AuditEntry>> => list("entries", "audit", { ...filter, before });

/**
 * The identifier of the account that a text names by identifier, name or e-mail address; `undefined`
 * when there is none.
 */
export async function accountIdOf(text: string): Promise<string | undefined> {
  if (text === "" || /^[0-9a-f]{16}$/.test(text)) {
    return text;
  }
  return (await readAccounts(text, undefined)).items[0]?.id;
}

/** The address from which the entries are downloaded as lines of JSON. */
export const auditDownloadPath = (filter: AuditFilter): string => `${PATH}/audit${queryOf({ ...filter, format: "jsonl" })}`;
