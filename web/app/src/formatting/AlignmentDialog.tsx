/** The dialog "Indent and rotation". */

import { createSignal, For } from "solid-js";
import { t } from "../language/index.ts";
import { DialogButtons, Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { ROTATIONS } from "./cell-styles.ts";

const INDENT_MAX = 15;

/** The dialog "Indent and rotation". */
export function AlignmentDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const format = model.selectionDetails.details()?.format ?? {};
  const [indent, setIndent] = createSignal(format.indent ?? 0);
  const [rotation, setRotation] = createSignal(format.rotation ?? 0);
  return (
    <Modal isOpen title={t("Indent and rotation")} onClose={() => model.closeDialog()}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          model.closeDialog();
          model.format({ indent: indent(), rotation: rotation() });
        }}
      >
        <label class="form-label">
          {t("Indent")}
          <input
            class="field"
            type="number"
            min={0}
            max={INDENT_MAX}
            value={indent()}
            onInput={(event) => setIndent(Math.min(INDENT_MAX, Math.max(0, Math.round(event.currentTarget.valueAsNumber) || 0)))}
          />
        </label>
        <label class="form-label">
          {t("Rotation")}
          <select class="field" onChange={(event) => setRotation(ROTATIONS[event.currentTarget.selectedIndex]?.[1] ?? 0)}>
            <For each={ROTATIONS}>{([name, degrees]) => <option selected={rotation() === degrees}>{t(name)}</option>}</For>
          </select>
        </label>
        <DialogButtons onCancel={() => model.closeDialog()} />
      </form>
    </Modal>
  );
}
