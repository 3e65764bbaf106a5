/** First byte of a frame that submits a transaction (docs/protocol.md); frames are otherwise the engine's. */
const SUBMIT = 2;

/** What a room says about its chat, and about following: the page reads it, the engine does not. */
const CHAT: ReadonlySet<number | undefined> = new Set([9, 10]);
const ACCESS: ReadonlySet<number | undefined> = new Set([13, 14, 15]);
const FOLLOWING: ReadonlySet<number | undefined> = new Set([11, 12]);

export function isFollowing(frame: Uint8Array): boolean {
  return FOLLOWING.has(frame[0]);
}

/** What a room says about the person of the page, and about access to the workbook. */
export function isAboutAccess(frame: Uint8Array): boolean {
  return ACCESS.has(frame[0]);
}

export function isForPage(frame: Uint8Array): boolean {
  return CHAT.has(frame[0]) || isFollowing(frame) || isAboutAccess(frame);
}

export function isSubmission(frame: ArrayBuffer): boolean {
  return new Uint8Array(frame, 0, Math.min(1, frame.byteLength))[0] === SUBMIT;
}
