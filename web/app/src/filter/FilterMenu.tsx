/** The menu of a filtered column: sorting, and the rows to show. */

import { rangeName } from "@quadrille/grid";
import type { ColumnValue } from "@quadrille/protocol";
import { createMemo, createSignal, For, Match, onMount, Show, Switch } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { DialogButtons } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { FilterByAppearance } from "./FilterByAppearance.tsx";
import { storedComparison, displayedComparison, ComparisonValue, OPERATORS, SecondComparison } from "./FilterByCondition.tsx";
import { FilterByValues } from "./FilterByValues.tsx";
import { isWithin, shownValues } from "./date-groups.ts";
import { type Appearance, appearanceOf, type ColumnRule, type Comparison, filterBy, type FilteredColumn } from "./filter.ts";
import { sortDirection, sortView } from "./sorted-view.ts";
import { textOf } from "../validation/index.ts";

const METHODS = [
  ["values", "By values"],
  ["appearance", "By colour or icon"],
  ...OPERATORS,
  ["top", "Top values"],
  ["bottom", "Bottom values"],
  ["aboveAverage", "Above average"],
  ["belowAverage", "Below average"],
] as const satisfies readonly (readonly [method: string, name: Message])[];
type Method = (typeof METHODS)[number][0];

/** Default number of highest or lowest values, as in Excel. */
const RANK_DEFAULT = 10;
/** Limit of the item schema. */
const RANK_MAX = 500;

/** The menu below the arrow of a filtered column. */
export function FilterMenu(props: { readonly model: WorkbookModel; readonly column: FilteredColumn; readonly onClose: () => void }) {
  const { model, column: filtered } = props;
  const sheet = model.sheetId();
  const rows = { ...filtered.range, top: filtered.range.top + 1 };
  const fields = filtered.item?.fields ?? {};
  const saved = displayedComparison(textOf(fields["operator"]), textOf(fields["value1"]));
  const savedRule = textOf(fields["rule"]);
  const [method, setMethod] = createSignal(methodOf(savedRule, saved));
  const [values, setValues] = createSignal<readonly ColumnValue[]>();
  void model.session.query({ type: "columnValues", sheet, range: rows, column: filtered.column }).then(setValues);
  const dates = createMemo(() => new Map((values() ?? []).map(({ known, date }) => [known, date])));
  const [hidden, setHidden] = createSignal<ReadonlySet<string>>();
  const isVisible = (key: string): boolean => {
    const own = hidden();
    if (own || !filtered.shown) {
      return !own?.has(key);
    }
    const date = dates().get(key);
    return filtered.shown.keys.includes(key) || (date !== undefined && isWithin(filtered.shown.dates, date));
  };
  const [value, setValue] = createSignal(saved.value);
  const first = (): Comparison => ({ operator: method(), value: value() });
  const [second, setSecond] = createSignal(
    textOf(fields["operator2"]) === "" ? undefined : displayedComparison(textOf(fields["operator2"]), textOf(fields["value2"])),
  );
  const [isEither, setIsEither] = createSignal(fields["join"] === "or");
  const [rank, setRank] = createSignal(typeof fields["rank"] === "number" ? fields["rank"] : RANK_DEFAULT);
  const [appearance, setAppearance] = createSignal<Appearance | undefined>(appearanceOf(fields));

  const rule = (): ColumnRule | undefined => {
    const selected = method();
    switch (selected) {
      case "values": {
        const all = values() ?? [];
        return all.every(({ known }) => isVisible(known)) ? undefined : { by: "values", ...shownValues(all, isVisible) };
      }
      case "appearance": {
        const chosen = appearance();
        return chosen && { by: "appearance", appearance: chosen };
      }
      case "top":
      case "bottom":
        // An invalid number becomes the default.
        return { by: "rank", rule: selected, rank: Math.round(Math.min(RANK_MAX, Math.max(1, rank() || RANK_DEFAULT))) };
      case "aboveAverage":
      case "belowAverage":
        return { by: "average", rule: selected };
      default: {
        const other = second();
        const [one, two] = [storedComparison(first()), other && storedComparison(other)];
        const only = one ?? two;
        return only && { by: "comparing", first: only, second: one && two, isEither: isEither() };
      }
    }
  };
  const apply = (): void => {
    // Without the values nothing can have been chosen.
    if (method() !== "values" || values()) {
      filterBy(model, filtered, rule());
      props.onClose();
    }
  };
  const isView = filtered.filter.kind === "filterView";
  const sort = (descending: boolean): void => {
    if (isView) {
      sortView(model, filtered, descending ? "descending" : "ascending");
      props.onClose();
      return;
    }
    model.command({ type: "sort", sheet, range: rangeName(filtered.range), keys: [{ column: filtered.column, descending }], hasHeader: true });
    props.onClose();
  };
  let form: HTMLFormElement | undefined;
  onMount(() => form?.querySelector<HTMLElement>(method() === "values" ? "input" : "select")?.focus());

  return (
    <div role="dialog" aria-label={t("Filter")}>
      <form
        class="filter"
        ref={(element) => {
          form = element;
        }}
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
      >
        <button type="button" class="menu-item" onClick={() => sort(false)}>
          {t("Sort: {order}", { order: t("A → Z, 1 → 9") })}
        </button>
        <button type="button" class="menu-item" onClick={() => sort(true)}>
          {t("Sort: {order}", { order: t("Z → A, 9 → 1") })}
        </button>
        <Show when={isView && sortDirection(filtered.item)}>
          <button
            type="button"
            class="menu-item"
            onClick={() => {
              sortView(model, filtered, undefined);
              props.onClose();
            }}
          >
            {t("Do not sort by this column")}
          </button>
        </Show>
        <select class="field" aria-label={t("Condition")} onChange={(event) => setMethod(METHODS[event.currentTarget.selectedIndex]?.[0] ?? "values")}>
          <For each={METHODS}>{([option, name]) => <option selected={method() === option}>{t(name)}</option>}</For>
        </select>
        <Switch
          fallback={
            <>
              <ComparisonValue label={t("Value")} value={first()} onChange={(changed) => setValue(changed.value)} />
              <Show
                when={second()}
                fallback={
                  <button type="button" class="button is-quiet" onClick={() => setSecond({ operator: method(), value: "" })}>
                    {t("Add condition")}
                  </button>
                }
              >
                {(other) => <SecondComparison value={other()} isEither={isEither()} onChange={setSecond} onJoin={setIsEither} />}
              </Show>
            </>
          }
        >
          <Match when={method() === "values"}>
            <FilterByValues values={values()} isVisible={isVisible} onHide={setHidden} />
          </Match>
          <Match when={method() === "appearance"}>
            <FilterByAppearance model={model} range={rows} column={filtered.column} chosen={appearance()} onChoose={setAppearance} />
          </Match>
          <Match when={method() === "top" || method() === "bottom"}>
            <label class="form-label">
              {t("Number of items")}
              <input class="field" type="number" min="1" max={RANK_MAX} value={rank()} onInput={(event) => setRank(event.currentTarget.valueAsNumber)} />
            </label>
          </Match>
          <Match when={method() === "aboveAverage" || method() === "belowAverage"}>{null}</Match>
        </Switch>
        <DialogButtons isDisabled={method() === "values" && !values()} onCancel={() => props.onClose()} />
      </form>
    </div>
  );
}

function methodOf(rule: string, { operator }: Comparison): Method {
  const name = rule === "condition" ? operator : ["color", "textColor", "icon"].includes(rule) ? "appearance" : rule;
  return METHODS.find(([method]) => method === name)?.[0] ?? "values";
}
