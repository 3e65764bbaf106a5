/**
 * Stores replicas in IndexedDB, so that rooms open offline and unacknowledged edits survive closing
 * the page.
 *
 * The engine returns changes as a list of pieces (`crates/wasm/src/persistence.rs`), which are
 * written in one IndexedDB transaction. Each stored replica of a room has a *slot* and a Web Lock
 * that the worker holds, so that two pages never use the same replica. The next page takes over a
 * free slot, preferably one with unacknowledged edits. Web Locks need a secure context; without
 * one, nothing is stored.
 */

const DATABASE = "quadrille";
const VERSION = 1;
/** Object store of slot entries: time of last use and number of unacknowledged edits. */
const SLOTS = "slots";
/** Object store of pieces. Key: room, slot, kind of piece, key of piece. */
const PIECES = "pieces";
/** Maximum number of slots without unacknowledged edits; the least recently used are deleted. */
const SLOTS_MAX = 40;
/** Maximum number of slots of one room. */
const SLOTS_OF_ROOM_MAX = 32;

/**
 * A closing page may release its lock after the next page has opened: wait this long for a slot
 * with edits.
 */
const LOCK_WAIT_MS = 500;
/** As above, in the background. */
const ORPHAN_LOCK_WAIT_MS = 3_000;

const HEAD = 1;
const BASE = 2;
const RECORD = 3;
const REMOVED = 4;
const UNCONFIRMED = 5;
const HEADER_BYTES = 16;

interface SlotEntry {
  readonly room: string;
  readonly slot: number;
  readonly usedAtMs: number;
  readonly unconfirmed: number;
}

type SlotKey = readonly [room: string, slot: number];

/** One locked slot of a room. */
export class ReplicaStore {
  private readonly database: IDBDatabase;
  private readonly key: SlotKey;
  private readonly release: () => void;
  private readonly unconfirmed: Set<number>;

  private constructor(database: IDBDatabase, key: SlotKey, release: () => void, unconfirmed: readonly number[]) {
    this.database = database;
    this.key = key;
    this.release = release;
    this.unconfirmed = new Set(unconfirmed);
  }

  /**
   * Locks a slot of the room and reads its contents; `undefined` if this browser cannot store
   * anything.
   */
  static async open(room: string): Promise<{ store: ReplicaStore; start: Start | undefined } | undefined> {
    const database = await openDatabase();
    if (!database) {
      return undefined;
    }
    const entries = (await allSlots(database)).filter((entry) => entry.room === room);
    const candidates = [...entries].sort((a, b) => b.unconfirmed - a.unconfirmed || b.usedAtMs - a.usedAtMs);
    const taken = new Set(candidates.map(({ slot }) => slot));
    const free = Array.from({ length: SLOTS_OF_ROOM_MAX }, (_, slot) => slot).filter((slot) => !taken.has(slot));
    const slots = [...candidates.map((entry) => entry.slot), ...free];
    const [first] = candidates;
    // At most one of several pages with edits is closing: wait for the first only.
    const closingPageLock = first && first.unconfirmed > 0 ? await lock(room, first.slot, LOCK_WAIT_MS) : undefined;
    for (const slot of closingPageLock && first ? [first.slot] : slots) {
      const release = closingPageLock ?? (await lock(room, slot));
      if (release) {
        const pieces = await readPieces(database, [room, slot]);
        const replicaStore = new ReplicaStore(database, [room, slot], release, pieces?.unconfirmed ?? []);
        const start = pieces ? { bytes: pieces.bytes, isCopy: false } : await startFromOtherSlot(database, candidates);
        void evictOldest(database);
        return { store: replicaStore, start };
      }
    }
    return undefined;
  }

  /** Locks a slot with unacknowledged edits whose page was closed, if there is one. */
  static async openOrphaned(room: string): Promise<{ store: ReplicaStore; start: Start } | undefined> {
    const database = await openDatabase();
    const entries = database ? await allSlots(database) : [];
    for (const entry of entries.filter((candidate) => candidate.room === room && candidate.unconfirmed > 0)) {
      const release = await lock(room, entry.slot, ORPHAN_LOCK_WAIT_MS);
      const pieces = release && database && (await readPieces(database, [room, entry.slot]));
      if (release && database && pieces && pieces.unconfirmed.length > 0) {
        const replicaStore = new ReplicaStore(database, [room, entry.slot], release, pieces.unconfirmed);
        return { store: replicaStore, start: { bytes: pieces.bytes, isCopy: false } };
      }
      release?.();
    }
    return undefined;
  }

  /** Writes a delta of the engine atomically. */
  async write(delta: ArrayBuffer): Promise<void> {
    const transaction = this.database.transaction([SLOTS, PIECES], "readwrite", { durability: "relaxed" });
    const pieces = transaction.objectStore(PIECES);
    for (const { kind, key, bytes } of split(delta)) {
      switch (kind) {
        case BASE:
          pieces.put(bytes, [...this.key, BASE, 0]);
          pieces.delete(IDBKeyRange.bound([...this.key, RECORD], [...this.key, RECORD, key]));
          break;
        case REMOVED:
          pieces.delete([...this.key, UNCONFIRMED, key]);
          this.unconfirmed.delete(key);
          break;
        case UNCONFIRMED:
          pieces.put(bytes, [...this.key, UNCONFIRMED, key]);
          this.unconfirmed.add(key);
          break;
        default:
          pieces.put(bytes, [...this.key, kind, key]);
      }
    }
    const [room, slot] = this.key;
    const entry: SlotEntry = { room, slot, usedAtMs: Date.now(), unconfirmed: this.unconfirmed.size };
    transaction.objectStore(SLOTS).put(entry);
    await completed(transaction);
  }

  /** Deletes the contents of the slot. */
  async clear(): Promise<void> {
    await deleteSlot(this.database, this.key);
    this.unconfirmed.clear();
  }

  /** Releases the slot. */
  dispose(): void {
    this.release();
    this.database.close();
  }
}

/**
 * Stored contents for `Engine.restore`. A copy restores the document without replica identity and
 * edits.
 */
export interface Start {
  readonly bytes: ArrayBuffer;
  readonly isCopy: boolean;
}

/** A copy of a slot that another page has locked. */
async function startFromOtherSlot(database: IDBDatabase, candidates: readonly SlotEntry[]): Promise<Start | undefined> {
  for (const { room, slot } of candidates) {
    const pieces = await readPieces(database, [room, slot]);
    if (pieces) {
      return { bytes: pieces.bytes, isCopy: true };
    }
  }
  return undefined;
}

interface Pieces {
  readonly bytes: ArrayBuffer;
  readonly unconfirmed: readonly number[];
}

async function readPieces(database: IDBDatabase, key: SlotKey): Promise<Pieces | undefined> {
  const transaction = database.transaction(PIECES, "readonly");
  const store = transaction.objectStore(PIECES);
  const all = within(key);
  const [keys, values] = await Promise.all([result(store.getAllKeys(all)), result(store.getAll(all))]);
  const stored = keys.flatMap((name, index) => {
    const [, , kind, number] = name as readonly unknown[];
    const bytes: unknown = values[index];
    return typeof kind === "number" && typeof number === "number" && bytes instanceof ArrayBuffer
      ? [{ kind, key: number, bytes }]
      : [];
  });
  const isWhole = stored.some(({ kind }) => kind === HEAD) && stored.some(({ kind }) => kind === BASE);
  return isWhole
    ? { bytes: join(stored), unconfirmed: stored.filter(({ kind }) => kind === UNCONFIRMED).map((piece) => piece.key) }
    : undefined;
}

interface Piece {
  readonly kind: number;
  readonly key: number;
  readonly bytes: ArrayBuffer;
}

/** Splits a delta into pieces. Header: kind (u32), length (u32), key (f64), little-endian. */
export function split(delta: ArrayBuffer): readonly Piece[] {
  const pieces: Piece[] = [];
  const view = new DataView(delta);
  for (let at = 0; at < delta.byteLength; ) {
    const start = at + HEADER_BYTES;
    const end = start + view.getUint32(at + 4, true);
    pieces.push({ kind: view.getUint32(at, true), key: view.getFloat64(at + 8, true), bytes: delta.slice(start, end) });
    at = end;
  }
  return pieces;
}

/** Inverse of `split`. */
export function join(pieces: readonly Piece[]): ArrayBuffer {
  const length = pieces.reduce((sum, { bytes }) => sum + HEADER_BYTES + bytes.byteLength, 0);
  const joined = new Uint8Array(length);
  const view = new DataView(joined.buffer);
  let at = 0;
  for (const { kind, key, bytes } of pieces) {
    view.setUint32(at, kind, true);
    view.setUint32(at + 4, bytes.byteLength, true);
    view.setFloat64(at + 8, key, true);
    joined.set(new Uint8Array(bytes), at + HEADER_BYTES);
    at += HEADER_BYTES + bytes.byteLength;
  }
  return joined.buffer;
}

async function evictOldest(database: IDBDatabase): Promise<void> {
  const idle = (await allSlots(database)).filter((entry) => entry.unconfirmed === 0);
  idle.sort((a, b) => b.usedAtMs - a.usedAtMs);
  for (const { room, slot } of idle.slice(SLOTS_MAX)) {
    const release = await lock(room, slot);
    if (release) {
      await deleteSlot(database, [room, slot]);
      release();
    }
  }
}

async function deleteSlot(database: IDBDatabase, key: SlotKey): Promise<void> {
  const transaction = database.transaction([SLOTS, PIECES], "readwrite");
  transaction.objectStore(PIECES).delete(within(key));
  transaction.objectStore(SLOTS).delete([...key]);
  await completed(transaction);
}

/** All keys with this prefix: in IndexedDB, arrays sort after numbers and strings. */
function within(key: SlotKey): IDBKeyRange {
  return IDBKeyRange.bound([...key], [...key, []]);
}

function allSlots(database: IDBDatabase): Promise<readonly SlotEntry[]> {
  return result<SlotEntry[]>(database.transaction(SLOTS, "readonly").objectStore(SLOTS).getAll());
}

/**
 * Acquires the lock of a slot. Returns its release function, or `undefined` if it is not free
 * within `waitMs`.
 */
function lock(room: string, slot: number, waitMs = 0): Promise<(() => void) | undefined> {
  const options = waitMs > 0 ? { signal: AbortSignal.timeout(waitMs) } : { ifAvailable: true };
  return new Promise((done, failed) => {
    navigator.locks
      .request(`quadrille:${slot}:${room}`, options, (granted) => {
        if (!granted) {
          done(undefined);
          return undefined;
        }
        return new Promise<void>((release) => done(release));
      })
      .catch((error: unknown) => {
        if (error instanceof DOMException && error.name === "TimeoutError") {
          done(undefined);
        } else {
          failed(error instanceof Error ? error : new Error(String(error)));
        }
      });
  });
}

async function openDatabase(): Promise<IDBDatabase | undefined> {
  // Both need a secure context.
  if (!("locks" in navigator) || !("indexedDB" in globalThis)) {
    return undefined;
  }
  try {
    const request = indexedDB.open(DATABASE, VERSION);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(SLOTS, { keyPath: ["room", "slot"] });
      request.result.createObjectStore(PIECES);
    };
    return await result(request);
  } catch (error) {
    // Private windows or a full disk: continue without persistence.
    console.warn("quadrille: this browser cannot store workbooks:", error);
    return undefined;
  }
}

function result<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error ?? new Error("IndexedDB request failed"));
  });
}

function completed(transaction: IDBTransaction): Promise<void> {
  return new Promise((done, failed) => {
    transaction.oncomplete = () => done();
    transaction.onabort = () => failed(transaction.error ?? new Error("IndexedDB transaction aborted"));
  });
}
