/** First byte of a frame that submits a transaction (docs/protocol.md); frames are otherwise the engine's. */
const SUBMIT = 2;

/** What a room says about its chat; the page reads it, the engine does not. */
const CHAT: ReadonlySet<number | undefined> = new Set([9, 10]);

export function isChat(frame: Uint8Array): boolean {
  return CHAT.has(frame[0]);
}

export function isSubmission(frame: ArrayBuffer): boolean {
  return new Uint8Array(frame, 0, Math.min(1, frame.byteLength))[0] === SUBMIT;
}
