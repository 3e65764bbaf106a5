/** One slicer on the sheet. */

import type { ItemDetails, SlicerDetails } from "@quadrille/protocol";
import { createEffect, createSignal, Match, on, Show, Switch } from "solid-js";
import { Icon, MenuItem, MenuSeparator } from "../components/index.ts";
import { DeleteEntry, DrawingFrame } from "../drawings/index.ts";
import { direction, t } from "../language/index.ts";
import { filterViews } from "../filter/index.ts";
import { createPoll, type WorkbookModel } from "../state/index.ts";
import { textOf } from "../validation/index.ts";
import { DEFAULT_SLICER_SIZE, SLICER_SIZE_MIN } from "./default-size.ts";
import { ownEvents } from "./own-events.ts";
import { buttonColumns, selectBySlicer, type SlicerChoice } from "./slicers.ts";
import { Timeline } from "./Timeline.tsx";
import { ValueList } from "./ValueList.tsx";
import "../style/slicers.css";

/** Shows the values or the dates of a column as buttons that filter the data of the sheet. */
export function SlicerFrame(props: { readonly model: WorkbookModel; readonly item: ItemDetails }) {
  const { model } = props;
  const [isMultiple, setIsMultiple] = createSignal(false);
  /** A selection that the engine has not confirmed yet. */
  const [chosen, setChosen] = createSignal<SlicerChoice>();
  const poll = createPoll(() => {
    const [sheet, view] = [model.sheet(), filterViews(model).current()?.id];
    return sheet === undefined ? undefined : model.session.query({ type: "slicer", sheet, item: props.item.id, ...(view !== undefined && { view }) });
  });
  createEffect(() => {
    model.cellChanges();
    model.items.changes();
    filterViews(model).current();
    void props.item;
    poll.refresh();
  });
  createEffect(on(poll.result, () => setChosen(undefined)));
  const details = (): SlicerDetails | undefined => {
    const [found, choice] = [poll.result() ?? undefined, chosen()];
    if (!found || !choice) {
      return found;
    }
    const { shown, period } = choice;
    return { ...found, hasOtherCondition: false, shown: shown ? [...shown] : null, period: period ? [period.from, period.to] : null };
  };

  const title = () => textOf(props.item.fields["title"]) || (details()?.header ?? "");
  const label = () => t("Slicer: {name}", { name: title() });
  const isOfDates = () => props.item.fields["type"] === "dates";
  const isFiltered = () => {
    const found = details();
    return found !== undefined && (found.shown !== null || found.period !== null || found.hasOtherCondition);
  };
  const canFilter = () => model.status().canEdit && details()?.hasTargets === true;
  const select = (choice: SlicerChoice): void => {
    setChosen(choice);
    selectBySlicer(model, props.item, choice);
    // Also when the command is refused and nothing changes.
    poll.refresh();
  };

  return (
    <DrawingFrame
      model={model}
      item={props.item}
      label={label()}
      panel="slicer"
      menu={() => <SlicerMenu model={model} item={props.item} />}
      defaultSize={DEFAULT_SLICER_SIZE}
      minSize={SLICER_SIZE_MIN}
      // The rows that a slicer hides must not move it.
      keepsRow
    >
      <div class="slicer" classList={{ "is-rtl": model.grid?.view.isRightToLeft === true }} dir={direction()}>
        <div class="slicer-head">
          <span class="slicer-title" dir="auto">
            {title()}
          </span>
          <Show when={!isOfDates()}>
            <button
              type="button"
              class="tool is-small"
              aria-pressed={isMultiple()}
              aria-label={t("Select several")}
              title={t("Select several")}
              disabled={!canFilter()}
              {...ownEvents}
              onClick={() => setIsMultiple(!isMultiple())}
            >
              <Icon name="list" />
            </button>
          </Show>
          <button
            type="button"
            class="tool is-small"
            aria-label={t("Clear the filter of {name}", { name: title() })}
            title={t("Clear filter")}
            disabled={!canFilter() || !isFiltered()}
            {...ownEvents}
            onClick={() => select({})}
          >
            <Icon name="eraser" />
          </button>
        </div>
        <Switch>
          <Match when={details()?.hasColumn === false}>
            <p class="slicer-note">{t("The column of this slicer was deleted. Choose another one.")}</p>
          </Match>
          <Match when={details()?.hasTargets === false}>
            <p class="slicer-note">{t("No filter and no pivot table of this sheet has the column of this slicer.")}</p>
          </Match>
          <Match when={isOfDates() && details()}>
            {(found) => <Timeline item={props.item} details={found()} canFilter={canFilter()} onSelect={select} />}
          </Match>
          <Match when={details()}>
            {(found) => <ValueList details={found()} isMultiple={isMultiple()} canFilter={canFilter()} label={title()} columns={buttonColumns(props.item)} onSelect={select} />}
          </Match>
        </Switch>
      </div>
    </DrawingFrame>
  );
}

function SlicerMenu(props: { readonly model: WorkbookModel; readonly item: ItemDetails }) {
  const { model } = props;
  return (
    <>
      <MenuItem icon="edit" onSelect={() => model.openPanel("slicer")}>
        {t("Edit slicer")}
      </MenuItem>
      <MenuSeparator />
      <DeleteEntry model={model} item={props.item} label={t("Delete slicer")} />
    </>
  );
}
