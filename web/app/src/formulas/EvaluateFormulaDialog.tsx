/**
 * The dialog "Evaluate formula": shows the formula of a cell, and replaces the part that is
 * evaluated next by its result, step by step. A cell that this part refers to can be evaluated in
 * between, in a box of its own.
 */

import { type Cell, rangeOf } from "@quadrille/grid";
import type { EvaluatedFormula } from "@quadrille/protocol";
import { createEffect, createSignal, Index, Show } from "solid-js";
import { Modal } from "../components/index.ts";
import { t } from "../language/index.ts";
import { sheetPrefix } from "../references/index.ts";
import { notation } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import "../style/formula-evaluation.css";

/** A formula that is evaluated, after `count` steps. */
interface Level {
  readonly sheet: number;
  readonly cell: Cell;
  readonly count: number;
}

/** A level with its formula. */
interface EvaluatedLevel extends Level {
  readonly formula: EvaluatedFormula;
}

/** The dialog "Evaluate formula". */
export function EvaluateFormulaDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const start: Level = { sheet: model.sheetId(), cell: model.selection().active, count: 0 };
  const [levels, setLevels] = createSignal<readonly EvaluatedLevel[]>();
  let wanted: readonly Level[] = [start];
  let button: HTMLButtonElement | undefined;

  /** Shows these levels; the last answer wins. */
  const show = async (next: readonly Level[]): Promise<void> => {
    wanted = next;
    const formulas = await Promise.all(next.map(({ sheet, cell, count }) => model.session.query({ type: "evaluateFormula", sheet, cell, count })));
    if (wanted !== next) {
      return;
    }
    // A formula that somebody deletes meanwhile takes the levels below it along.
    const end = formulas.indexOf(null);
    const found = next.flatMap((level, index) => {
      const formula = formulas[index];
      return formula && (end < 0 || index < end) ? [{ ...level, formula }] : [];
    });
    wanted = found;
    setLevels(found);
  };
  createEffect(() => {
    model.cellChanges();
    void show(wanted);
  });

  const last = (): EvaluatedLevel | undefined => levels()?.at(-1);
  const outer = (): readonly EvaluatedLevel[] => levels()?.slice(0, -1) ?? [];
  const isAtEnd = (): boolean => (last()?.formula.isFinished ?? false) || (last()?.formula.isCutShort ?? false);
  /** Goes on with these levels, with the focus where the next key press steps on. */
  const step = async (next: readonly Level[]): Promise<void> => {
    await show(next);
    button?.focus();
  };
  const stepOut = (): void => {
    const left = outer();
    const level = left.at(-1);
    if (level) {
      void step([...left.slice(0, -1), { ...level, count: level.count + 1 }]);
    }
  };
  const stepIn = (): void => {
    const target = last()?.formula.precedent;
    if (target) {
      void step([...(levels() ?? []), { sheet: target.sheet, cell: { row: target.row, column: target.column }, count: 0 }]);
    }
  };
  const goOn = (): void => {
    const level = last();
    if (!level) {
      return;
    }
    if (!isAtEnd()) {
      void step([...outer(), { ...level, count: level.count + 1 }]);
    } else if (outer().length > 0) {
      stepOut();
    } else {
      void step([start]);
    }
  };
  const nameOf = ({ sheet, cell }: Level): string => {
    const title = model.sheets().find(({ id }) => id === sheet)?.name ?? "";
    return `${sheetPrefix(title)}!${notation().range(rangeOf(cell))}`;
  };
  const announcement = (): string => {
    const level = last();
    if (!level) {
      return "";
    }
    const { texts, isFinished } = level.formula;
    const cell = nameOf(level);
    return isFinished ? t("{cell}: {result}. Evaluation complete.", { cell, result: texts[1] }) : t("{cell}: {formula}. Next: {part}", { cell, formula: texts.join(""), part: texts[1] });
  };
  const buttonText = (): string => {
    if (!isAtEnd()) {
      return t("Evaluate");
    }
    return outer().length > 0 ? t("Step out") : t("Restart");
  };

  return (
    <Modal isOpen isWide title={t("Evaluate formula")} onClose={() => model.closeDialog()}>
      {/* The form is there before the formula arrives, so that the dialog opens with the focus on its button. */}
      <Show when={levels()?.length !== 0} fallback={<p>{t("Select a cell with a formula first.")}</p>}>
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            goOn();
          }}
        >
          <Index each={levels()}>{(level) => <FormulaBox name={nameOf(level())} formula={level().formula} isLast={level() === last()} />}</Index>
          <p class="form-hint evaluation-hint">{last()?.formula.isCutShort ? t("The formula has too many steps to show all of them.") : t("The underlined part is evaluated next.")}</p>
          <p class="evaluation-status" role="status">
            {announcement()}
          </p>
          <div class="modal-buttons">
            <button type="button" class="button" disabled={isAtEnd() || !last()?.formula.precedent} onClick={stepIn}>
              {t("Step in")}
            </button>
            <Show when={outer().length > 0 && !isAtEnd()}>
              <button type="button" class="button" onClick={stepOut}>
                {t("Step out")}
              </button>
            </Show>
            <button type="submit" class="button is-main" ref={(element) => (button = element)}>
              {buttonText()}
            </button>
          </div>
        </form>
      </Show>
    </Modal>
  );
}

/** The formula of a cell with the part that is evaluated next. */
function FormulaBox(props: { readonly name: string; readonly formula: EvaluatedFormula; readonly isLast: boolean }) {
  let part: HTMLElement | undefined;
  createEffect(() => {
    if (props.formula) {
      part?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  });
  return (
    <div class="evaluation" classList={{ "is-last": props.isLast }}>
      <span class="evaluation-cell" dir="auto">
        {props.name}
      </span>
      {/* Scrolls, so that the keyboard must reach it. */}
      <code class="evaluation-formula" dir="ltr" tabIndex={0}>
        {"="}
        {props.formula.texts[0]}
        <Show when={!props.formula.isFinished} fallback={<strong>{props.formula.texts[1]}</strong>}>
          <u ref={(element) => (part = element)}>{props.formula.texts[1]}</u>
        </Show>
        {props.formula.texts[2]}
      </code>
    </div>
  );
}
