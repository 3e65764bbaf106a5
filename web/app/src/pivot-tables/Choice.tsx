/** A labeled list of choices in the panel. */

import type { ItemValue } from "@quadrille/protocol";
import { For } from "solid-js";
import { type Message, t } from "../language/index.ts";

/** Shows the choice `value` and reports the name of another one that is chosen. */
export function Choice(props: {
  readonly label: string;
  readonly choices: readonly (readonly [name: string, text: Message])[];
  readonly value: ItemValue;
  readonly onChange: (name: string) => void;
}) {
  return (
    <label class="panel-row">
      <span>{props.label}</span>
      <select class="field" onChange={(event) => props.onChange(event.currentTarget.value)}>
        <For each={props.choices}>
          {([name, text]) => <option value={name} selected={name === props.value}>{t(text)}</option>}
        </For>
      </select>
    </label>
  );
}
