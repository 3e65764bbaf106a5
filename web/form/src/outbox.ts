/**
 * Responses that the server may not have yet, with their files, in an IndexedDB of this browser. Where
 * there is none, they are kept as long as the page is open.
 */

/** A response as it is sent. */
export interface Response {
  /** Identifies the response: the server records it once. */
  readonly submission: string;
  /** The revision of the workbook when the page was loaded. */
  readonly revision: number;
  /** It may have been sent before. */
  readonly isRepeated: boolean;
  readonly website: string;
  readonly answers: Readonly<Record<string, readonly string[]>>;
  /** The files by the question. */
  readonly files: Readonly<Record<string, File>>;
}

/** A response with the link of its form. */
interface Kept extends Response {
  readonly link: string;
  readonly keptMs: number;
}

/** Responses to one form that are kept. More are not accepted: nobody fills in as many. */
const KEPT_MAX = 50;
const STORE = "response";

/** What is kept where there is no database. */
const memory = new Map<string, Kept>();

let opening: Promise<IDBDatabase | undefined> | undefined;

/** The responses to the form of a link that are kept, oldest first. */
export async function keptResponses(link: string): Promise<readonly Response[]> {
  return (await allOf(link)).map(({ link: _link, keptMs: _keptMs, ...response }) => response);
}

/** Keeps a response until {@link forget}. */
export async function keep(link: string, response: Response): Promise<void> {
  const others = (await allOf(link)).filter(({ submission }) => submission !== response.submission);
  const kept: Kept = { ...response, link, keptMs: Date.now() };
  if (!(await open())) {
    memory.set(response.submission, kept);
    return;
  }
  await change((store) => {
    for (const { submission } of others.slice(0, Math.max(0, others.length + 1 - KEPT_MAX))) {
      store.delete([link, submission]);
    }
    store.put(kept);
  });
}

/** Forgets a response that the server has recorded or refused. */
export async function forget(link: string, response: Response): Promise<void> {
  memory.delete(response.submission);
  await change((store) => store.delete([link, response.submission]));
}

async function allOf(link: string): Promise<readonly Kept[]> {
  const database = await open();
  if (!database) {
    return [...memory.values()].filter((kept) => kept.link === link);
  }
  return new Promise((resolve) => {
    const range = IDBKeyRange.bound([link], [link, []]);
    const request = database.transaction(STORE).objectStore(STORE).getAll(range);
    request.onsuccess = () => resolve((request.result as Kept[]).sort((a, b) => a.keptMs - b.keptMs));
    request.onerror = () => resolve([]);
  });
}

/** Resolves when the change is stored, or cannot be. */
async function change(edit: (store: IDBObjectStore) => void): Promise<void> {
  const database = await open();
  if (!database) {
    return;
  }
  await new Promise<void>((resolve) => {
    const transaction = database.transaction(STORE, "readwrite");
    transaction.oncomplete = transaction.onerror = transaction.onabort = () => resolve();
    edit(transaction.objectStore(STORE));
  });
}

/** The database, or `undefined` where storage is turned off. */
function open(): Promise<IDBDatabase | undefined> {
  opening ??= new Promise((resolve) => {
    try {
      const request = indexedDB.open("quadrille-form", 1);
      request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: ["link", "submission"] });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => resolve(undefined);
    } catch {
      resolve(undefined);
    }
  });
  return opening;
}
