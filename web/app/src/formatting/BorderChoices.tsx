/** The content of the popover for borders: position, line style and color. */

import { BORDER_STROKES, LINE_CONTRAST, onPaper } from "@quadrille/grid";
import { BorderLine, type BorderName } from "@quadrille/protocol";
import { createUniqueId, For, Show } from "solid-js";
import { forVisibleRows } from "../filter/index.ts";
import { type Message, t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { readTheme } from "../theme/index.ts";
import type { ChosenLine } from "./BordersTool.tsx";
import { borderCommands, type BorderPosition } from "./borders.ts";

const POSITIONS: readonly (readonly [position: BorderPosition, name: Message])[] = [
  ["all", "All borders"],
  ["outer", "Outer borders"],
  ["inner", "Inner borders"],
  ["top", "Top border"],
  ["bottom", "Bottom border"],
  ["left", "Left border"],
  ["right", "Right border"],
  ["diagonalUp", "Diagonal up"],
  ["diagonalDown", "Diagonal down"],
  ["none", "No borders"],
];
/** The line styles of Excel, light ones first. */
const STYLES: readonly (readonly [style: BorderName, line: BorderLine, name: Message])[] = [
  ["hair", BorderLine.Hair, "Hairline"],
  ["mediumDashDotDot", BorderLine.MediumDashDotDot, "Medium, dash dot dot"],
  ["dotted", BorderLine.Dotted, "Dotted"],
  ["slantDashDot", BorderLine.SlantDashDot, "Slanted, dash dot"],
  ["dashDotDot", BorderLine.DashDotDot, "Dash dot dot"],
  ["mediumDashDot", BorderLine.MediumDashDot, "Medium, dash dot"],
  ["dashDot", BorderLine.DashDot, "Dash dot"],
  ["mediumDashed", BorderLine.MediumDashed, "Medium, dashed"],
  ["dashed", BorderLine.Dashed, "Dashed"],
  ["medium", BorderLine.Medium, "Medium"],
  ["thin", BorderLine.Thin, "Thin"],
  ["thick", BorderLine.Thick, "Thick"],
  ["double", BorderLine.Double, "Double"],
];

/** The choices of the popover. */
export function BorderChoices(props: { readonly model: WorkbookModel; readonly line: ChosenLine; readonly close: () => void }) {
  const { model, line } = props;
  const colorId = createUniqueId();
  const draw = (position: BorderPosition): void => {
    const color = line.color();
    const border = { style: line.style(), ...(color !== undefined && { color }) };
    const commands = model.selection().ranges.flatMap((range) => borderCommands(model.sheetId(), range, position, border));
    props.close();
    if (commands.length > 0) {
      model.command(forVisibleRows(model.sheetId(), { type: "many", commands }));
    }
  };
  return (
    <>
      <For each={POSITIONS}>
        {([position, name]) => (
          <button type="button" class="border-position" onClick={() => draw(position)}>
            <span class={`border-sample is-${position}`} aria-hidden="true" />
            {t(name)}
          </button>
        )}
      </For>
      <fieldset class="border-styles">
        <legend>{t("Line")}</legend>
        <For each={STYLES}>
          {([value, sample, name]) => (
            <label class="border-style" title={t(name)}>
              <input type="radio" name="border-style" aria-label={t(name)} checked={line.style() === value} onChange={() => line.setStyle(value)} />
              <LineSample line={sample} />
            </label>
          )}
        </For>
      </fieldset>
      <div class="border-line">
        <label for={colorId}>{t("Line colour")}</label>
        <Show when={line.color() !== undefined} fallback={<span class="border-default">{t("Automatic")}</span>}>
          <button type="button" class="button is-quiet border-default" onClick={() => line.setColor(undefined)}>
            {t("Automatic")}
          </button>
        </Show>
        {/* The default color of borders. */}
        <input id={colorId} type="color" value={line.color() ?? onPaper(0, readTheme(), LINE_CONTRAST)} onChange={(event) => line.setColor(event.currentTarget.value)} />
      </div>
    </>
  );
}

/** A sample of a line style as the grid draws it. */
function LineSample(props: { readonly line: BorderLine }) {
  const { widthPx, dash } = BORDER_STROKES[props.line];
  const isDouble = props.line === BorderLine.Double;
  const isSlanted = props.line === BorderLine.SlantDashDot;
  const paths = isDouble ? ["M0 2.5h70", "M0 4.5h70"] : isSlanted ? ["M1 3.5h69", "M0 4.5h70"] : [`M0 ${widthPx % 2 === 0 ? 4 : 3.5}h70`];
  return (
    <svg viewBox="0 0 70 8" width="70" height="8" fill="none" stroke="currentColor" stroke-width={isDouble || isSlanted ? 1 : widthPx} aria-hidden="true">
      <For each={paths}>{(path) => <path d={path} stroke-dasharray={dash.join(" ")} />}</For>
    </svg>
  );
}
