/** The WebSocket connection to a room, with timeouts and automatic reconnection. */

import { retryAfterMs, retryDelayMs } from "./backoff.ts";
import type { Connection } from "./worker-messages.ts";

/** Receives frames and state changes. */
export interface ConnectionListener {
  opened(): void;
  received(frame: Uint8Array): void;
  /** Called once for each `opened`. `code` is the server's close code, if any. */
  closed(code: number | null): void;
  changed(connection: Connection): void;
}

/** The engine sends pings, so a connection without frames for this long is dead. */
const SILENCE_MS_MAX = 20_000;
const WATCH_MS = 2_000;
const CONNECT_MS_MAX = 10_000;
/** A connection that lasted this long resets the backoff. */
const STABLE_MS = 5_000;
/**
 * Close codes after which reconnecting is of no use, such as unknown version, access denied, room
 * deleted, quota exceeded.
 */
// `CloseReason::can_reconnect` in crates/protocol.
const FINAL_CODES: ReadonlySet<number> = new Set([1009, 4400, 4402, 4403, 4410, 4411, 4413]);
/** The role of the session was changed: reconnecting at once gives the new one. */
const ACCESS_CHANGED = 4412;

/** Connects at once and reconnects until `dispose`, or until the server refuses the connection. */
export class RoomConnection {
  private readonly url: string;
  private readonly listener: ConnectionListener;
  private socket: WebSocket | undefined;
  private attempt = 0;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private watchTimer: ReturnType<typeof setInterval> | undefined;
  private credential: string | undefined;
  private isOpen = false;
  private startedAtMs = 0;
  private lastFrameAtMs = 0;
  private isOnline = true;

  constructor(url: string, credential: string | undefined, listener: ConnectionListener) {
    this.url = url;
    this.credential = credential;
    this.listener = listener;
    this.connect();
  }

  dispose(): void {
    clearInterval(this.watchTimer);
    clearTimeout(this.retryTimer);
    this.drop();
  }

  /** Connects with another credential, even after the server has refused the connection. */
  reconnect(credential: string | undefined): void {
    this.credential = credential;
    this.attempt = 0;
    this.connect();
  }

  /** Sends a frame; does nothing while there is no connection. */
  send(frame: ArrayBuffer): void {
    if (this.isOpen) {
      this.socket?.send(frame);
    }
  }

  /**
   * Reports the browser's network state: reconnects at once when online, and drops the connection
   * when offline.
   */
  setOnline(isOnline: boolean): void {
    this.isOnline = isOnline;
    if (!isOnline) {
      this.scheduleReconnect();
    } else if (!this.isOpen) {
      this.attempt = 0;
      this.connect();
    }
  }

  /** Closes the connection on request of the engine, and reconnects if `canReconnect`. */
  restart(canReconnect: boolean): void {
    if (!canReconnect) {
      this.refuse(4402, "");
    } else if (Date.now() - this.startedAtMs > STABLE_MS) {
      this.connect();
    } else {
      this.scheduleReconnect();
    }
  }

  private connect(): void {
    clearTimeout(this.retryTimer);
    this.drop();
    this.watchTimer ??= setInterval(() => this.checkTimeouts(), WATCH_MS);
    this.startedAtMs = Date.now();
    this.listener.changed({ state: "connecting" });
    // A browser's WebSocket cannot send `Authorization`.
    const protocols = this.credential === undefined ? [] : ["quadrille", `bearer.${this.credential}`];
    const socket = new WebSocket(this.url, protocols);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.addEventListener("open", () => {
      if (this.socket === socket) {
        this.isOpen = true;
        this.lastFrameAtMs = Date.now();
        this.listener.changed({ state: "open" });
        this.listener.opened();
      }
    });
    socket.addEventListener("message", (event: MessageEvent<unknown>) => {
      if (this.socket === socket && event.data instanceof ArrayBuffer) {
        this.lastFrameAtMs = Date.now();
        this.listener.received(new Uint8Array(event.data));
      }
    });
    socket.addEventListener("close", (event) => {
      if (this.socket !== socket) {
        return;
      }
      if (FINAL_CODES.has(event.code)) {
        this.refuse(event.code, event.reason);
      } else if (event.code === ACCESS_CHANGED && Date.now() - this.startedAtMs > STABLE_MS) {
        this.drop(event.code);
        this.connect();
      } else {
        this.scheduleReconnect(event.code, retryAfterMs(event.reason));
      }
    });
  }

  /** Drops the connection and schedules the next attempt. */
  private scheduleReconnect(code: number | null = null, requestedDelayMs = 0): void {
    clearTimeout(this.retryTimer);
    if (this.isOpen && Date.now() - this.startedAtMs > STABLE_MS) {
      this.attempt = 0;
    }
    this.drop(code);
    // The jitter is added to the delay requested by the server, so that clients stay spread out.
    const delayMs = requestedDelayMs + retryDelayMs(this.attempt, Math.random());
    this.attempt += 1;
    this.listener.changed({ state: "lost", retryAtMs: Date.now() + delayMs, code });
    // While offline, the browser's `online` event triggers the next attempt.
    if (this.isOnline) {
      this.retryTimer = setTimeout(() => this.connect(), delayMs);
    }
  }

  private refuse(code: number, reason: string): void {
    this.drop(code);
    clearInterval(this.watchTimer);
    this.watchTimer = undefined;
    this.listener.changed({ state: "refused", code, reason });
  }

  private drop(code: number | null = null): void {
    const { socket, isOpen } = this;
    this.socket = undefined;
    this.isOpen = false;
    socket?.close();
    if (isOpen) {
      this.listener.closed(code);
    }
  }

  private checkTimeouts(): void {
    const now = Date.now();
    const isSilent = this.isOpen && now - this.lastFrameAtMs > SILENCE_MS_MAX;
    const isStuck = this.socket !== undefined && !this.isOpen && now - this.startedAtMs > CONNECT_MS_MAX;
    if (isSilent || isStuck) {
      this.scheduleReconnect();
    }
  }
}
