/**
 * The preview of a room: the cells at the start of the sheet with their formats, drawn by the
 * server.
 *
 * It determines the order of loading: the code that draws these cells comes first, then the rest of
 * the client and the engine, which is by far the largest download.
 */

import { type DecodedPreview, decodePreview } from "@quadrille/protocol";
import { roomFetch } from "../access/index.ts";
import { isAppView } from "../form-controls/index.ts";
import { isPresenting } from "../presentation/index.ts";
import { claimNewRoom, opensForViewing, roomApi } from "../rooms/index.ts";

/** Maximum time for which the other downloads wait for the preview. */
const HEAD_START_MS = 1_000;
/** The status for a room that does not exist, and for one that does not open. */
const NO_CONTENT = 204;

let request: { readonly room: string; readonly preview: Promise<DecodedPreview | undefined> } | undefined;

let resolvePainted: () => void = () => undefined;
const painted = new Promise<void>((resolve) => {
  resolvePainted = resolve;
});

/**
 * Loads the preview once; `undefined` if the room is new, or the server does not answer or has
 * another version.
 */
export function loadPreview(room: string): Promise<DecodedPreview | undefined> {
  if (request?.room !== room) {
    const response = requestPreview(room);
    // The preview has the whole sheet; the view `/app` shows only panels.
    request = { room, preview: isAppView || isPresenting() ? Promise.resolve(undefined) : response.then(decode) };
    if (!opensForViewing()) {
      claimNewRoom(room, response.then((answer) => answer?.status === NO_CONTENT));
    }
  }
  return request.preview;
}

/** Discards the preview, so that the next visit loads a new one. */
export function discardPreview(): void {
  request = undefined;
}

/** Loads other cells, for scrolling and other sheets before the engine is loaded. */
export async function fetchPreview(room: string, selection?: { readonly sheet: string; readonly range: string }): Promise<DecodedPreview | undefined> {
  return decode(await requestPreview(room, selection));
}

async function requestPreview(room: string, selection?: { readonly sheet: string; readonly range: string }): Promise<Response | undefined> {
  const query = selection ? `?${new URLSearchParams(selection)}` : "";
  try {
    return await roomFetch(room, `${roomApi(room)}/window${query}`);
  } catch {
    // The connection reports the error.
    return undefined;
  }
}

async function decode(response: Response | undefined): Promise<DecodedPreview | undefined> {
  try {
    return response?.status === 200 ? decodePreview(await response.arrayBuffer()) : undefined;
  } catch {
    return undefined;
  }
}

/** Marks the preview as painted, or as not available. */
export function markPreviewShown(): void {
  resolvePainted();
}

/** Resolves when downloads that the preview does not need can start. */
export function previewShown(): Promise<void> {
  return Promise.race([painted, new Promise<void>((resolve) => window.setTimeout(resolve, HEAD_START_MS))]);
}
