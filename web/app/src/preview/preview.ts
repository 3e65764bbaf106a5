/**
 * What the server shows of a room before the engine is there: the cells at the sheet's beginning, with their looks.
 *
 * The order of loading follows from it: first what draws these cells, then the rest of the page and the engine,
 * which is by far the largest part.
 */

import { type DecodedPreview, decodePreview } from "@quadrille/protocol";
import { roomApi } from "../rooms/index.ts";

/** The rest of the page waits for the first look, but not longer than this. */
const HEAD_START_MS = 1_000;

let asked: { readonly room: string; readonly look: Promise<DecodedPreview | undefined> } | undefined;

let tellSeen: () => void = () => undefined;
const seen = new Promise<void>((done) => {
  tellSeen = done;
});

/** Asked for once; nothing where the room is new, the server does not answer, or is of another version. */
export function loadPreview(room: string): Promise<DecodedPreview | undefined> {
  if (asked?.room !== room) {
    asked = { room, look: fetchPreview(room) };
  }
  return asked.look;
}

/** The engine has taken over: the next time the room is opened it will be another look. */
export function discardPreview(): void {
  asked = undefined;
}

/** More of it, for those who scroll or change sheets before the engine is there. */
export async function fetchPreview(room: string, wanted?: { readonly sheet: string; readonly range: string }): Promise<DecodedPreview | undefined> {
  const query = wanted ? `?${new URLSearchParams(wanted)}` : "";
  try {
    const response = await fetch(`${roomApi(room)}/window${query}`);
    return response.status === 200 ? decodePreview(await response.arrayBuffer()) : undefined;
  } catch {
    // The socket will find out what is wrong, and say so.
    return undefined;
  }
}

/** The cells are on the screen, or there are none to wait for. */
export function markPreviewShown(): void {
  tellSeen();
}

/** When what is not needed for the first look may be loaded. */
export function previewShown(): Promise<void> {
  return Promise.race([seen, new Promise<void>((done) => window.setTimeout(done, HEAD_START_MS))]);
}
