/** One list of fields of a pivot table: its rows, columns, values or filters. */

import type { ItemDetails, ItemValue, PivotTableDetails } from "@quadrille/protocol";
import { createSignal, For, Index, Show } from "solid-js";
import { t } from "../language/index.ts";
import { Icon } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { isCalculated, withCalculatedField } from "./calculated-fields.ts";
import { CalculatedField } from "./CalculatedField.tsx";
import { Choice } from "./Choice.tsx";
import { FilterField } from "./FilterField.tsx";
import {
  changed,
  columnOf,
  type FieldPlace,
  type FieldRecord,
  fieldsOf,
  FUNCTIONS,
  GROUPINGS,
  moved,
  newField,
  PART_NAMES,
  type Part,
  SHOWN_AS,
} from "./fields.ts";
import { OwnGroups } from "./OwnGroups.tsx";
import { type OwnGroup, ownGroups, withGroups, withoutGroups } from "./own-groups.ts";

/** The choice that adds a calculated field. */
const CALCULATED = "calculated";

/** The field that is being dragged. */
const [dragged, setDragged] = createSignal<FieldPlace>();

interface FieldListProps {
  readonly model: WorkbookModel;
  readonly item: ItemDetails;
  readonly part: Part;
  readonly details: PivotTableDetails;
  readonly onChange: (fields: Record<string, ItemValue>) => void;
}

/** A list of fields with a menu that adds one. Fields can be dragged from list to list. */
export function FieldList(props: FieldListProps) {
  const fields = () => fieldsOf(props.item, props.part);
  const [isTarget, setIsTarget] = createSignal(false);
  const set = (index: number, changes: Record<string, ItemValue>): void =>
    props.onChange({ [props.part]: fields().map((field, at) => (at === index ? { ...changed(field, changes) } : { ...field })) });
  const move = (from: FieldPlace, to: FieldPlace): void =>
    props.onChange(moved(props.item, from, to, columnOf(props.details, from.part, from.index)));
  const drop = (index: number): void => {
    const from = dragged();
    setIsTarget(false);
    setDragged(undefined);
    if (from) {
      // The field leaves its list first.
      const isAfter = from.part === props.part && from.index < index;
      move(from, { part: props.part, index: isAfter ? index - 1 : index });
    }
  };
  const setGroups = (index: number, groups: readonly OwnGroup[]): void => {
    const changedFields = groups.length === 0 ? withoutGroups(fields(), index) : fields().map((field, at) => (at === index ? withGroups(field, groups) : field));
    props.onChange({ [props.part]: changedFields.map((field) => ({ ...field })) });
  };
  const name = (index: number): string => nameOf(props.item, props.details, props.part, index);
  return (
    <section
      class="panel-section pivot-part"
      classList={{ "is-target": isTarget() }}
      onDragOver={(event) => {
        if (dragged()) {
          event.preventDefault();
          setIsTarget(true);
        }
      }}
      onDragLeave={() => setIsTarget(false)}
      onDrop={(event) => {
        event.preventDefault();
        drop(fields().length);
      }}
    >
      <div class="pivot-heading">
        <h3>{t(PART_NAMES[props.part])}</h3>
        <select
          class="field"
          aria-label={t("Add field to {part}", { part: t(PART_NAMES[props.part]) })}
          onChange={(event) => {
            const { value } = event.currentTarget;
            const column = value === CALCULATED ? undefined : props.details.columns[Number(value)];
            event.currentTarget.value = "";
            if (value === CALCULATED) {
              props.onChange({ values: withCalculatedField(props.item) });
            }
            if (column) {
              props.onChange({ [props.part]: [...fields().map((field) => ({ ...field })), { ...newField(column, props.part) }] });
            }
          }}
        >
          <option value="">{t("Add field…")}</option>
          <For each={props.details.columns}>{(column, index) => <option value={index()}>{column.name}</option>}</For>
          <Show when={props.part === "values"}>
            <option value={CALCULATED}>{t("Calculated field")}</option>
          </Show>
        </select>
      </div>
      <Index each={fields()}>
        {(field, index) => (
          <fieldset
            class="chart-series pivot-field"
            draggable={true}
            onDragStart={(event) => {
              event.dataTransfer?.setData("text/plain", name(index));
              setDragged({ part: props.part, index });
            }}
            onDragEnd={() => setDragged(undefined)}
            onDrop={(event) => {
              event.preventDefault();
              event.stopPropagation();
              drop(index);
            }}
          >
            <legend dir="auto">{name(index)}</legend>
            <Show when={props.part === "rows" || props.part === "columns"}>
              <Show when={ownGroups(field()).length > 0}>
                <OwnGroups groups={ownGroups(field())} onChange={(groups) => setGroups(index, groups)} />
              </Show>
              <GroupField field={field()} item={props.item} details={props.details} part={props.part} index={index} onChange={(changes) => set(index, changes)} />
            </Show>
            <Show when={props.part === "values"}>
              <Show
                when={isCalculated(field())}
                fallback={<Choice label={t("Summarize by")} choices={FUNCTIONS} value={field()["function"] ?? "sum"} onChange={(chosen) => set(index, { function: chosen })} />}
              >
                <CalculatedField field={field()} details={props.details} onChange={(changes) => set(index, changes)} />
              </Show>
              <Choice label={t("Show as")} choices={SHOWN_AS} value={field()["shownAs"] ?? "value"} onChange={(shownAs) => set(index, { shownAs })} />
            </Show>
            <Show when={props.part === "filters"}>
              <FilterField model={props.model} field={field()} details={props.details} column={props.details.filters[index] ?? undefined} groups={groupsOf(props.item, field())} onChange={(changes) => set(index, changes)} />
            </Show>
            <div class="chart-series-tools">
              <Tool label={t("Move {name} up", { name: name(index) })} icon="up" isDisabled={index === 0} onPress={() => move({ part: props.part, index }, { part: props.part, index: index - 1 })} />
              <Tool
                label={t("Move {name} down", { name: name(index) })}
                icon="down"
                isDisabled={index === fields().length - 1}
                onPress={() => move({ part: props.part, index }, { part: props.part, index: index + 1 })}
              />
              <Tool
                label={t("Remove {name}", { name: name(index) })}
                icon="trash"
                onPress={() => props.onChange({ [props.part]: fields().filter((_, at) => at !== index).map((other) => ({ ...other })) })}
              />
            </div>
          </fieldset>
        )}
      </Index>
    </section>
  );
}

/** The name of a calculated field or of a field with groups of one's own, or of the column of another field. */
function nameOf(item: ItemDetails, details: PivotTableDetails, part: Part, index: number): string {
  const field = fieldsOf(item, part)[index];
  if (field && isCalculated(field)) {
    return typeof field["name"] === "string" ? field["name"] : t("Calculated field");
  }
  if (ownGroups(field).length > 0 && typeof field?.["name"] === "string") {
    return field["name"];
  }
  return columnOf(details, part, index)?.name ?? t("Missing column");
}

/** The groups of one's own of the values of a filter's column. */
function groupsOf(item: ItemDetails, filter: FieldRecord): readonly OwnGroup[] {
  const fields = [...fieldsOf(item, "rows"), ...fieldsOf(item, "columns")];
  return fields.filter((field) => field["column"] === filter["column"]).flatMap(ownGroups);
}

/** Order, grouping, top groups and subtotals of a row or column field. */
function GroupField(props: {
  readonly field: FieldRecord;
  readonly item: ItemDetails;
  readonly details: PivotTableDetails;
  readonly part: Part;
  readonly index: number;
  readonly onChange: (changes: Record<string, ItemValue>) => void;
}) {
  const column = () => columnOf(props.details, props.part, props.index);
  const isInnermost = () => props.index === fieldsOf(props.item, props.part).length - 1;
  const number = (value: string): number | null => (Number(value) > 0 ? Number(value) : null);
  return (
    <>
      <Choice
        label={t("Order|of groups")}
        choices={[
          ["ascending", "Ascending"],
          ["descending", "Descending"],
        ]}
        value={props.field["order"] ?? "ascending"}
        onChange={(order) => props.onChange({ order })}
      />
      <label class="panel-row">
        <span>{t("Sort by")}</span>
        <select class="field" onChange={(event) => props.onChange({ sortBy: event.currentTarget.value === "" ? null : Number(event.currentTarget.value) })}>
          <option value="" selected={props.field["sortBy"] === undefined}>{t("Label")}</option>
          <For each={fieldsOf(props.item, "values")}>
            {(_, index) => (
              <option value={index()} selected={props.field["sortBy"] === index()}>
                {nameOf(props.item, props.details, "values", index())}
              </option>
            )}
          </For>
        </select>
      </label>
      <Show when={column()?.isDate && ownGroups(props.field).length === 0}>
        <Choice label={t("Group by")} choices={GROUPINGS} value={props.field["grouping"] ?? "values"} onChange={(grouping) => props.onChange({ grouping })} />
      </Show>
      <Show when={column()?.isNumber && !column()?.isDate && ownGroups(props.field).length === 0}>
        <label class="panel-row">
          <span>{t("Group by steps of")}</span>
          <input
            class="field"
            type="number"
            min="0"
            step="any"
            value={String(props.field["step"] ?? "")}
            onChange={(event) => props.onChange({ step: number(event.currentTarget.value) })}
          />
        </label>
      </Show>
      <Choice
        label={t("Groups shown")}
        choices={[
          ["", "All"],
          ["top", "Largest"],
          ["bottom", "Smallest"],
        ]}
        value={props.field["rank"] === undefined ? "" : (props.field["rule"] ?? "top")}
        onChange={(rule) => props.onChange(rule === "" ? { rule: null, rank: null } : { rule, rank: props.field["rank"] ?? 10 })}
      />
      <Show when={props.field["rank"] !== undefined}>
        <label class="panel-row">
          <span>{t("Number of groups")}</span>
          <input class="field" type="number" min="1" step="1" value={String(props.field["rank"])} onChange={(event) => props.onChange({ rank: number(event.currentTarget.value) })} />
        </label>
      </Show>
      <Show when={!isInnermost()}>
        <label class="check">
          <input type="checkbox" checked={props.field["subtotals"] !== false} onChange={(event) => props.onChange({ subtotals: event.currentTarget.checked })} />
          {t("Show subtotals")}
        </label>
      </Show>
    </>
  );
}

function Tool(props: { readonly label: string; readonly icon: "up" | "down" | "trash"; readonly isDisabled?: boolean; readonly onPress: () => void }) {
  return (
    <button type="button" class="tool is-small" aria-label={props.label} title={props.label} disabled={props.isDisabled ?? false} onClick={() => props.onPress()}>
      <Show when={props.icon !== "trash"} fallback={<Icon name="trash" />}>
        <span class={props.icon === "up" ? "is-upside-down" : ""}>
          <Icon name="chevron" />
        </span>
      </Show>
    </button>
  );
}
