/**
 * The credentials that this browser has for workbooks: owner keys, share links and tokens of a host
 * application (docs/decisions/0015-roles-links-and-accounts.md).
 *
 * They arrive in the fragment of an address, which browsers send to no server, and are removed from
 * the address bar. Requests carry one of them, in `Authorization` or as a WebSocket's sub-protocol.
 */

import { withoutBasePath } from "../base-path.ts";

/** Local storage: owner keys by room. */
const KEYS = "quadrille.keys";
/** Local storage: share links by room. */
const LINKS = "quadrille.links";
/** Local storage: proofs by share link that its password was given. */
const UNLOCKS = "quadrille.unlocks";
/** Session storage: tokens of a host application by room. */
const TOKENS = "quadrille.tokens";

type Store = typeof KEYS | typeof LINKS | typeof UNLOCKS | typeof TOKENS;

/** What is kept while the browser's storage is disabled. */
const memory = new Map<Store, Record<string, string>>();
/** Credentials by room that the server has refused since the page was opened. */
const rejected = new Map<string, Set<string>>();
/** Claims that are being made; a request of their room waits for the key. */
const claims = new Map<string, Promise<unknown>>();

/** Parameters of a fragment, with the store and the shape of their values. */
const FRAGMENTS: readonly (readonly [name: string, store: Store, shape: RegExp])[] = [
  ["owner", KEYS, /^qo_[\w-]{32}$/],
  ["link", LINKS, /^ql_[\w-]{32}$/],
  // The name that the first version of the server gave links.
  ["key", LINKS, /^ql_[\w-]{32}$/],
  ["token", TOKENS, /^[\w-]+\.[\w-]+\.[\w-]+$/],
];

/**
 * Keeps the credential in the fragment of the page's address and removes it from there. Returns
 * whether there was one.
 */
export function takeFragment(room: string): boolean {
  const parameters = new URLSearchParams(location.hash.slice(1));
  let isFound = false;
  for (const [name, store, shape] of FRAGMENTS) {
    const value = parameters.get(name);
    if (value !== null && shape.test(value)) {
      put(store, room, value);
      isFound = true;
    }
  }
  if (isFound) {
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return isFound;
}

/** The credential to send for a room, the one with the most rights first. */
export function credentialOf(room: string): string | undefined {
  const link = linkOf(room);
  const unlock = link === undefined ? undefined : get(UNLOCKS, link);
  const shared = unlock === undefined ? link : `${link}.${unlock}`;
  const known = [get(TOKENS, room), ownerKeyOf(room), shared, etherCalcCode(room)];
  return known.find((credential) => credential !== undefined && !rejected.get(room)?.has(credential));
}

/**
 * The code of EtherCalc's link in the query of the page's address, `?auth=…`. It stays there, because
 * it is what EtherCalc's users copy, and is not stored.
 */
function etherCalcCode(room: string): string | undefined {
  if (decodeURIComponent(withoutBasePath(location.pathname).slice(1)) !== room) {
    return undefined;
  }
  const code = new URLSearchParams(location.search).get("auth") ?? "";
  return /^[0-9a-f]{64}$/.test(code) ? `qe_${code}` : undefined;
}

/** The name that the token of a host application gives the person; the server has verified it. */
export function nameInToken(credential: string | undefined): string | undefined {
  const [header = "", claims = ""] = credential?.split(".") ?? [];
  // Each header of a token begins with `{"`.
  if (!header.startsWith("eyJ")) {
    return undefined;
  }
  try {
    const bytes = Uint8Array.from(atob(claims.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const { name, sub } = JSON.parse(new TextDecoder().decode(bytes)) as { readonly name?: unknown; readonly sub?: unknown };
    return [name, sub].find((text): text is string => typeof text === "string" && text.trim() !== "");
  } catch {
    return undefined;
  }
}

/** Leaves a credential out that the server has refused, until the page is loaded again. */
export function rejectCredential(room: string, credential: string): void {
  rejected.set(room, (rejected.get(room) ?? new Set()).add(credential));
}

/** The owner key of a room. */
export function ownerKeyOf(room: string): string | undefined {
  return get(KEYS, room);
}

/** The share link by which this browser knows a room. */
export function linkOf(room: string): string | undefined {
  return get(LINKS, room);
}

/** Keeps an owner key. */
export function keepOwnerKey(room: string, key: string): void {
  put(KEYS, room, key);
}

/** Keeps the proof that the password of a share link was given. */
export function keepUnlock(link: string, unlock: string): void {
  put(UNLOCKS, link, unlock);
}

/** Removes all credentials of a room, such as one that was deleted. */
export function forgetCredentials(room: string): void {
  const link = linkOf(room);
  for (const [store, name] of [[KEYS, room], [LINKS, room], [TOKENS, room], [UNLOCKS, link ?? ""]] as const) {
    const entries = { ...read(store) };
    delete entries[name];
    write(store, entries);
  }
}

/** The rooms with an owner key, and those with a share link, in this browser. */
export function knownRooms(): { readonly owned: readonly string[]; readonly linked: readonly string[] } {
  return { owned: Object.keys(read(KEYS)), linked: Object.keys(read(LINKS)) };
}

/** Lets requests of a room wait for a claim that is being made. */
export function waitForClaim(room: string, claim: Promise<unknown>): void {
  claims.set(room, claim.finally(() => claims.delete(room)));
}

/** The credential of a room, after a claim that is being made. */
export async function settledCredential(room: string): Promise<string | undefined> {
  await claims.get(room);
  return credentialOf(room);
}

/** As `fetch`, with the credential of a room. */
export async function roomFetch(room: string, url: string, init: RequestInit = {}): Promise<Response> {
  const credential = await settledCredential(room);
  const headers = new Headers(init.headers);
  if (credential !== undefined) {
    headers.set("authorization", `Bearer ${credential}`);
  }
  return fetch(url, { ...init, headers });
}

function get(store: Store, name: string): string | undefined {
  const entries = read(store);
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

function put(store: Store, name: string, value: string): void {
  write(store, { ...read(store), [name]: value });
}

function storageOf(store: Store): Storage {
  return store === TOKENS ? sessionStorage : localStorage;
}

function read(store: Store): Readonly<Record<string, string>> {
  const kept = memory.get(store);
  if (kept) {
    return kept;
  }
  try {
    const stored: unknown = JSON.parse(storageOf(store).getItem(store) ?? "{}");
    return isEntries(stored) ? stored : {};
  } catch {
    return {};
  }
}

function write(store: Store, entries: Record<string, string>): void {
  try {
    storageOf(store).setItem(store, JSON.stringify(entries));
  } catch {
    // Without storage, credentials last until the page is closed.
    memory.set(store, entries);
  }
}

function isEntries(value: unknown): value is Record<string, string> {
  return typeof value === "object" && value !== null && Object.values(value).every((entry) => typeof entry === "string");
}
