/**
 * What a room leaves in this browser, so that it opens without a network and its unsent edits outlive the page.
 *
 * The engine tells what changed in pieces (`crates/wasm/src/persistence.rs`); they are written in one transaction of
 * IndexedDB, all or none. Each copy of a room has a *slot* of its own and holds its lock as long as the worker
 * lives: two pages never speak as the same replica. A slot that nobody holds is taken over by the next page, first
 * of all one with unsent edits. Only secure pages have locks; on others nothing is kept.
 */

const DATABASE = "quadrille";
const VERSION = 1;
/** Per copy of a room: when it was used, and how many edits wait in it. */
const SLOTS = "slots";
/** Key: room, slot, kind of piece, key of piece. */
const PIECES = "pieces";
/** Copies without unsent edits beyond this many are forgotten, the oldest first. */
const SLOTS_MAX = 40;
/** Pages of one room that can be open at once and be kept. */
const SLOTS_OF_ROOM_MAX = 32;

/** A page that closes gives its lock back a moment after the next one may have opened. This long unsent edits are waited for. */
const LOCK_WAIT_MS = 500;
/** As above, where nobody waits for the cells meanwhile. */
const LOCK_WAIT_BEHIND_MS = 3_000;

const HEAD = 1;
const BASE = 2;
const RECORD = 3;
const GONE = 4;
const UNCONFIRMED = 5;
const HEADER_BYTES = 16;

interface SlotEntry {
  readonly room: string;
  readonly slot: number;
  readonly usedAtMs: number;
  readonly unconfirmed: number;
}

type SlotKey = readonly [room: string, slot: number];

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

  /** A slot of this room for a page, and what to start from; `undefined` where nothing can be kept. */
  static async open(room: string): Promise<{ keeper: ReplicaStore; start: Start | undefined } | undefined> {
    const database = await openDatabase();
    if (!database) {
      return undefined;
    }
    const entries = (await allSlots(database)).filter((entry) => entry.room === room);
    const known = [...entries].sort((a, b) => b.unconfirmed - a.unconfirmed || b.usedAtMs - a.usedAtMs);
    const taken = new Set(known.map(({ slot }) => slot));
    const free = Array.from({ length: SLOTS_OF_ROOM_MAX }, (_, slot) => slot).filter((slot) => !taken.has(slot));
    const slots = [...known.map((entry) => entry.slot), ...free];
    const [first] = known;
    // Of several pages that hold unsent edits only one can be closing: the others are not waited for.
    const awaited = first && first.unconfirmed > 0 ? await lock(room, first.slot, LOCK_WAIT_MS) : undefined;
    for (const slot of awaited && first ? [first.slot] : slots) {
      const release = awaited ?? (await lock(room, slot));
      if (release) {
        const pieces = await readPieces(database, [room, slot]);
        const persister = new ReplicaStore(database, [room, slot], release, pieces?.unconfirmed ?? []);
        const start = pieces ? { bytes: pieces.bytes, isCopy: false } : await startOfAnother(database, known);
        void forgetOldest(database);
        return { keeper: persister, start };
      }
    }
    return undefined;
  }

  /** A slot of this room with unsent edits whose page is gone, if there is one. */
  static async openLeftBehind(room: string): Promise<{ keeper: ReplicaStore; start: Start } | undefined> {
    const database = await openDatabase();
    const entries = database ? await allSlots(database) : [];
    for (const entry of entries.filter((known) => known.room === room && known.unconfirmed > 0)) {
      const release = await lock(room, entry.slot, LOCK_WAIT_BEHIND_MS);
      const pieces = release && database && (await readPieces(database, [room, entry.slot]));
      if (release && database && pieces && pieces.unconfirmed.length > 0) {
        const persister = new ReplicaStore(database, [room, entry.slot], release, pieces.unconfirmed);
        return { keeper: persister, start: { bytes: pieces.bytes, isCopy: false } };
      }
      release?.();
    }
    return undefined;
  }

  /** Writes what the engine gave, all or nothing. */
  async write(delta: ArrayBuffer): Promise<void> {
    const transaction = this.database.transaction([SLOTS, PIECES], "readwrite", { durability: "relaxed" });
    const pieces = transaction.objectStore(PIECES);
    for (const { kind, key, bytes } of split(delta)) {
      switch (kind) {
        case BASE:
          pieces.put(bytes, [...this.key, BASE, 0]);
          pieces.delete(IDBKeyRange.bound([...this.key, RECORD], [...this.key, RECORD, key]));
          break;
        case GONE:
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
    await finished(transaction);
  }

  /** What is kept in this slot is of no use any more. */
  async forget(): Promise<void> {
    await deleteSlot(this.database, this.key);
    this.unconfirmed.clear();
  }

  dispose(): void {
    this.release();
    this.database.close();
  }
}

/** Everything that was kept, for the engine. A copy takes the document over, neither identity nor edits. */
export interface Start {
  readonly bytes: ArrayBuffer;
  readonly isCopy: boolean;
}

/** Another page holds the slots that are known: its document is a start as well. */
async function startOfAnother(database: IDBDatabase, known: readonly SlotEntry[]): Promise<Start | undefined> {
  for (const { room, slot } of known) {
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
  const found = keys.flatMap((name, index) => {
    const [, , kind, number] = name as readonly unknown[];
    const bytes: unknown = values[index];
    return typeof kind === "number" && typeof number === "number" && bytes instanceof ArrayBuffer
      ? [{ kind, key: number, bytes }]
      : [];
  });
  const isWhole = found.some(({ kind }) => kind === HEAD) && found.some(({ kind }) => kind === BASE);
  return isWhole
    ? { bytes: join(found), unconfirmed: found.filter(({ kind }) => kind === UNCONFIRMED).map((piece) => piece.key) }
    : undefined;
}

interface Piece {
  readonly kind: number;
  readonly key: number;
  readonly bytes: ArrayBuffer;
}

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

async function forgetOldest(database: IDBDatabase): Promise<void> {
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
  await finished(transaction);
}

/** Keys that begin so: a list is greater than every number and text. */
function within(key: SlotKey): IDBKeyRange {
  return IDBKeyRange.bound([...key], [...key, []]);
}

function allSlots(database: IDBDatabase): Promise<readonly SlotEntry[]> {
  return result<SlotEntry[]>(database.transaction(SLOTS, "readonly").objectStore(SLOTS).getAll());
}

/** Held until the returned function is called or the worker ends; `undefined` when somebody else has it, and keeps it for `waitMs`. */
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
  // Absent on pages that are not secure.
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
    // Private windows and full disks: the page works as it does without a memory.
    console.warn("quadrille: nothing can be kept in this browser:", error);
    return undefined;
  }
}

function result<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error ?? new Error("the storage does not answer"));
  });
}

function finished(transaction: IDBTransaction): Promise<void> {
  return new Promise((done, failed) => {
    transaction.oncomplete = () => done();
    transaction.onabort = () => failed(transaction.error ?? new Error("the storage gave up"));
  });
}
