/** Recording the page's half of a trace: what became of each transaction here. docs/operations-guide.md says how to look at it. */

import type { Session, TraceEvent } from "@quadrille/session";
import { createSignal } from "solid-js";

const FILE_NAME = "quadrille-page-trace.json";

export class TraceRecorder {
  private readonly session: Session;
  private readonly signal = createSignal(false);
  readonly isOn = this.signal[0];

  constructor(session: Session) {
    this.session = session;
  }

  /** Begins to record, or ends it: the recording then comes as a file. */
  toggle(): void {
    const isOn = !this.isOn();
    this.signal[1](isOn);
    this.session.trace(isOn);
  }
}

export function saveTrace(events: readonly TraceEvent[]): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(events)], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = FILE_NAME;
  link.click();
  // The browser has taken the address by then.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
