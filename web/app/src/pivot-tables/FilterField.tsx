/** The values of a column that a pivot table counts. */

import type { ColumnValue, ItemValue, PivotTableDetails } from "@quadrille/protocol";
import { createSignal, For, Show } from "solid-js";
import { t } from "../language/index.ts";
import { LazyBoundary, lazyComponent, LoadError } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import type { FieldRecord } from "./fields.ts";
import type { OwnGroup } from "./own-groups.ts";

const FilterByValues = lazyComponent(() => import("../filter/FilterByValues.tsx").then((module) => module.FilterByValues));

/** The values of a filter's column as checkboxes, read when they are opened. */
export function FilterField(props: {
  readonly model: WorkbookModel;
  readonly field: FieldRecord;
  readonly details: PivotTableDetails;
  /** The column of the source, counted from 0. */
  readonly column: number | undefined;
  /** Groups of one's own of the column's values. */
  readonly groups: readonly OwnGroup[];
  readonly onChange: (changes: Record<string, ItemValue>) => void;
}) {
  const [values, setValues] = createSignal<readonly ColumnValue[]>();
  const [isOpen, setIsOpen] = createSignal(false);
  const shown = (): readonly string[] | undefined => {
    const stored = props.field["shown"];
    const texts = Array.isArray(stored) ? stored.filter((text) => typeof text === "string") : undefined;
    return texts && [...texts, ...(props.field["showBlanks"] === true ? [""] : [])];
  };
  const read = async (): Promise<void> => {
    const { source, sourceSheet: sheet } = props.details;
    if (!source || sheet === null || props.column === undefined) {
      return;
    }
    const used = await props.model.session.query({ type: "used", sheet });
    const range = { ...source, top: source.top + 1, bottom: Math.min(source.bottom, used.bottom) };
    setValues(await props.model.session.query({ type: "columnValues", sheet, range, column: source.left + props.column }));
  };
  const hide = (hidden: ReadonlySet<string>): void => {
    const keys = (values() ?? []).map(({ known }) => known).filter((key) => !hidden.has(key));
    props.onChange(hidden.size === 0 ? { shown: null, showBlanks: null } : { shown: keys.filter((key) => key !== ""), showBlanks: keys.includes("") });
  };
  const showOnly = (group: OwnGroup): void => {
    const isInGroup = (key: string): boolean => group.values.some((value) => value.toLowerCase() === key.toLowerCase());
    hide(new Set((values() ?? []).map(({ known }) => known).filter((key) => !isInGroup(key))));
  };
  return (
    <details
      class="pivot-filter"
      onToggle={(event) => {
        setIsOpen(event.currentTarget.open);
        void read();
      }}
    >
      <summary>
        {t(shown() ? "Some values" : "All values")}
      </summary>
      <Show when={isOpen()}>
        <For each={props.groups}>
          {(group) => (
            <button type="button" class="button pivot-suggestion" dir="auto" onClick={() => showOnly(group)}>
              {t("Only {name}", { name: group.name })}
            </button>
          )}
        </For>
        <LazyBoundary failed={(retry) => <LoadError onRetry={retry} />}>
          <FilterByValues values={values()} isVisible={(key) => shown()?.includes(key) ?? true} onHide={hide} />
        </LazyBoundary>
      </Show>
    </details>
  );
}
