/** One column's filter: sort by it, or choose which of its rows show. */

import { rangeName } from "@quadrille/grid";
import type { ColumnValue } from "@quadrille/protocol";
import { createSignal, For, Match, onMount, Show, Switch } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { DialogButtons } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { type Chosen, FilterByColor } from "./FilterByColor.tsx";
import { parsedComparison, displayedComparison, ComparisonValue, OPERATORS, SecondComparison } from "./FilterByCondition.tsx";
import { FilterByValues } from "./FilterByValues.tsx";
import { type ColumnRule, type Comparison, filterBy, type FilteredColumn } from "./filter.ts";
import { textOf } from "../validation/index.ts";

const WAYS = [
  ["values", "By values"],
  ["color", "By colour"],
  ...OPERATORS,
  ["top", "The highest"],
  ["bottom", "The lowest"],
  ["aboveAverage", "Above average"],
  ["belowAverage", "Below average"],
] as const satisfies readonly (readonly [way: string, name: Message])[];
type Way = (typeof WAYS)[number][0];

/** As in other programs, so many of the highest or lowest when nobody said how many. */
const RANK_USUAL = 10;
/** As the item's schema has it. */
const RANK_MAX = 500;

export function FilterMenu(props: { readonly model: WorkbookModel; readonly column: FilteredColumn; readonly onClose: () => void }) {
  const { model, column: at } = props;
  const sheet = model.sheetId();
  const rows = { ...at.range, top: at.range.top + 1 };
  const fields = at.item?.fields ?? {};
  const known = displayedComparison(textOf(fields["operator"]), textOf(fields["value1"]));
  const knownRule = textOf(fields["rule"]);
  const [way, setWay] = createSignal(wayOf(knownRule, known));
  const [values, setValues] = createSignal<readonly ColumnValue[]>();
  void model.session.query({ type: "columnValues", sheet, range: rows, column: at.column }).then(setValues);
  const [hidden, setHidden] = createSignal<ReadonlySet<string>>();
  const isShown = (known: string): boolean => {
    const own = hidden();
    return own ? !own.has(known) : (at.shown?.includes(known) ?? true);
  };
  const [value, setValue] = createSignal(known.value);
  const first = (): Comparison => ({ operator: way(), value: value() });
  const [second, setSecond] = createSignal(
    textOf(fields["operator2"]) === "" ? undefined : displayedComparison(textOf(fields["operator2"]), textOf(fields["value2"])),
  );
  const [isEither, setIsEither] = createSignal(fields["join"] === "or");
  const [rank, setRank] = createSignal(typeof fields["rank"] === "number" ? fields["rank"] : RANK_USUAL);
  const [color, setColor] = createSignal<Chosen | undefined>(
    knownRule === "color" || knownRule === "textColor" ? { rule: knownRule, color: textOf(fields["color"]) || null } : undefined,
  );

  const rule = (): ColumnRule | undefined => {
    const how = way();
    switch (how) {
      case "values": {
        const all = (values() ?? []).map(({ known }) => known);
        const shown = all.filter(isShown);
        return shown.length === all.length ? undefined : { by: "values", shown };
      }
      case "color": {
        const chosen = color();
        return chosen && { by: "color", ...chosen };
      }
      case "top":
      case "bottom":
        // What is no number is the usual one.
        return { by: "rank", rule: how, rank: Math.round(Math.min(RANK_MAX, Math.max(1, rank() || RANK_USUAL))) };
      case "aboveAverage":
      case "belowAverage":
        return { by: "average", rule: how };
      default: {
        const other = second();
        const [one, two] = [parsedComparison(first()), other && parsedComparison(other)];
        const only = one ?? two;
        return only && { by: "comparing", first: only, second: one && two, isEither: isEither() };
      }
    }
  };
  const apply = (): void => {
    // Before the values are there nothing can have been chosen of them.
    if (way() !== "values" || values()) {
      filterBy(model, at, rule());
      props.onClose();
    }
  };
  const sort = (descending: boolean): void => {
    model.command({ type: "sort", sheet, range: rangeName(at.range), keys: [{ column: at.column, descending }], hasHeader: true });
    props.onClose();
  };
  let form: HTMLFormElement | undefined;
  onMount(() => form?.querySelector<HTMLElement>(way() === "values" ? "input" : "select")?.focus());

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
        <Show when={at.filter.kind === "autoFilter"}>
          <button type="button" class="menu-item" onClick={() => sort(false)}>
            {t("Sort: {order}", { order: t("A → Z, 1 → 9") })}
          </button>
          <button type="button" class="menu-item" onClick={() => sort(true)}>
            {t("Sort: {order}", { order: t("Z → A, 9 → 1") })}
          </button>
        </Show>
        <select class="field" aria-label={t("Condition")} onChange={(event) => setWay(WAYS[event.currentTarget.selectedIndex]?.[0] ?? "values")}>
          <For each={WAYS}>{([each, name]) => <option selected={way() === each}>{t(name)}</option>}</For>
        </select>
        <Switch
          fallback={
            <>
              <ComparisonValue label={t("Value")} value={first()} onChange={(changed) => setValue(changed.value)} />
              <Show
                when={second()}
                fallback={
                  <button type="button" class="button is-quiet" onClick={() => setSecond({ operator: way(), value: "" })}>
                    {t("Add condition")}
                  </button>
                }
              >
                {(other) => <SecondComparison value={other()} isEither={isEither()} onChange={setSecond} onJoin={setIsEither} />}
              </Show>
            </>
          }
        >
          <Match when={way() === "values"}>
            <FilterByValues values={values()} isShown={isShown} onHide={setHidden} />
          </Match>
          <Match when={way() === "color"}>
            <FilterByColor model={model} range={rows} column={at.column} chosen={color()} onChoose={setColor} />
          </Match>
          <Match when={way() === "top" || way() === "bottom"}>
            <label class="form-line">
              {t("How many")}
              <input class="field" type="number" min="1" max={RANK_MAX} value={rank()} onInput={(event) => setRank(event.currentTarget.valueAsNumber)} />
            </label>
          </Match>
          <Match when={way() === "aboveAverage" || way() === "belowAverage"}>{null}</Match>
        </Switch>
        <DialogButtons isDisabled={way() === "values" && !values()} onCancel={() => props.onClose()} />
      </form>
    </div>
  );
}

function wayOf(rule: string, { operator }: Comparison): Way {
  const name = rule === "condition" ? operator : rule === "textColor" ? "color" : rule;
  return WAYS.find(([known]) => known === name)?.[0] ?? "values";
}
