/**
 * Records the client side of a trace: the steps of each transaction. docs/operations-guide.md
 * explains how to read it.
 */

import type { Session, TraceEvent } from "@quadrille/session";
import { createSignal } from "solid-js";
import { saveFile } from "../rooms/index.ts";

const FILE_NAME = "quadrille-page-trace.json";

/** Switches tracing of the session on and off. */
export class TraceRecorder {
  private readonly session: Session;
  private readonly signal = createSignal(false);
  readonly isOn = this.signal[0];

  constructor(session: Session) {
    this.session = session;
  }

  /** Starts recording, or stops it; the recording is then downloaded. */
  toggle(): void {
    const isOn = !this.isOn();
    this.signal[1](isOn);
    this.session.trace(isOn);
  }
}

/** Downloads a recording. */
export function saveTrace(events: readonly TraceEvent[]): void {
  saveFile(new Blob([JSON.stringify(events)], { type: "application/json" }), FILE_NAME);
}
