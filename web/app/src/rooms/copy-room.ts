/** Copies a room on the server (docs/rest.md, rule 7). */

import { serverPath } from "../base-path.ts";
import { keepOwnerKey, roomFetch } from "../access/index.ts";
import { newRoomName } from "./room-names.ts";
import { roomPath } from "./room-urls.ts";
import { serverRefusal, t } from "../language/index.ts";
import { cleanTitle } from "./titles.ts";

/** What to copy. */
export interface CopyRequest {
  readonly room: string;
  /** The revision to copy; the current one by default. */
  readonly revision?: number;
  /** Title of the copy. */
  readonly title: string;
  readonly author: string;
}

/** The copy failed; the message is localized. */
export class CopyFailed extends Error {}

/** Copies a room and returns the path of the copy. Rejects with `CopyFailed`. */
export async function copyRoom({ room, revision, title, author }: CopyRequest): Promise<string> {
  const name = newRoomName(title);
  const request = { name, title: cleanTitle(title), copyOf: room, author, ...(revision === undefined ? {} : { revision }) };
  const post = async (body: object): Promise<Response | undefined> => {
    const headers = { "content-type": "application/json" };
    return roomFetch(room, serverPath("/api/v1/rooms"), { method: "POST", headers, body: JSON.stringify(body) }).catch(() => undefined);
  };
  // The server may not allow owners; the copy then has none.
  const claimed = await post({ ...request, claim: true });
  const response = claimed?.status === 403 ? await post(request) : claimed;
  if (!response) {
    throw new CopyFailed(t("The server cannot be reached"));
  }
  if (!response.ok) {
    const answer = (await response.json().catch(() => undefined)) as { error?: { code?: string } } | undefined;
    const code = answer?.error?.code ?? String(response.status);
    throw new CopyFailed(serverRefusal(code) ?? t("The server rejected the change: {reason}", { reason: code }));
  }
  const { ownerKey } = (await response.json()) as { ownerKey?: unknown };
  if (typeof ownerKey === "string") {
    keepOwnerKey(name, ownerKey);
  }
  return roomPath(name);
}

/** Opens the copy in a new tab, or in this one if the browser blocks the new tab. */
export function openCopy(path: string): void {
  const opened = window.open(path, "_blank");
  if (opened) {
    // The copy cannot access this page.
    opened.opener = null;
  } else {
    location.href = path;
  }
}
