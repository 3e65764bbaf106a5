/** The menu of a chart. */

import type { ItemDetails } from "@quadrille/protocol";
import { For, Show } from "solid-js";
import { MenuHeading, MenuItem, MenuSeparator } from "../components/index.ts";
import { DeleteEntry } from "../drawings/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import type { ImageFormat } from "./download-chart.ts";
import { moveToOwnSheet, moveToSheet, showCells } from "./move-chart.ts";

/** The entries of the menu of a chart. */
export function ChartMenu(props: { readonly model: WorkbookModel; readonly item: ItemDetails }) {
  const { model } = props;
  const download = async (format: ImageFormat): Promise<void> => {
    try {
      const { downloadChart } = await import("./download-chart.ts");
      await downloadChart(model, props.item, format);
    } catch (error) {
      console.warn("quadrille: a chart could not be downloaded:", error);
      model.toast(t("The file could not be downloaded. Try again."), true);
    }
  };
  /** The visible sheets with cells. */
  const others = () => model.sheets().filter(({ isChart, isHidden }) => isChart !== true && isHidden !== true);
  return (
    <>
      <MenuItem icon="edit" onSelect={() => model.openPanel("chart")}>
        {t("Edit chart")}
      </MenuItem>
      <MenuSeparator />
      <MenuItem isForViewers icon="download" onSelect={() => void download("png")}>
        {t("Download as PNG")}
      </MenuItem>
      <MenuItem isForViewers onSelect={() => void download("svg")}>
        {t("Download as SVG")}
      </MenuItem>
      <MenuSeparator />
      <Show
        when={props.item.fields["ownSheet"] === true}
        fallback={
          <MenuItem icon="sheet" onSelect={() => moveToOwnSheet(model, props.item.id)}>
            {t("Move to own sheet")}
          </MenuItem>
        }
      >
        <MenuItem onSelect={() => showCells(model, props.item.id)}>{t("Show cells of this sheet")}</MenuItem>
        <Show when={others().length > 0}>
          <MenuHeading>{t("Move to sheet")}</MenuHeading>
          <For each={others()}>
            {(sheet) => (
              <MenuItem onSelect={() => void moveToSheet(model, props.item.id, sheet)}>
                <span dir="auto">{sheet.name}</span>
              </MenuItem>
            )}
          </For>
        </Show>
      </Show>
      <MenuSeparator />
      <DeleteEntry model={model} item={props.item} label={t("Delete chart")} />
    </>
  );
}
