/** The slicer editor. Each change is applied at once for everybody and can be undone. */

import type { ItemDetails, ItemValue } from "@quadrille/protocol";
import { createEffect, createSignal, For, Show } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { Icon, Panel } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { textOf } from "../validation/index.ts";
import { LEVELS, type Level } from "./periods.ts";
import { type SlicerColumn, slicerColumns } from "./slicer-columns.ts";
import { BUTTON_COLUMNS_MAX, buttonColumns, insertSlicer, typeFields } from "./slicers.ts";

const LEVEL_NAMES: Readonly<Record<Level, Message>> = { year: "Years", quarter: "Quarters", month: "Months", date: "Days" };
const TITLE_CHARS_MAX = 255;

/** The panel that edits the selected slicer, or offers to insert one. */
export function SlicerPanel(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const item = () => {
    const slicer = model.items.find(model.selectedItem() ?? 0);
    return slicer?.kind === "slicer" ? slicer : undefined;
  };
  return (
    <Panel title={t("Slicer")} onClose={() => model.closePanel()}>
      <Show
        when={item()}
        fallback={
          <>
            <p class="panel-note">{t("Select a slicer, or insert one for the column of the selected cell.")}</p>
            <p>
              <button type="button" class="button is-main" onClick={() => model.keys.waitFor(insertSlicer(model))}>
                {t("Insert slicer")}
              </button>
            </p>
          </>
        }
      >
        {(slicer) => <Editor model={model} item={slicer()} />}
      </Show>
    </Panel>
  );
}

function Editor(props: { readonly model: WorkbookModel; readonly item: ItemDetails }) {
  const { model } = props;
  const [columns, setColumns] = createSignal<readonly SlicerColumn[]>([]);
  const [header, setHeader] = createSignal("");
  createEffect(() => {
    const [sheet, item] = [model.sheet(), props.item.id];
    model.cellChanges();
    model.items.changes();
    if (sheet !== undefined) {
      void slicerColumns(model).then(setColumns);
      void model.session.query({ type: "slicer", sheet, item }).then((found) => setHeader(found?.header ?? ""));
    }
  });
  const put = (fields: Record<string, ItemValue>): void => model.items.patch(props.item.id, fields);
  const isOfDates = () => props.item.fields["type"] === "dates";
  const level = () => LEVELS.find((one) => one === props.item.fields["grouping"]) ?? "month";
  const columnKey = (formula: string): string => formula.slice(formula.lastIndexOf("!") + 1).replace(/[=$\d]/g, "");
  const isChosen = (column: SlicerColumn): boolean => {
    const stored = textOf(props.item.fields["column"]);
    const sheetName = stored.includes("!") ? stored.slice(1, stored.lastIndexOf("!")) : undefined;
    const isSameSheet = sheetName === undefined ? column.sheet === model.sheetId() : column.formula.startsWith(`=${sheetName}!`);
    return isSameSheet && columnKey(stored) === columnKey(column.formula);
  };
  return (
    <>
      <section class="panel-section">
        <label class="panel-row">
          <span>{t("Column")}</span>
          <select
            class="field"
            onChange={(event) => {
              const column = columns()[Number(event.currentTarget.value)];
              if (column) {
                put({ column: column.formula, ...(column.isDate !== isOfDates() && typeFields(column.isDate)) });
              }
            }}
          >
            <Show when={!columns().some(isChosen)}>
              <option value="-1" selected>
                {t("None|of columns")}
              </option>
            </Show>
            <For each={columns()}>
              {(column, index) => (
                <option value={index()} selected={isChosen(column)}>
                  {column.name}
                </option>
              )}
            </For>
          </select>
        </label>
        <label class="panel-row">
          <span>{t("Title")}</span>
          <input
            class="field"
            dir="auto"
            maxLength={TITLE_CHARS_MAX}
            placeholder={header()}
            value={textOf(props.item.fields["title"])}
            onChange={(event) => put({ title: event.currentTarget.value.trim() || null })}
          />
        </label>
        <Show when={!isOfDates()}>
          <label class="panel-row">
            <span>{t("Columns of buttons")}</span>
            <input
              class="field"
              type="number"
              min="1"
              max={BUTTON_COLUMNS_MAX}
              value={buttonColumns(props.item)}
              onChange={(event) => {
                const columns = Math.max(1, Math.min(BUTTON_COLUMNS_MAX, Math.round(event.currentTarget.valueAsNumber) || 1));
                put({ columns: columns === 1 ? null : columns });
                event.currentTarget.value = String(columns);
              }}
            />
          </label>
        </Show>
      </section>
      <section class="panel-section">
        <label class="check">
          <input type="checkbox" checked={isOfDates()} onChange={(event) => put(typeFields(event.currentTarget.checked))} />
          {t("Timeline of dates")}
        </label>
        <Show when={isOfDates()}>
          <label class="panel-row">
            <span>{t("Periods")}</span>
            <select class="field" onChange={(event) => put({ grouping: LEVELS[event.currentTarget.selectedIndex] ?? "month" })}>
              <For each={LEVELS}>{(one) => <option selected={level() === one}>{t(LEVEL_NAMES[one])}</option>}</For>
            </select>
          </label>
        </Show>
      </section>
      <section class="panel-section">
        <p class="panel-note">{t("A slicer filters this sheet for everybody, or the open filter view: the cells with this column, charts that omit hidden rows, and pivot tables of this sheet.")}</p>
      </section>
      <button
        type="button"
        class="button is-danger"
        onClick={() => {
          model.items.remove(props.item.id);
          model.selectItem(undefined);
          model.closePanel();
        }}
      >
        <Icon name="trash" />
        {t("Delete slicer")}
      </button>
    </>
  );
}
