/**
 * Makes this browser the owner of a room that it is the first to open: a new workbook belongs to
 * its maker.
 */

import { credentialOf, keepOwnerKey, waitForClaim } from "../access/index.ts";
import { roomApi } from "./room-urls.ts";

/** A server that does not answer for this long is not waited for; the room then has no owner. */
const CLAIM_MS_MAX = 3_000;

/**
 * Claims a room if `isNew` resolves to `true`. Requests of the room wait for the key. The server
 * refuses when another page was faster or its settings do not allow it; the page then works without
 * a key.
 */
export function claimNewRoom(room: string, isNew: Promise<boolean>): void {
  if (credentialOf(room) === undefined) {
    waitForClaim(room, isNew.then((isMissing) => (isMissing ? claimRoom(room) : false)));
  }
}

/** Claims a room and keeps its owner key. Returns whether this browser, or its account, owns it. */
export async function claimRoom(room: string): Promise<boolean> {
  try {
    const response = await fetch(`${roomApi(room)}/access/claim`, { method: "POST", signal: AbortSignal.timeout(CLAIM_MS_MAX) });
    if (!response.ok) {
      return false;
    }
    const answer = (await response.json()) as { ownerKey?: unknown };
    // An account owns the room without a key.
    if (typeof answer.ownerKey === "string") {
      keepOwnerKey(room, answer.ownerKey);
    }
    return true;
  } catch {
    return false;
  }
}
