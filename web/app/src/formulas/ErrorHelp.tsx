/** The explanation of an error below the active cell, with a link to the cell that causes it. */

import { cellName, rangeOf } from "@quadrille/grid";
import type { Explanation } from "@quadrille/protocol";
import { createEffect, createMemo, createSignal, onCleanup, Show } from "solid-js";
import { direction, t } from "../language/index.ts";
import { Icon } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";
import { sheetPrefix } from "../references/index.ts";
import { ImportHelp } from "./ImportHelp.tsx";

const GAP_PX = 6;
const WIDTH_PX = 300;
/** The selection must stay this long before the error is explained. */
const DELAY_MS = 500;

/** Explains the error of the active cell. */
export function ErrorHelp(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [explanation, setExplanation] = createSignal<Explanation>();
  const [closed, setClosed] = createSignal("");
  let requestCount = 0;

  // Cell details and displayed cells arrive in either order.
  const isError = createMemo(() => {
    model.windowUpdates();
    return model.cellEdit.edit() === undefined && (model.grid?.isError(model.selection().active) ?? false);
  });
  createEffect(() => {
    const { active } = model.selection();
    model.selectionDetails.details();
    requestCount += 1;
    const request = requestCount;
    if (!isError()) {
      setExplanation(undefined);
      return;
    }
    const timer = window.setTimeout(() => {
      void model.session.query({ type: "explain", sheet: model.sheetId(), cell: active }).then((answer) => {
        if (request === requestCount) {
          setExplanation(answer ?? undefined);
        }
      });
    }, DELAY_MS);
    onCleanup(() => window.clearTimeout(timer));
  });

  const position = createMemo(() => {
    model.layout();
    const { active } = model.selection();
    const boxes = model.cellBox(active);
    if (!boxes) {
      return undefined;
    }
    const { box, cells } = boxes;
    const isVisible = box.y + box.height > cells.y && box.y < cells.y + cells.height;
    const x = Math.max(cells.x, Math.min(box.x, cells.x + cells.width - WIDTH_PX - GAP_PX));
    return isVisible ? `translate(${Math.round(x)}px, ${Math.round(box.y + box.height + GAP_PX)}px)` : undefined;
  });
  const source = createMemo(() => {
    const current = explanation();
    if (!current || current.passedOnBy === 0) {
      return undefined;
    }
    const name = notation().cell(current.cell);
    const prefix = sheetPrefix(model.sheets().find(({ id }) => id === current.sheet)?.name ?? "");
    return { text: current.sheet === model.sheet() ? name : `${prefix}!${name}`, cell: current.cell, sheet: current.sheet };
  });
  const key = () => `${model.sheet()} ${cellName(model.selection().active)}`;

  return (
    <Show when={closed() !== key() && position() !== undefined && explanation()}>
      {(explained) => (
        <div class="error-help grid-overlay" dir={direction()} role="note" style={{ transform: position() ?? "" }}>
          <strong dir="ltr">{explained().error}</strong>
          <button type="button" class="error-close" aria-label={t("Close")} onClick={() => setClosed(key())}>
            <Icon name="close" />
          </button>
          <Show when={explained().import} fallback={<p>{errorText(explained().error)}</p>}>
            {(missing) => <ImportHelp model={model} missing={missing()} />}
          </Show>
          <Show when={source()}>
            {(from) => (
              <p>
                {t("The error comes from {cell}.", { cell: from().text })}{" "}
                <button
                  type="button"
                  class="link-button"
                  onClick={() => {
                    model.openSheet(from().sheet);
                    model.goTo(rangeOf(from().cell));
                  }}
                >
                  {t("Go to cell")}
                </button>
              </p>
            )}
          </Show>
        </div>
      )}
    </Show>
  );
}

function errorText(error: string): string {
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
