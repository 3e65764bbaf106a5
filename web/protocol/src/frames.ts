/** First byte of a frame that submits a transaction (docs/protocol.md); frames are otherwise the engine's. */
const SUBMIT = 2;

export function isSubmission(frame: ArrayBuffer): boolean {
  return new Uint8Array(frame, 0, Math.min(1, frame.byteLength))[0] === SUBMIT;
}
