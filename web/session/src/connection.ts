/** The socket of a room: opened, watched, and opened again when it is lost. */

import { retryAfterMs, retryDelayMs } from "./backoff.ts";
import type { Connection } from "./messages.ts";

export interface ConnectionListener {
  opened(): void;
  received(frame: Uint8Array): void;
  /** Only after `opened`; with the server's reason if it gave one. */
  closed(code: number | null): void;
  changed(connection: Connection): void;
}

/** No frame for this long, although the engine asks from time to time, means that the line is dead. */
const SILENCE_MS_MAX = 20_000;
const WATCH_MS = 2_000;
const CONNECT_MS_MAX = 10_000;
/** A connection that held this long makes the next wait short again. */
const STABLE_MS = 5_000;
/** The server says that another attempt is of no use: unknown version, no rights, room deleted. */
// `CloseReason::may_reconnect` in crates/protocol.
const FINAL_CODES: ReadonlySet<number> = new Set([1009, 4400, 4402, 4403, 4410, 4411]);

export class RoomConnection {
  private readonly url: string;
  private readonly listener: ConnectionListener;
  private socket: WebSocket | undefined;
  private attempt = 0;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly watchTimer: ReturnType<typeof setInterval>;
  private isOpen = false;
  private startedAtMs = 0;
  private heardAtMs = 0;
  private isOnline = true;

  constructor(url: string, listener: ConnectionListener) {
    this.url = url;
    this.listener = listener;
    this.watchTimer = setInterval(() => this.watch(), WATCH_MS);
    this.connect();
  }

  dispose(): void {
    clearInterval(this.watchTimer);
    clearTimeout(this.retryTimer);
    this.drop();
  }

  send(frame: ArrayBuffer): void {
    if (this.isOpen) {
      this.socket?.send(frame);
    }
  }

  /** What the browser says about its network: a hint to try at once, or not to wait for a timeout. */
  setOnline(isOnline: boolean): void {
    this.isOnline = isOnline;
    if (!isOnline) {
      this.lose();
    } else if (!this.isOpen) {
      this.attempt = 0;
      this.connect();
    }
  }

  /** The engine gives this connection up. */
  restart(again: boolean): void {
    if (!again) {
      this.end(4402, "");
    } else if (Date.now() - this.startedAtMs > STABLE_MS) {
      this.connect();
    } else {
      this.lose();
    }
  }

  private connect(): void {
    clearTimeout(this.retryTimer);
    this.drop();
    this.startedAtMs = Date.now();
    this.listener.changed({ state: "connecting" });
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.addEventListener("open", () => {
      if (this.socket === socket) {
        this.isOpen = true;
        this.heardAtMs = Date.now();
        this.listener.changed({ state: "open" });
        this.listener.opened();
      }
    });
    socket.addEventListener("message", (event: MessageEvent<unknown>) => {
      if (this.socket === socket && event.data instanceof ArrayBuffer) {
        this.heardAtMs = Date.now();
        this.listener.received(new Uint8Array(event.data));
      }
    });
    socket.addEventListener("close", (event) => {
      if (this.socket !== socket) {
        return;
      }
      if (FINAL_CODES.has(event.code)) {
        this.end(event.code, event.reason);
      } else {
        this.lose(event.code, retryAfterMs(event.reason));
      }
    });
  }

  /** Ends what is left of the connection and plans the next one. */
  private lose(code: number | null = null, askedMs = 0): void {
    clearTimeout(this.retryTimer);
    if (this.isOpen && Date.now() - this.startedAtMs > STABLE_MS) {
      this.attempt = 0;
    }
    this.drop(code);
    // Never before the server wants to see us again; the random part keeps others apart then too.
    const delayMs = askedMs + retryDelayMs(this.attempt, Math.random());
    this.attempt += 1;
    this.listener.changed({ state: "lost", retryAtMs: Date.now() + delayMs, code });
    // Without a network the browser will tell when it is back.
    if (this.isOnline) {
      this.retryTimer = setTimeout(() => this.connect(), delayMs);
    }
  }

  private end(code: number, reason: string): void {
    this.drop(code);
    clearInterval(this.watchTimer);
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

  private watch(): void {
    const now = Date.now();
    const isSilent = this.isOpen && now - this.heardAtMs > SILENCE_MS_MAX;
    const isStuck = this.socket !== undefined && !this.isOpen && now - this.startedAtMs > CONNECT_MS_MAX;
    if (isSilent || isStuck) {
      this.lose();
    }
  }
}
