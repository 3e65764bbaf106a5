/** Where lines go, and what they look like. */

import type { BorderName } from "@quadrille/protocol";
import { createSignal, For } from "solid-js";
import { type Message, t } from "../../language/language.ts";
import { Icon } from "../../parts/Icon.tsx";
import { Popover } from "../../parts/Popover.tsx";
import type { WorkbookModel } from "../model.ts";
import { borderCommands, type BorderPlace } from "./borders.ts";

const PLACES: readonly (readonly [place: BorderPlace, name: Message])[] = [
  ["all", "All borders"],
  ["outer", "Outer borders"],
  ["inner", "Inner borders"],
  ["top", "Top border"],
  ["bottom", "Bottom border"],
  ["left", "Left border"],
  ["right", "Right border"],
  ["none", "No borders"],
];
const STYLES: readonly (readonly [style: BorderName, name: Message])[] = [
  ["thin", "Thin"],
  ["medium", "Medium"],
  ["thick", "Thick"],
  ["dashed", "Dashed"],
  ["dotted", "Dotted"],
  ["double", "Double"],
];

export function BordersTool(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [style, setStyle] = createSignal<BorderName>("thin");
  const [color, setColor] = createSignal<string>();
  const draw = (place: BorderPlace, close: () => void): void => {
    const own = color();
    const line = { style: style(), ...(own !== undefined && { color: own }) };
    const commands = model.selection().ranges.flatMap((range) => borderCommands(model.sheetId(), range, place, line));
    close();
    if (commands.length > 0) {
      model.command({ type: "many", commands });
    }
  };
  return (
    <Popover
      label={t("Borders")}
      hint={t("Borders")}
      buttonClass="tool"
      button={<Icon name="borders" />}
      class="borders"
      onClosed={() => model.focusCells()}
    >
      {(close) => (
        <>
          <For each={PLACES}>
            {([place, name]) => (
              <button type="button" class="border-place" onClick={() => draw(place, close)}>
                <span class={`border-sample is-${place}`} aria-hidden="true" />
                {t(name)}
              </button>
            )}
          </For>
          <div class="border-line">
            <select class="field" aria-label={t("Line")} onChange={(event) => setStyle(STYLES[event.currentTarget.selectedIndex]?.[0] ?? "thin")}>
              <For each={STYLES}>{([value, name]) => <option selected={style() === value}>{t(name)}</option>}</For>
            </select>
            <input type="color" aria-label={t("Line colour")} value={color() ?? "#000000"} onChange={(event) => setColor(event.currentTarget.value)} />
          </div>
        </>
      )}
    </Popover>
  );
}
