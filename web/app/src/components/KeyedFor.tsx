/**
 * `For` keyed by an identifier instead of by object identity. An item that arrives again as a new
 * object keeps its DOM nodes, and with them a press in progress, the focus and the text being
 * typed.
 */

import { type Accessor, createMemo, For, type JSX } from "solid-js";

/** Renders `each` item, identified by `by`. */
export function KeyedFor<Item>(props: {
  readonly each: readonly Item[];
  readonly by: (item: Item) => number | string;
  readonly fallback?: JSX.Element;
  readonly children: (item: Accessor<Item>, position: Accessor<number>) => JSX.Element;
}) {
  const itemsByKey = createMemo(() => new Map(props.each.map((item) => [props.by(item), item])));
  return (
    <For each={[...itemsByKey().keys()]} fallback={props.fallback}>
      {(id, position) => {
        const first = itemsByKey().get(id);
        // While the item is being removed, its last value stays.
        const item = first === undefined ? undefined : createMemo((before: Item) => itemsByKey().get(id) ?? before, first);
        return item && props.children(item, position);
      }}
    </For>
  );
}
