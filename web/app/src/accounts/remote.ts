/** Data of the server with its states: loading, failed, loaded, and further pages. */

import { createEffect, createSignal, on, onCleanup } from "solid-js";

/** Data that is loaded when the component is created. */
export interface Remote<Data> {
  /** The last loaded data; it stays while it is loaded again. */
  readonly data: () => Data | undefined;
  /** Why the last loading failed. */
  readonly error: () => unknown;
  readonly reload: () => Promise<void>;
  /** Replaces the data without loading it. */
  readonly set: (data: Data) => void;
}

/** Loads data now and on `reload`. Only the answer to the last request counts. */
export function createRemote<Data>(load: () => Promise<Data>): Remote<Data> {
  const [data, setData] = createSignal<Data>();
  const [error, setError] = createSignal<unknown>();
  let latest = 0;
  onCleanup(() => {
    latest = Number.NaN;
  });
  const reload = async (): Promise<void> => {
    latest += 1;
    const own = latest;
    setError(undefined);
    try {
      const loaded = await load();
      if (own === latest) {
        setData(() => loaded);
      }
    } catch (cause) {
      if (own === latest) {
        setError(() => cause ?? new Error("unknown"));
      }
    }
  };
  void reload();
  return { data, error, reload, set: (next) => setData(() => next) };
}

/** One page of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; `null` after the last one. */
  readonly next: string | null;
}

/** A list that is loaded page by page. */
export interface RemoteList<Item> extends Remote<ListPage<Item>> {
  readonly loadMore: () => Promise<void>;
  readonly isLoadingMore: () => boolean;
}

/** Loads the first page of a list, again whenever `query` changes, and further pages on demand. */
export function createRemoteList<Item, Query>(query: () => Query, load: (query: Query, after: string | undefined) => Promise<ListPage<Item>>): RemoteList<Item> {
  const first = createRemote(() => load(query(), undefined));
  const [isLoadingMore, setIsLoadingMore] = createSignal(false);
  createEffect(on(query, () => void first.reload(), { defer: true }));
  const loadMore = async (): Promise<void> => {
    const page = first.data();
    if (!page || page.next === null || isLoadingMore()) {
      return;
    }
    setIsLoadingMore(true);
    try {
      const more = await load(query(), page.next);
      // The list may have been loaded again meanwhile.
      if (first.data() === page) {
        first.set({ items: [...page.items, ...more.items], next: more.next });
      }
    } finally {
      setIsLoadingMore(false);
    }
  };
  return { ...first, loadMore, isLoadingMore };
}

/** A signal that follows another one after it has not changed for a moment, for searches. */
export function createDelayed<Value>(value: () => Value, delayMs = 300): () => Value {
  const [delayed, setDelayed] = createSignal(value());
  let timer = 0;
  createEffect(
    on(
      value,
      (next) => {
        window.clearTimeout(timer);
        timer = window.setTimeout(() => setDelayed(() => next), delayMs);
      },
      { defer: true },
    ),
  );
  onCleanup(() => window.clearTimeout(timer));
  return delayed;
}
