/** The access of a workbook in the REST API (docs/rest.md, "Access"). */

import { serverRefusal, t } from "../language/index.ts";
import { roomApi } from "../rooms/index.ts";
import { roomFetch } from "./credentials.ts";

/** A role that can be given away. */
export type SharedRole = "view" | "comment" | "edit";
/** Who may open a workbook without being named. */
export type GeneralAccess = "default" | "restricted" | SharedRole;

/** A person who was given a role. */
export interface PersonAccess {
  /** An e-mail address, or `account:` and an identifier. */
  readonly person: string;
  /** The name of the account. */
  readonly name?: string | null;
  readonly role: SharedRole;
  readonly createdMs: number;
  readonly lastSeenMs: number;
}

/** A share link, without its secret. */
export interface ShareLink {
  readonly id: string;
  readonly role: SharedRole;
  readonly label: string;
  readonly expiresMs: number | null;
  readonly hasPassword: boolean;
  readonly createdMs: number;
  readonly uses: number;
  readonly lastUsedMs: number;
}

/** Somebody who asks for access. */
export interface AccessRequest {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly account: string | null;
  readonly message: string;
  readonly createdMs: number;
}

/** A workbook that may import from this one. */
export interface AllowedImport {
  readonly room: string;
  /** The name of the account that has allowed it. */
  readonly allowedBy: string | null;
  readonly createdMs: number;
}

/** The access of a workbook; members after `trashedMs` are for owners only. */
export interface WorkbookAccess {
  readonly role: "owner" | SharedRole;
  readonly isClaimed: boolean;
  /** Whether the settings of the server let the caller become the owner. */
  readonly canClaim?: boolean;
  readonly general: GeneralAccess;
  /** The role that `default` stands for. */
  readonly defaultRole?: SharedRole | null;
  readonly trashedMs: number | null;
  readonly owner?: string | null;
  readonly ownerName?: string | null;
  readonly ownerKeys?: readonly { readonly id: string; readonly createdMs: number }[];
  readonly people?: readonly PersonAccess[];
  readonly links?: readonly ShareLink[];
  readonly imports?: readonly AllowedImport[];
  readonly requests?: readonly AccessRequest[];
}

/** Members of a share link that are set. */
export interface LinkChange {
  readonly role?: SharedRole;
  readonly label?: string;
  readonly expiresMs?: number | null;
  readonly password?: string | null;
}

/** The server refused; the message is localized. */
export class AccessRefused extends Error {
  readonly code: string;

  constructor(code: string) {
    super(refusalText(code));
    this.code = code;
  }
}

/** The access; `undefined` for a workbook that does not exist yet. */
export async function readAccess(room: string): Promise<WorkbookAccess | undefined> {
  const response = await send(room, "GET", "");
  if (response.status === 404) {
    return undefined;
  }
  return (await checked(response)).json() as Promise<WorkbookAccess>;
}

/** Sets the general access. */
export async function setGeneral(room: string, general: GeneralAccess): Promise<void> {
  await change(room, "PUT", "", { general });
}

/** What became of an invitation. */
export interface Invitation {
  readonly sent: boolean;
  /** The address to send by hand. */
  readonly url: string | null;
}

/** Gives a person a role; the result tells whether the server has sent an invitation by e-mail. */
export async function addPerson(room: string, person: string, role: SharedRole): Promise<Invitation | undefined> {
  const response = await change(room, "POST", "/people", { person, role });
  const answer = (await response.json()) as { invitation?: Invitation | null };
  return answer.invitation ?? undefined;
}

/** Changes the role of a person, or takes it away. */
export async function changePerson(room: string, person: string, role: SharedRole | undefined): Promise<void> {
  const path = `/people/${encodeURIComponent(person)}`;
  await (role === undefined ? change(room, "DELETE", path) : change(room, "PUT", path, { role }));
}

/** Gives the workbook to a person who has a role and an account. */
export async function transferTo(room: string, person: string): Promise<void> {
  await change(room, "PUT", "/owner", { person });
}

/** Creates a share link and returns its secret, which the server does not keep. */
export async function addLink(room: string, link: LinkChange): Promise<{ readonly id: string; readonly link: string }> {
  const response = await change(room, "POST", "/links", link);
  return response.json() as Promise<{ id: string; link: string }>;
}

/** Changes a share link; its address stays the same. */
export async function changeLink(room: string, id: string, link: LinkChange): Promise<void> {
  await change(room, "PUT", `/links/${encodeURIComponent(id)}`, link);
}

/** Revokes a share link. */
export async function revokeLink(room: string, id: string): Promise<void> {
  await change(room, "DELETE", `/links/${encodeURIComponent(id)}`);
}

/** Allows the workbook `importer` to import from `room`. */
export async function allowImport(room: string, importer: string): Promise<void> {
  await change(room, "POST", "/imports", { room: importer });
}

/** No longer allows a workbook to import from `room`. */
export async function revokeImport(room: string, importer: string): Promise<void> {
  await change(room, "DELETE", `/imports/${encodeURIComponent(importer)}`);
}

/** Creates an owner key for another browser. */
export async function addOwnerKey(room: string): Promise<string> {
  const response = await change(room, "POST", "/owner-keys");
  return ((await response.json()) as { ownerKey: string }).ownerKey;
}

/** Revokes an owner key. */
export async function revokeOwnerKey(room: string, id: string): Promise<void> {
  await change(room, "DELETE", `/owner-keys/${encodeURIComponent(id)}`);
}

/** Answers a request for access; without a role the person gets none. */
export async function answerRequest(room: string, id: string, role: SharedRole | undefined): Promise<Invitation | undefined> {
  const response = await change(room, "DELETE", `/requests/${encodeURIComponent(id)}${role === undefined ? "" : `?role=${role}`}`);
  return response.status === 204 ? undefined : ((await response.json()) as { invitation?: Invitation | null }).invitation ?? undefined;
}

/** Asks the owners for access. */
export async function askForAccess(room: string, name: string, email: string, message: string): Promise<void> {
  await change(room, "POST", "/requests", { name, message, ...(email === "" ? {} : { email }) });
}

/** Moves the workbook to the trash. */
export async function moveToTrash(room: string): Promise<void> {
  await change(room, "POST", "/trash");
}

/** Takes the workbook out of the trash. */
export async function restoreFromTrash(room: string): Promise<void> {
  await change(room, "DELETE", "/trash");
}

/** Deletes the workbook with its history, chat and images. */
export async function deleteForEver(room: string): Promise<void> {
  await checked(await roomFetch(room, roomApi(room), { method: "DELETE" }).catch(unreachable));
}

/** Whether a share link opens the workbook, needs its password, or has ended. */
export async function linkState(room: string, link: string): Promise<"valid" | "locked" | "ended"> {
  const response = await postUnlock(room, { link });
  if (response.status === 404) {
    return "ended";
  }
  return (await checked(response).then((answer) => answer.json() as Promise<{ isLocked: boolean }>)).isLocked ? "locked" : "valid";
}

/** The proof that the password of a share link was given. Rejects with the code `forbidden` for a wrong one. */
export async function unlock(room: string, link: string, password: string): Promise<string> {
  const response = await checked(await postUnlock(room, { link, password }));
  return ((await response.json()) as { unlock: string }).unlock;
}

function postUnlock(room: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(`${roomApi(room)}/access/unlock`, { method: "POST", headers, body: JSON.stringify(body) }).catch(unreachable);
}

async function change(room: string, method: string, path: string, body?: object): Promise<Response> {
  return checked(await send(room, method, path, body));
}

function send(room: string, method: string, path: string, body?: object): Promise<Response> {
  const content = body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  return roomFetch(room, `${roomApi(room)}/access${path}`, { method, ...content }).catch(unreachable);
}

function unreachable(): never {
  throw new AccessRefused("unreachable");
}

async function checked(response: Response): Promise<Response> {
  if (response.ok) {
    return response;
  }
  const answer = (await response.json().catch(() => undefined)) as { error?: { code?: string } } | undefined;
  throw new AccessRefused(answer?.error?.code ?? String(response.status));
}

function refusalText(code: string): string {
  switch (code) {
    case "unreachable":
      return t("The server cannot be reached");
    case "conflict":
      return t("This is not possible now: the access has changed meanwhile.");
    case "weak_password":
      return t("This password is easy to guess. Choose one that is not common and not made of your name, email address or the name of this service.");
    case "too_many_requests":
      return t("Too many attempts. Wait a few minutes, then try again.");
    default:
      return serverRefusal(code) ?? t("The server rejected the change: {reason}", { reason: code });
  }
}
