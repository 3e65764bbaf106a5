/** The dates of a column as a tree of years, months and days with checkboxes. */

import { createEffect, createSignal, For, Show } from "solid-js";
import { Icon } from "../components/index.ts";
import { language } from "../language/index.ts";
import { type DateGroup, groupNames } from "./date-groups.ts";

interface DatesProps {
  readonly groups: readonly DateGroup[];
  readonly isVisible: (key: string) => boolean;
  readonly onChange: (keys: readonly string[], show: boolean) => void;
}

/** List items with the groups; those within a group that stands alone are seen at once. */
export function FilterByDates(props: DatesProps) {
  return <For each={props.groups}>{(group) => <Group {...props} group={group} isAlone={props.groups.length === 1} />}</For>;
}

function Group(props: DatesProps & { readonly group: DateGroup; readonly isAlone: boolean }) {
  const [isOpen, setIsOpen] = createSignal(props.isAlone);
  const names = groupNames(props.group.group, language());
  const shown = (): number => props.group.keys.filter(props.isVisible).length;
  const isAll = (): boolean => shown() === props.group.keys.length;
  const hasParts = props.group.parts.length > 0;
  return (
    <li>
      <div class="filter-group" classList={{ "is-day": !hasParts }}>
        <Show when={hasParts}>
          <button type="button" class="tool is-small filter-expand" aria-expanded={isOpen()} aria-label={names.full} onClick={() => setIsOpen(!isOpen())}>
            <Icon name="chevron" />
          </button>
        </Show>
        <label class="check">
          <input
            type="checkbox"
            aria-label={names.full}
            checked={isAll()}
            ref={(box) => createEffect(() => (box.indeterminate = shown() > 0 && !isAll()))}
            onChange={(event) => props.onChange(props.group.keys, event.currentTarget.checked)}
          />
          <span dir="auto">{names.short}</span>
        </label>
      </div>
      <Show when={hasParts && isOpen()}>
        <ul class="filter-parts">
          <FilterByDates {...props} groups={props.group.parts} />
        </ul>
      </Show>
    </li>
  );
}
