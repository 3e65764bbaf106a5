export { type ViewData, Session, type SessionListener, type SessionOptions } from "./session.ts";
export type { QueryResults, Connection } from "./worker-messages.ts";
export type { TraceEvent } from "./trace.ts";
