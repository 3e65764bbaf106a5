/** The toolbar button for borders. */

import type { BorderName } from "@quadrille/protocol";
import { type Accessor, createSignal, type Setter } from "solid-js";
import { t } from "../language/index.ts";
import { Icon, Popover } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { openParts } from "../workbook/index.ts";

/** The line that was chosen last; it is kept while the popover is closed. */
export interface ChosenLine {
  readonly style: Accessor<BorderName>;
  readonly setStyle: Setter<BorderName>;
  /** `undefined` for the default color. */
  readonly color: Accessor<string | undefined>;
  readonly setColor: Setter<string | undefined>;
}

/** The toolbar popover for borders. */
export function BordersTool(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [style, setStyle] = createSignal<BorderName>("thin");
  const [color, setColor] = createSignal<string>();
  return (
    <Popover
      label={t("Borders")}
      hint={t("Borders")}
      buttonClass="tool"
      button={<Icon name="borders" />}
      class="borders"
      onClosed={() => model.focusCells()}
    >
      {(close) => openParts().BorderChoices({ model, close, line: { style, setStyle, color, setColor } })}
    </Popover>
  );
}
