/**
 * Pictures of people whom a host application has signed in. Each is asked for when it is shown first;
 * until the answer, and without a picture, initials are shown.
 */

import { createSignal, type Signal } from "solid-js";

/** Pictures that are kept for people who are not listed at the moment. */
const KEPT_MAX = 200;

/** Sends the request for the picture of a session, `undefined` for the own one. */
type Ask = (session: string | undefined) => void;

type PictureSignal = Signal<string | undefined>;

/** The pictures in one open workbook. */
export class Pictures {
  private readonly ask: Ask;
  /** By session, with an empty text for the own one. */
  private readonly known = new Map<string, PictureSignal>();
  private isConnected = false;

  constructor(ask: Ask) {
    this.ask = ask;
  }

  /** The URL of the picture of a session, `undefined` for the own one; `undefined` without a picture. */
  of(session: string | undefined): string | undefined {
    const key = session ?? "";
    let signal = this.known.get(key);
    if (!signal) {
      signal = createSignal<string>();
      this.known.set(key, signal);
      if (this.isConnected) {
        this.ask(session);
      }
    }
    return signal[0]();
  }

  /** Asks again after a new connection: the sessions and the own credentials may be others. */
  connected(isConnected: boolean): void {
    if (isConnected && !this.isConnected) {
      for (const key of this.known.keys()) {
        this.ask(key === "" ? undefined : key);
      }
    }
    this.isConnected = isConnected;
  }

  /** Forgets sessions that are not among the people any longer, when there are many. */
  keep(sessions: ReadonlySet<string>): void {
    // In a large room people come and go as one scrolls.
    if (this.known.size <= KEPT_MAX) {
      return;
    }
    for (const key of this.known.keys()) {
      if (key !== "" && !sessions.has(key)) {
        this.known.delete(key);
      }
    }
  }

  /** Handles the answer of the room. */
  receive(session: string | undefined, url: string): void {
    this.known.get(session ?? "")?.[1](url === "" ? undefined : url);
  }
}
