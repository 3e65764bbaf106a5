/** Answers of the server for the pages for accounts, so that their states need no accounts. */

import type { Page } from "@playwright/test";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NOW_MS = Date.now();

const ADA = { id: "9c0f5d6a1b2c3d4e", name: "Ada Lovelace", email: "ada@example.org", isEmailVerified: true, isAdmin: true };
const GRACE = { id: "1f2e3d4c5b6a7988", name: "Grace Hopper", email: "grace.hopper@a-rather-long-name-of-a-company.example.com", isEmailVerified: true, isAdmin: false };
const LIN = { id: "77aa66bb55cc44dd", name: "林小明", email: "lin@example.org", isEmailVerified: false, isAdmin: false };

const COMPANY = { id: "company", name: "Example Company" };
const METHODS = { password: true, passkey: true, header: false, recovery: true, providers: [COMPANY, { id: "university", name: "University of Example" }] };
export const SIGNED_OUT = { access: "accounts", mayCreate: false, account: null, provider: null, signIn: METHODS };
export const SIGNED_IN = { access: "accounts", mayCreate: true, account: ADA, provider: COMPANY, signIn: METHODS };
export const SIGNED_IN_AS_GRACE = { access: "accounts", mayCreate: true, account: GRACE, provider: null, signIn: METHODS };
export const NO_METHODS = { ...SIGNED_OUT, signIn: { password: false, passkey: false, header: false, recovery: false, providers: [] } };

const CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";

const session = (id: string, userAgent: string, address: string, usedMinutesAgo: number, isCurrent = false) => ({
  id,
  isCurrent,
  userAgent,
  address,
  createdMs: NOW_MS - usedMinutesAgo * MINUTE_MS - 3 * DAY_MS,
  lastUsedMs: NOW_MS - usedMinutesAgo * MINUTE_MS,
  expiresMs: NOW_MS + 60 * DAY_MS,
});
const SESSIONS = [session("s1", CHROME, "192.0.2.17", 0, true), session("s2", IPHONE, "2001:db8:85a3::8a2e:370:7334", 95), session("s3", FIREFOX, "198.51.100.4", 11 * 24 * 60)];

const token = (id: string, label: string, scope: string, rooms: readonly string[] | null, expiresMs: number | null, lastUsedMs: number) => ({ id, label, scope, rooms, createdMs: NOW_MS - 20 * DAY_MS, expiresMs, lastUsedMs });
const TOKENS = [
  token("t1", "Nightly export", "read", ["harvest-2026", "budget-2027-k3m9pqrs7tuvwxyz2345abcd"], NOW_MS + 70 * DAY_MS, NOW_MS - 7 * 60 * MINUTE_MS),
  token("t2", "Sensors in the greenhouse", "write", null, null, 0),
];

export const ACCOUNT = {
  ...ADA,
  hasPassword: true,
  notificationMail: true,
  canGetNotificationMail: true,
  identities: [{ issuer: "https://login.example.com/realms/company", subject: "ada", provider: "company" }],
  passkeys: [
    { id: "p1", label: "Chrome, Windows", createdMs: NOW_MS - 40 * DAY_MS, lastUsedMs: NOW_MS - 2 * DAY_MS },
    { id: "p2", label: "Security key", createdMs: NOW_MS - 400 * DAY_MS, lastUsedMs: 0 },
  ],
  createdMs: NOW_MS - 500 * DAY_MS,
};

const usage = (used: number, limit: number | null) => ({ used, limit });
const MANAGED = [
  { ...ADA, isDisabled: false, hasPassword: true, passkeyCount: 2, workbookCount: 12, storedBytes: 48_211_000, createdMs: NOW_MS - 500 * DAY_MS, lastSeenMs: NOW_MS - MINUTE_MS },
  { ...GRACE, isDisabled: false, hasPassword: false, passkeyCount: 1, workbookCount: 1, storedBytes: 1_204_000, createdMs: NOW_MS - 90 * DAY_MS, lastSeenMs: NOW_MS - 3 * DAY_MS },
  { ...LIN, isDisabled: true, hasPassword: true, passkeyCount: 0, workbookCount: 0, storedBytes: 0, createdMs: NOW_MS - 2 * DAY_MS, lastSeenMs: 0 },
];
const WORKBOOKS = [
  { room: "harvest-2026", title: "Harvest 2026", owner: { id: ADA.id, name: ADA.name }, bytes: 48_211, changedMs: NOW_MS - 5 * MINUTE_MS, trashedMs: null, tenant: null },
  { room: "the-very-long-name-of-a-workbook-that-was-imported-once-k3m9pqrs7tuvwxyz2345abcd", title: null, owner: null, bytes: 7_400_000, changedMs: NOW_MS - 30 * DAY_MS, trashedMs: null, tenant: "sheets.example.org" },
  { room: "budget-2025", title: "Budget 2025", owner: { id: GRACE.id, name: GRACE.name }, bytes: 903, changedMs: NOW_MS - 60 * DAY_MS, trashedMs: NOW_MS - 3 * DAY_MS, tenant: null },
];
const entry = (number: number, event: string, actor: object, more: object = {}) => ({ number, timeMs: NOW_MS - (100 - number) * 17 * MINUTE_MS, event, actor, room: null, target: "", address: "192.0.2.17", ...more });
const AUDIT = [
  entry(99, "signed_in", { kind: "account", id: ADA.id, name: ADA.name }, { target: "password" }),
  entry(98, "sign_in_failed", { kind: "anonymous" }, { target: ADA.id, address: "203.0.113.9" }),
  entry(97, "link_created", { kind: "ownerKey", id: "k3m9pqrs" }, { room: "harvest-2026", target: "view" }),
  entry(96, "workbook_exported", { kind: "token", id: "t1" }, { room: "budget-2027-k3m9pqrs7tuvwxyz2345abcd", target: "xlsx" }),
  entry(95, "account_created", { kind: "operator" }, { target: ADA.id, address: "" }),
];

/** Answers by method and path, without `/api/v1`. */
export type Answers = Readonly<Record<string, unknown>>;

/** An answer that is not 200. */
export class Refusal {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** What the server answers to Ada, who is an administrator. */
export const ANSWERS: Answers = {
  "GET /session": SIGNED_IN,
  "GET /account": ACCOUNT,
  "GET /account/sessions": { sessions: SESSIONS },
  "GET /account/tokens": { tokens: TOKENS },
  "POST /account/tokens": { ...TOKENS[0], token: "qt_k3m9pqrs7tuvwxyz2345abcdk3m9pqrs7tuvwxyz2345abcd" },
  "GET /admin/overview": { version: "0.3.0", accounts: 214, admins: 3, disabledAccounts: 6, workbooks: 1_842, trashedWorkbooks: 17, storedBytes: 9_120_000_000, openRooms: 41, people: 96, sessions: 388, tokens: 12 },
  "GET /admin/accounts": { accounts: MANAGED, next: GRACE.id },
  "POST /admin/accounts": { account: MANAGED[1], invitation: { url: "/_sign-in#once=qi_k3m9pqrs7tuvwxyz2345abcdk3m9pqrs7tuvwxyz2345", expiresMs: NOW_MS + 7 * DAY_MS, sent: false } },
  "GET /admin/workbooks": { workbooks: WORKBOOKS, next: null },
  "GET /admin/sessions": { sessions: SESSIONS.map((each, at) => ({ ...each, isCurrent: undefined, account: MANAGED[at] })), next: null },
  "GET /admin/tokens": { tokens: TOKENS.map((each) => ({ ...each, account: { id: ADA.id, name: ADA.name } })), next: null },
  "GET /admin/tenants": {
    tenants: [
      { name: "sheets.example.org", workbooks: usage(1_204, 2_000), bytes: usage(4_800_000_000, 5_000_000_000), sessions: usage(88, null), stored: { workbooks: 2_000, bytes: 5_000_000_000, sessions: null, operationsPerSecond: null, exportsPerHour: null } },
      { name: "lab.example.org", workbooks: usage(12, null), bytes: usage(900_000, null), sessions: usage(0, 50), stored: {} },
    ],
  },
  "GET /admin/audit": { entries: AUDIT, next: 95 },
};

/** The same server without anything in it. */
export const EMPTY_ANSWERS: Answers = {
  ...ANSWERS,
  "GET /account": { ...ACCOUNT, hasPassword: false, passkeys: [], identities: [] },
  "GET /account/sessions": { sessions: SESSIONS.slice(0, 1) },
  "GET /account/tokens": { tokens: [] },
  "GET /admin/accounts": { accounts: [], next: null },
  "GET /admin/workbooks": { workbooks: [], next: null },
  "GET /admin/tokens": { tokens: [], next: null },
  "GET /admin/tenants": { tenants: [] },
  "GET /admin/audit": { entries: [], next: null },
};

/** Answers the requests of a page for accounts instead of the server. */
export async function answer(page: Page, answers: Answers): Promise<void> {
  await page.route(/\/api\/v1\/(session|account|admin)(\/|\?|$)/, async (route) => {
    const request = route.request();
    const path = new URL(request.url()).pathname.replace("/api/v1", "");
    const given = answers[`${request.method()} ${path}`];
    if (given instanceof Refusal) {
      await route.fulfill({ status: given.status, headers: given.headers, json: { error: { code: given.code, message: "refused" } } });
    } else if (given === undefined) {
      await route.fulfill({ status: 204 });
    } else {
      await route.fulfill({ json: given });
    }
  });
}
