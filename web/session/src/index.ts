export { type Look, Session, type SessionListener, type SessionOptions } from "./session.ts";
export type { Answers, Connection } from "./messages.ts";
export type { TraceEvent } from "./trace.ts";
