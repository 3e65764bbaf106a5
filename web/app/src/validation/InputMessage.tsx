/**
 * The input message of the data validation rule of the active cell, and the error if its value is
 * invalid.
 */

import { createMemo, Show } from "solid-js";
import { direction, t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { validationAt } from "./rules-of-cells.ts";
import { describeRule, textOf } from "./validation-rules.ts";

const GAP_PX = 6;
const WIDTH_PX = 260;

/** Shows the message below the active cell. */
export function InputMessage(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const content = createMemo(() => {
    const { active } = model.selection();
    model.windowUpdates();
    model.layout();
    const rule = validationAt(model, active);
    if (!rule || model.grid?.isError(active)) {
      return undefined;
    }
    const isInvalid = model.cellEdit.edit() === undefined && model.grid?.markOf(active)?.isInvalid === true;
    const title = textOf(rule.fields["promptTitle"]);
    const text = textOf(rule.fields["prompt"]);
    return isInvalid || title !== "" || text !== ""
      ? { title, text, error: isInvalid ? textOf(rule.fields["errorMessage"]) || describeRule(rule) : "" }
      : undefined;
  });
  const position = createMemo(() => {
    model.layout();
    const boxes = model.cellBox(model.selection().active);
    if (!boxes) {
      return undefined;
    }
    const { box, cells } = boxes;
    const isVisible = box.y + box.height > cells.y && box.y < cells.y + cells.height;
    const x = Math.max(cells.x, Math.min(box.x, cells.x + cells.width - WIDTH_PX));
    return isVisible ? `translate(${Math.round(x)}px, ${Math.round(box.y + box.height + GAP_PX)}px)` : undefined;
  });
  return (
    <Show when={position() !== undefined && content()}>
      {(message) => (
        <div class="cell-note grid-overlay" dir={direction()} role="note" aria-label={t("Input message")} style={{ transform: position() ?? "" }}>
          <Show when={message().title !== ""}>
            <strong dir="auto">{message().title}</strong>
          </Show>
          <Show when={message().text !== ""}>
            <p dir="auto">{message().text}</p>
          </Show>
          <Show when={message().error !== ""}>
            <p class="is-invalid">{t("The value of this cell is not valid.")}</p>
            <p class="is-invalid" dir="auto">
              {message().error}
            </p>
          </Show>
        </div>
      )}
    </Show>
  );
}
