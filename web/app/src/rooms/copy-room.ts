/** Copies a room on the server (docs/rest.md, rule 7). */

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
  const body = JSON.stringify({ name, title: cleanTitle(title), copyOf: room, author, ...(revision === undefined ? {} : { revision }) });
  const headers = { "content-type": "application/json" };
  const response = await fetch("/api/v1/rooms", { method: "POST", headers, body }).catch(() => undefined);
  if (!response) {
    throw new CopyFailed(t("The server cannot be reached"));
  }
  if (!response.ok) {
    const answer = (await response.json().catch(() => undefined)) as { error?: { code?: string } } | undefined;
    const code = answer?.error?.code ?? String(response.status);
    throw new CopyFailed(serverRefusal(code) ?? t("The server rejected the change: {reason}", { reason: code }));
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
