/** Connection errors, the end of a session, and traces. */

export { type ConnectionError, createConnectionError } from "./connection-error.ts";
export { refusal } from "./refusal.ts";
export { SessionEnded } from "./SessionEnded.tsx";
export { SessionRefused } from "./SessionRefused.tsx";
export { saveTrace, TraceRecorder } from "./trace-recorder.ts";
