export { SessionEnded } from "./SessionEnded.tsx";
export { type ConnectionError, createConnectionError } from "./connection-error.ts";
export { saveTrace, TraceRecorder } from "./trace-recorder.ts";
