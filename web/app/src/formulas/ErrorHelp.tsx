/** Beside a cell that shows an error: what the error means, and the cell that it comes from. */

import { cellName, rangeOf } from "@quadrille/grid";
import type { Explanation } from "@quadrille/protocol";
import { createEffect, createMemo, createSignal, onCleanup, Show } from "solid-js";
import { direction, t } from "../language/index.ts";
import { Icon } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";
import { sheetPrefix } from "../references/index.ts";

const GAP_PX = 6;
const WIDTH_PX = 300;
/** Who walks past a cell does not want it explained. */
const REST_MS = 500;

export function ErrorHelp(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [explanation, setExplanation] = createSignal<Explanation>();
  const [closed, setClosed] = createSignal("");
  let asked = 0;

  // What is known of the selected cell and what the grid shows of it arrive one after the other, in either order.
  const isError = createMemo(() => {
    model.cellsShown();
    return model.cellEdit.edit() === undefined && (model.grid?.isError(model.selection().active) ?? false);
  });
  createEffect(() => {
    const { active } = model.selection();
    model.selectionDetails.details();
    asked += 1;
    const turn = asked;
    if (!isError()) {
      setExplanation(undefined);
      return;
    }
    const timer = window.setTimeout(() => {
      void model.session.query({ type: "explain", sheet: model.sheetId(), cell: active }).then((found) => {
        if (turn === asked) {
          setExplanation(found ?? undefined);
        }
      });
    }, REST_MS);
    onCleanup(() => window.clearTimeout(timer));
  });

  const place = createMemo(() => {
    model.layout();
    const { active } = model.selection();
    const found = model.cellBox(active);
    if (!found) {
      return undefined;
    }
    const { box, cells } = found;
    const isSeen = box.y + box.height > cells.y && box.y < cells.y + cells.height;
    const x = Math.max(cells.x, Math.min(box.x, cells.x + cells.width - WIDTH_PX - GAP_PX));
    return isSeen ? `translate(${Math.round(x)}px, ${Math.round(box.y + box.height + GAP_PX)}px)` : undefined;
  });
  const source = createMemo(() => {
    const found = explanation();
    if (!found || found.passedOnBy === 0) {
      return undefined;
    }
    const name = notation().cell(found.cell);
    const sheet = sheetPrefix(model.sheets().find(({ id }) => id === found.sheet)?.name ?? "");
    return { text: found.sheet === model.sheet() ? name : `${sheet}!${name}`, found };
  });
  const key = () => `${model.sheet()} ${cellName(model.selection().active)}`;

  return (
    <Show when={closed() !== key() && place() !== undefined && explanation()}>
      {(found) => (
        <div class="error-help grid-overlay" dir={direction()} role="note" style={{ transform: place() ?? "" }}>
          <strong dir="ltr">{found().error}</strong>
          <button type="button" class="error-close" aria-label={t("Close")} onClick={() => setClosed(key())}>
            <Icon name="close" />
          </button>
          <p>{wordsOf(found().error)}</p>
          <Show when={source()}>
            {(from) => (
              <p>
                {t("It comes from {cell}.", { cell: from().text })}{" "}
                <button
                  type="button"
                  class="link-button"
                  onClick={() => {
                    model.openSheet(from().found.sheet);
                    model.goTo(rangeOf(from().found.cell));
                  }}
                >
                  {t("Go there")}
                </button>
              </p>
            )}
          </Show>
        </div>
      )}
    </Show>
  );
}

function wordsOf(error: string): string {
  switch (error) {
    case "#DIV/0!":
      return t("Division by zero or by an empty cell.");
    case "#VALUE!":
      return t("A value has the wrong type, for example text where a number is expected.");
    case "#REF!":
      return t("The formula refers to cells that were deleted.");
    case "#NAME?":
      return t("Unknown function or name.");
    case "#NUM!":
      return t("The result is not a valid number.");
    case "#N/A":
      return t("A value was not found.");
    case "#NULL!":
      return t("The ranges do not intersect.");
    case "#SPILL!":
      return t("The result does not fit because cells below or beside it are not empty.");
    case "#CIRC!":
      return t("The formula contains a circular reference.");
    default:
      return t("The calculation took too much time or memory.");
  }
}
