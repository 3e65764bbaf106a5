/**
 * As `For`, by what identifies an item instead of by the object: what is told anew is the same line as before, with the
 * press that is under way, the keyboard, and what is being typed in it.
 */

import { type Accessor, createMemo, For, type JSX } from "solid-js";

export function KeyedFor<Item>(props: {
  readonly each: readonly Item[];
  readonly by: (item: Item) => number | string;
  readonly fallback?: JSX.Element;
  readonly children: (item: Accessor<Item>, position: Accessor<number>) => JSX.Element;
}) {
  const known = createMemo(() => new Map(props.each.map((item) => [props.by(item), item])));
  return (
    <For each={[...known().keys()]} fallback={props.fallback}>
      {(id, position) => {
        const first = known().get(id);
        // In the moment in which it goes it is what it was.
        const item = first === undefined ? undefined : createMemo((before: Item) => known().get(id) ?? before, first);
        return item && props.children(item, position);
      }}
    </For>
  );
}
