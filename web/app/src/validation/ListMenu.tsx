/** The list of values of a data validation rule. */

import { type Cell, cellName } from "@quadrille/grid";
import { createMemo, createSignal, createUniqueId, For, onMount, Show } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { choicesOfControl, controlAt, setValue } from "../form-controls/index.ts";
import { ChipLabel } from "./ChipLabel.tsx";
import { allowsMultiple, choicesOf, colorsOf, joinedChoices, selectedChoices } from "./list-values.ts";
import { faceOf } from "../presence/index.ts";
import { hasChips, isPeople, validationAt } from "./rules-of-cells.ts";

/** Keys that wait for the values, at most; further ones are ignored. */
const KEYS_MAX = 100;

/** Properties of `ListMenu`. */
export interface ListMenuProps {
  readonly model: WorkbookModel;
  readonly cell: Cell;
  /** Text that opened the list by being typed into the cell. */
  readonly typed: string;
  readonly onClose: () => void;
}

/**
 * The values below a cell, with a field that filters them. The field keeps the focus, except on touch
 * screens, where it would open the keyboard.
 */
export function ListMenu(props: ListMenuProps) {
  const { model, cell } = props;
  const item = validationAt(model, cell);
  const colors = item ? colorsOf(item) : undefined;
  const isChips = item !== undefined && hasChips(item);
  const isMultiple = item !== undefined && allowsMultiple(item);
  /** Any name is allowed, and `@` begins one as in comments. */
  const isOfPeople = item !== undefined && isPeople(item);
  // Not a resource: that would suspend the whole page.
  const [choices, setChoices] = createSignal<readonly string[]>();
  const [filter, setFilter] = createSignal(props.typed);
  const [current, setCurrent] = createSignal(model.textOf(cell));
  /** Index of the option that the keys choose; it wraps around. */
  const [step, setStep] = createSignal(0);
  /** What the keys did before the values arrived. */
  const waiting: (() => void)[] = [];
  let isClosed = false;
  let field!: HTMLInputElement;
  let list!: HTMLDivElement;
  const id = createUniqueId();

  const typedName = (): string => (isOfPeople ? filter().trim().replace(/^@/, "") : filter().trim());
  const shown = createMemo(() => {
    const typed = typedName();
    const wanted = typed.toLocaleLowerCase();
    const all = choices() ?? [];
    const matches = all.filter((choice) => choice.toLocaleLowerCase().includes(wanted));
    // Values that begin with the typed text come first.
    const begins = (choice: string): boolean => choice.toLocaleLowerCase().startsWith(wanted);
    const other = isOfPeople && choices() && !all.includes(typed) ? [typed] : [];
    return wanted === "" ? all : [...matches.filter(begins), ...matches.filter((choice) => !begins(choice)), ...other];
  });
  const active = (): number => {
    const count = shown().length;
    return count === 0 ? -1 : ((step() % count) + count) % count;
  };
  const isSelected = (choice: string): boolean => (isMultiple ? selectedChoices(current(), choices() ?? []) : [current()]).includes(choice);

  const enter = (text: string): void => {
    const sheet = model.sheetId();
    model.command(control ? setValue(sheet, cell, control, text) : { type: "typeText", sheet, cell: cellName(cell), text });
  };
  const choose = (choice: string): void => {
    if (isMultiple) {
      const text = joinedChoices(current(), choice, choices() ?? []);
      setCurrent(text);
      enter(text);
      return;
    }
    enter(choice);
    close();
  };
  const close = (): void => {
    isClosed = true;
    props.onClose();
  };
  /** Chooses the active option; without one enters the text, which the rule then accepts or rejects. */
  const confirm = (): void => {
    const choice = shown()[active()];
    const wasTyped = filter() !== "";
    if (choice === undefined && wasTyped && !control) {
      close();
      model.cellEdit.startWith(filter());
      return;
    }
    if (choice !== undefined) {
      choose(choice);
      setFilter("");
      if (props.typed !== "" && !isMultiple) {
        model.grid?.select(model.grid.nextCell(true, false), "active");
      }
    }
  };
  /** The form control with the list, if it is not a rule. */
  let control: Awaited<ReturnType<typeof controlAt>>;
  const load = async (): Promise<readonly string[]> => {
    if (item) {
      return choicesOf(model, item);
    }
    control = await controlAt(model, model.sheetId(), cell);
    return control ? choicesOfControl(model, control) : [];
  };
  void load().then((values) => {
    setChoices(values);
    if (filter() === "") {
      setStep((before) => before + Math.max(0, values.findIndex(isSelected)));
    }
    for (const action of waiting) {
      if (!isClosed) {
        action();
      }
    }
    revealActive();
  });
  const whenLoaded = (action: () => void): void => {
    if (choices()) {
      action();
    } else if (waiting.length < KEYS_MAX) {
      waiting.push(action);
    }
  };
  const revealActive = (): void => {
    list.querySelector(".is-active")?.scrollIntoView({ block: "nearest" });
  };
  const handleKey = (event: KeyboardEvent): void => {
    if (event.isComposing || (event.target instanceof HTMLElement && event.target.closest("button"))) {
      return;
    }
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const isSpace = event.key === " " && (filter() === "" || event.target === list);
    if (by !== 0) {
      event.preventDefault();
      whenLoaded(() => {
        setStep(active() + by);
        revealActive();
      });
    } else if (event.key === "Enter" || isSpace) {
      event.preventDefault();
      whenLoaded(confirm);
    }
  };
  onMount(() => {
    const isTouch = props.typed === "" && window.matchMedia("(pointer: coarse)").matches;
    (isTouch ? list : field).focus();
    field.setSelectionRange(field.value.length, field.value.length);
  });
  const optionId = (index: number): string | undefined => (index < 0 ? undefined : `${id}-${index}`);

  return (
    <div class="cell-choices" onKeyDown={handleKey}>
      <input
        ref={field}
        class="field"
        role="combobox"
        aria-label={t("Filter the list")}
        placeholder={t("Filter the list")}
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={id}
        aria-activedescendant={optionId(active())}
        autocomplete="off"
        spellcheck={false}
        dir="auto"
        value={filter()}
        onInput={(event) => {
          setFilter(event.currentTarget.value);
          setStep(0);
        }}
      />
      <div
        id={id}
        class="cell-list"
        role="listbox"
        aria-label={t("Dropdown list")}
        aria-multiselectable={isMultiple ? "true" : undefined}
        aria-activedescendant={optionId(active())}
        tabIndex={-1}
        ref={list}
      >
        <For each={shown()}>
          {(choice, index) => (
            <div
              id={optionId(index())}
              role="option"
              class="menu-item"
              classList={{ "is-active": index() === active() }}
              aria-selected={isSelected(choice)}
              onPointerMove={() => setStep(index())}
              onClick={() => choose(choice)}
            >
              <ChipLabel isChip={isChips} color={colors?.get(choice)} text={choice} face={isOfPeople ? faceOf(model, choice) : undefined} />
            </div>
          )}
        </For>
      </div>
      <Show when={shown().length === 0}>
        <p class="cell-list-none" role="status">
          {!choices() ? t("Searching…") : filter() === "" ? t("The list is empty.") : t("No matches")}
        </p>
      </Show>
      <Show when={item && model.canType()}>
        <button
          type="button"
          class="menu-item cell-choices-edit"
          onClick={() => {
            props.onClose();
            model.openDialog("validation");
          }}
        >
          {isOfPeople ? t("Data validation…") : t("Edit choices…")}
        </button>
      </Show>
    </div>
  );
}
