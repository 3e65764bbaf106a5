/** A new room with the contents of another, made by the server (docs/rest.md, rule 7). */

import { newRoomName } from "./room-names.ts";
import { roomPath } from "./room-urls.ts";
import { serverRefusal, t } from "../language/index.ts";
import { cleanTitle } from "./titles.ts";

export interface Copying {
  readonly room: string;
  /** As it was then, instead of as it is now. */
  readonly revision?: number;
  /** What the copy is called. */
  readonly title: string;
  readonly author: string;
}

/** In words that a reader can act on. */
export class CopyFailed extends Error {}

/** Answers with the path of the copy. */
export async function copyRoom({ room, revision, title, author }: Copying): Promise<string> {
  const name = newRoomName(title);
  const body = JSON.stringify({ name, title: cleanTitle(title), copyOf: room, author, ...(revision === undefined ? {} : { revision }) });
  const headers = { "content-type": "application/json" };
  const response = await fetch("/api/v1/rooms", { method: "POST", headers, body }).catch(() => undefined);
  if (!response) {
    throw new CopyFailed(t("The server cannot be reached"));
  }
  if (!response.ok) {
    const told = (await response.json().catch(() => undefined)) as { error?: { code?: string } } | undefined;
    const code = told?.error?.code ?? String(response.status);
    throw new CopyFailed(serverRefusal(code) ?? t("The server refused the change: {reason}", { reason: code }));
  }
  return roomPath(name);
}

/** In a new tab; where the browser does not let one open, here. */
export function openCopy(path: string): void {
  const opened = window.open(path, "_blank");
  if (opened) {
    // The copy is a page of its own.
    opened.opener = null;
  } else {
    location.href = path;
  }
}
