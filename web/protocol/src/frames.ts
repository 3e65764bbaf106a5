/** First byte of a frame that submits a transaction (docs/protocol.md); frames are otherwise the engine's. */
const SUBMIT = 2;

/** What a room says about its chat, and about following: the page reads it, the engine does not. */
const CHAT: ReadonlySet<number | undefined> = new Set([9, 10]);
const FOLLOWING: ReadonlySet<number | undefined> = new Set([11, 12]);

export function isFollowing(frame: Uint8Array): boolean {
  return FOLLOWING.has(frame[0]);
}

export function isForPage(frame: Uint8Array): boolean {
  return CHAT.has(frame[0]) || isFollowing(frame);
}

export function isSubmission(frame: ArrayBuffer): boolean {
  return new Uint8Array(frame, 0, Math.min(1, frame.byteLength))[0] === SUBMIT;
}
