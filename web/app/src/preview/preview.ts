/**
 * The preview of a room: the cells at the start of the sheet with their formats, drawn by the
 * server.
 *
 * It determines the order of loading: the code that draws these cells comes first, then the rest of
 * the client and the engine, which is by far the largest download.
 */

import { type DecodedPreview, decodePreview } from "@quadrille/protocol";
import { roomApi } from "../rooms/index.ts";

/** Maximum time for which the other downloads wait for the preview. */
const HEAD_START_MS = 1_000;

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
    request = { room, preview: fetchPreview(room) };
  }
  return request.preview;
}

/** Discards the preview, so that the next visit loads a new one. */
export function discardPreview(): void {
  request = undefined;
}

/** Loads other cells, for scrolling and other sheets before the engine is loaded. */
export async function fetchPreview(room: string, selection?: { readonly sheet: string; readonly range: string }): Promise<DecodedPreview | undefined> {
  const query = selection ? `?${new URLSearchParams(selection)}` : "";
  try {
    const response = await fetch(`${roomApi(room)}/window${query}`);
    return response.status === 200 ? decodePreview(await response.arrayBuffer()) : undefined;
  } catch {
    // The connection reports the error.
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
