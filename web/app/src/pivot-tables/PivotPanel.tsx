/**
 * The editor of pivot tables. Each change is applied at once for everybody and can be undone.
 */

import type { ItemDetails, ItemValue, PivotTableDetails } from "@quadrille/protocol";
import { createEffect, createMemo, createSignal, For, Show } from "solid-js";
import { t } from "../language/index.ts";
import { Icon, Panel } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { displayedFormula, hostOf, storedFormula } from "../settings/index.ts";
import { Choice } from "./Choice.tsx";
import { FieldList } from "./FieldList.tsx";
import { fieldsOf, LAYOUTS, PARTS } from "./fields.ts";
import { insertPivotTable } from "./insert-pivot-table.ts";
import { suggestions } from "./suggestions.ts";
import "../style/pivot-tables.css";

/**
 * The panel that edits the pivot table in the active cell, or else the first one of the sheet, or
 * offers to insert one.
 */
export function PivotPanel(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [inCell, setInCell] = createSignal<number | undefined>();
  createEffect(() => {
    const [sheet, cell] = [model.sheet(), model.selection().active];
    model.cellChanges();
    if (sheet !== undefined) {
      void model.session.query({ type: "pivotTableAt", sheet, cell }).then((item) => setInCell(item ?? undefined));
    }
  });
  // The last pivot table stays in the panel while cells beside it are selected.
  const id = createMemo<number | undefined>((last) => {
    const pivotTables = model.items.ofKind("pivotTable").map((item) => item.id);
    return [inCell(), last, ...pivotTables].find((item) => item !== undefined && pivotTables.includes(item));
  });
  const item = () => model.items.find(id() ?? 0);
  return (
    <Panel title={t("Pivot table")} onClose={() => model.closePanel()}>
      <Show
        when={item()}
        fallback={
          <>
            <p class="panel-note">{t("Select a cell of a pivot table, or insert one from the selected cells.")}</p>
            <p>
              <button type="button" class="button is-main" onClick={() => model.keys.waitFor(insertPivotTable(model))}>
                {t("Insert pivot table")}
              </button>
            </p>
          </>
        }
      >
        {(pivotTable) => <Editor model={model} item={pivotTable()} />}
      </Show>
    </Panel>
  );
}

function Editor(props: { readonly model: WorkbookModel; readonly item: ItemDetails }) {
  const { model } = props;
  const [details, setDetails] = createSignal<PivotTableDetails>();
  createEffect(() => {
    const [sheet, item] = [model.sheet(), props.item.id];
    // The headers of the source name the fields.
    model.cellChanges();
    model.items.changes();
    if (sheet !== undefined) {
      void model.session.query({ type: "pivotTable", sheet, item }).then((found) => setDetails(found ?? undefined));
    }
  });
  const put = (fields: Record<string, ItemValue>): void => model.items.patch(props.item.id, fields);
  const isShown = (field: string): boolean => props.item.fields[field] !== false;
  const isEmpty = () => PARTS.every((part) => fieldsOf(props.item, part).length === 0);
  const suggested = createMemo(() => suggestions(details()?.columns ?? []));
  const host = () => hostOf(props.item.anchors);
  const source = (): string => {
    const stored = props.item.fields["source"];
    return typeof stored === "string" ? displayedFormula(stored, host()) : "";
  };
  let range!: HTMLInputElement;
  // Changes by others update the field unless it has the focus.
  createEffect(() => {
    const text = source();
    if (document.activeElement !== range) {
      range.value = text;
    }
  });
  return (
    <>
      <section class="panel-section">
        <label class="panel-row">
          <span>{t("Data range")}</span>
          <input
            ref={range}
            class="field"
            dir="ltr"
            maxLength={255}
            onKeyDown={(event) => {
              if (event.key === "Enter") {
                event.currentTarget.blur();
              }
            }}
            onChange={(event) => {
              const text = event.currentTarget.value.trim();
              put({ source: storedFormula(text.startsWith("=") ? text : `=${text}`, host()) });
            }}
          />
        </label>
        <Show when={details()?.source === null}>
          <p class="panel-note pivot-problem" role="alert">
            {t("The data range refers to no cells.")}
          </p>
        </Show>
      </section>
      <Show when={isEmpty() && suggested().length > 0}>
        <section class="panel-section">
          <h3>{t("Suggestions")}</h3>
          <For each={suggested()}>
            {(suggestion) => (
              <button type="button" class="button pivot-suggestion" dir="auto" onClick={() => put(suggestion.fields)}>
                {suggestion.text}
              </button>
            )}
          </For>
        </section>
      </Show>
      <Show when={details()}>
        {(found) => (
          <For each={PARTS}>{(part) => <FieldList model={model} item={props.item} part={part} details={found()} onChange={put} />}</For>
        )}
      </Show>
      <section class="panel-section">
        <Choice label={t("Layout|of a pivot table")} choices={LAYOUTS} value={props.item.fields["layout"] ?? "tabular"} onChange={(layout) => put({ layout })} />
        <label class="check">
          <input type="checkbox" checked={isShown("showTotalRow")} onChange={(event) => put({ showTotalRow: event.currentTarget.checked })} />
          {t("Grand total row")}
        </label>
        <label class="check">
          <input type="checkbox" checked={isShown("showTotalColumn")} onChange={(event) => put({ showTotalColumn: event.currentTarget.checked })} />
          {t("Grand total column")}
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={props.item.fields["repeatLabels"] === true}
            onChange={(event) => put({ repeatLabels: event.currentTarget.checked })}
          />
          {t("Repeat labels")}
        </label>
      </section>
      <button
        type="button"
        class="button is-danger"
        onClick={() => {
          model.items.remove(props.item.id);
          model.closePanel();
        }}
      >
        <Icon name="trash" />
        {t("Delete pivot table")}
      </button>
    </>
  );
}
