/** Beside the selected cell: what its rule has to say to those who enter, and that it holds what the rule forbids. */

import { createMemo, Show } from "solid-js";
import { direction, t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { validationAt } from "./list-values.ts";
import { describeRule, textOf } from "./validation-rules.ts";

const GAP_PX = 6;
const WIDTH_PX = 260;

export function InputMessage(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const found = createMemo(() => {
    const { active } = model.selection();
    model.cellsShown();
    model.layout();
    const rule = validationAt(model, active);
    if (!rule || model.grid?.isError(active)) {
      return undefined;
    }
    const isInvalid = model.cellEdit.edit() === undefined && model.grid?.markOf(active)?.isInvalid === true;
    const title = textOf(rule.fields["promptTitle"]);
    const text = textOf(rule.fields["prompt"]);
    return isInvalid || title !== "" || text !== ""
      ? { title, text, wrong: isInvalid ? textOf(rule.fields["errorMessage"]) || describeRule(rule) : "" }
      : undefined;
  });
  const place = createMemo(() => {
    model.layout();
    const at = model.cellBox(model.selection().active);
    if (!at) {
      return undefined;
    }
    const { box, cells } = at;
    const isSeen = box.y + box.height > cells.y && box.y < cells.y + cells.height;
    const x = Math.max(cells.x, Math.min(box.x, cells.x + cells.width - WIDTH_PX));
    return isSeen ? `translate(${Math.round(x)}px, ${Math.round(box.y + box.height + GAP_PX)}px)` : undefined;
  });
  return (
    <Show when={place() !== undefined && found()}>
      {(note) => (
        <div class="cell-note grid-overlay" dir={direction()} role="note" aria-label={t("About this cell")} style={{ transform: place() ?? "" }}>
          <Show when={note().title !== ""}>
            <strong dir="auto">{note().title}</strong>
          </Show>
          <Show when={note().text !== ""}>
            <p dir="auto">{note().text}</p>
          </Show>
          <Show when={note().wrong !== ""}>
            <p class="is-wrong">{t("The value of this cell is not valid.")}</p>
            <p class="is-wrong" dir="auto">
              {note().wrong}
            </p>
          </Show>
        </div>
      )}
    </Show>
  );
}
