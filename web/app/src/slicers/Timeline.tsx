/** The periods of a timeline as buttons. */

import type { ItemDetails, SlicerDetails } from "@quadrille/protocol";
import { createEffect, createMemo, createSignal, For, on, Show } from "solid-js";
import { language, t } from "../language/index.ts";
import { ownEvents } from "./own-events.ts";
import { fittingLevel, intersects, joined, labelOf, LEVELS, type Level, type Period, periodsOf, selectionText, yearOf } from "./periods.ts";
import type { SlicerChoice } from "./slicers.ts";

interface TimelineProps {
  readonly item: ItemDetails;
  readonly details: SlicerDetails;
  readonly canFilter: boolean;
  readonly onSelect: (choice: SlicerChoice) => void;
}

/**
 * The strip of periods. A press selects one, a press with the shift key all from the first
 * one on; the arrow keys move between them.
 */
export function Timeline(props: TimelineProps) {
  /** The period from which Shift extends the selection. */
  const [first, setFirst] = createSignal<Period>();
  const [focused, setFocused] = createSignal(0);
  let strip: HTMLDivElement | undefined;
  // Memos of texts, so that the buttons and the focus stay when the same dates are read again.
  const firstDay = createMemo(() => props.details.dates?.[0]);
  const lastDay = createMemo(() => props.details.dates?.[1]);
  const level = createMemo((): Level => {
    const stored = LEVELS.find((one) => one === props.item.fields["grouping"]) ?? "month";
    const [from, to] = [firstDay(), lastDay()];
    return from !== undefined && to !== undefined ? fittingLevel(from, to, stored) : stored;
  });
  const periods = createMemo((): readonly Period[] => {
    const [from, to] = [firstDay(), lastDay()];
    return from !== undefined && to !== undefined ? periodsOf(from, to, level()) : [];
  });
  const selection = (): Period | undefined => {
    const { period } = props.details;
    return period ? { from: period[0], to: period[1] } : undefined;
  };
  const isSelected = (period: Period): boolean => props.details.shown === null && !props.details.hasOtherCondition && intersects(period, selection());
  const description = (): string => {
    if (props.details.shown !== null || props.details.hasOtherCondition) {
      return t("Another condition");
    }
    const chosen = selection();
    return chosen ? selectionText(chosen, language()) : t("All dates");
  };

  const press = (period: Period, isExtended: boolean): void => {
    const from = first();
    const own = selection();
    if (isExtended && (from ?? own)) {
      props.onSelect({ period: joined(from ?? own ?? period, period) });
    } else if (own?.from === period.from && own.to === period.to) {
      setFirst(undefined);
      props.onSelect({});
    } else {
      setFirst(period);
      props.onSelect({ period });
    }
  };

  const move = (event: KeyboardEvent): void => {
    ownEvents["on:keydown"](event);
    const forward = strip && getComputedStyle(strip).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const back = forward === "ArrowRight" ? "ArrowLeft" : "ArrowRight";
    const next = { [forward]: focused() + 1, [back]: focused() - 1, Home: 0, End: periods().length - 1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      setFocused(Math.max(0, Math.min(periods().length - 1, next)));
      strip?.querySelectorAll("button")[focused()]?.focus();
    }
  };

  // The end of the selection, or of all dates, is what people look for first.
  createEffect(
    on([level, lastDay], () => {
      const index = periods().findLastIndex((period) => isSelected(period));
      setFocused(Math.max(0, index));
      const button = strip?.querySelectorAll<HTMLElement>("button")[index];
      if (strip && button) {
        strip.scrollLeft = button.offsetLeft + button.offsetWidth - strip.clientWidth;
      }
    }),
  );

  return (
    <Show when={periods().length > 0} fallback={<p class="slicer-note">{t("The column has no dates.")}</p>}>
      <p class="timeline-selection" aria-live="polite">
        {description()}
      </p>
      <div
        class="timeline"
        ref={(element) => {
          strip = element;
        }}
        role="group"
        aria-label={t("Periods")}
        {...ownEvents}
        on:keydown={move}
        on:wheel={(event) => event.stopPropagation()}
      >
        <For each={periods()}>
          {(period, index) => {
            const year = yearOf(period, language());
            const startsYear = (): boolean => level() !== "year" && (index() === 0 || yearOf(periods()[index() - 1] ?? period, language()) !== year);
            return (
              <div class="timeline-period">
                <span class="timeline-year" aria-hidden="true">
                  {startsYear() ? year : ""}
                </span>
                <button
                  type="button"
                  aria-pressed={isSelected(period)}
                  aria-label={selectionText(period, language())}
                  tabIndex={index() === focused() ? 0 : -1}
                  disabled={!props.canFilter}
                  onFocus={() => setFocused(index())}
                  onClick={(event) => press(period, event.shiftKey)}
                >
                  <span class="timeline-label">{labelOf(period, level(), language())}</span>
                  <span class="timeline-bar" />
                </button>
              </div>
            );
          }}
        </For>
      </div>
    </Show>
  );
}
