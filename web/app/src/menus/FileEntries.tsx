/** The entries of the "File" menu. */

import { For, Show } from "solid-js";
import { credentialOf } from "../access/index.ts";
import { type Message, t } from "../language/index.ts";
import { MenuHeading, MenuItem, MenuSeparator, MenuLink } from "../components/index.ts";
import { download, exportUrl, newRoomName, roomPath } from "../rooms/index.ts";
import { keyLabel } from "../keyboard/index.ts";
import type { WorkbookModel } from "../state/index.ts";

const EXPORTS: readonly (readonly [format: string, name: Message, note: string])[] = [
  ["xlsx", "Excel workbook", ".xlsx"],
  ["ods", "OpenDocument spreadsheet", ".ods"],
  ["csv", "Comma-separated", ".csv"],
  ["tsv", "Tab-separated", ".tsv"],
  ["html", "Web page", ".html"],
  ["md", "Markdown table", ".md"],
  ["json", "JSON", ".json"],
];

/** The "File" menu. */
export function FileEntries(props: { readonly model: WorkbookModel; readonly onImport: () => void }) {
  const { model } = props;
  const save = (format: string): Promise<void> =>
    download(model.room, exportUrl(model.room, format)).catch(() => model.toast(t("The file could not be downloaded. Try again."), true));
  return (
    <>
      <MenuItem isForViewers icon="plus" onSelect={() => window.open(roomPath(newRoomName()), "_blank", "noopener")}>
        {t("New workbook in a new tab")}
      </MenuItem>
      <MenuItem onSelect={() => model.title.edit()}>
        {t("Rename")}
      </MenuItem>
      <MenuItem isForViewers icon="copy" onSelect={() => model.openDialog("copyWorkbook")}>
        {t("Make a copy…")}
      </MenuItem>
      <MenuItem icon="upload" onSelect={() => props.onImport()}>
        {t("Import a file…")}
      </MenuItem>
      <MenuSeparator />
      <MenuHeading>{t("Download as")}</MenuHeading>
      <For each={EXPORTS}>
        {([format, name, note]) => (
          <Show
            // A link sends no credential.
            when={credentialOf(model.room)}
            fallback={
              <MenuLink href={exportUrl(model.room, format)} note={note}>
                {t(name)}
              </MenuLink>
            }
          >
            <MenuItem isForViewers note={note} onSelect={() => void save(format)}>
              {t(name)}
            </MenuItem>
          </Show>
        )}
      </For>
      <MenuSeparator />
      <MenuItem isForViewers isDisabled={model.sheet() === undefined} keys={keyLabel("mod+p")} onSelect={() => model.openDialog("print")}>
        {t("Print…")}
      </MenuItem>
      <MenuSeparator />
      <MenuItem isForViewers={model.access.limitedRole() === undefined} icon="clock" onSelect={() => model.openPanel("history")}>
        {t("History")}
      </MenuItem>
      <MenuItem onSelect={() => model.openDialog("settings")}>
        {t("Workbook settings…")}
      </MenuItem>
      <MenuItem isForViewers onSelect={() => model.openDialog("language")}>{t("Language…")}</MenuItem>
      <MenuItem isForViewers icon="help" onSelect={() => model.openDialog("shortcuts")}>
        {t("Keyboard shortcuts")}
      </MenuItem>
      <MenuItem isForViewers onSelect={() => model.traceRecorder.toggle()}>
        {model.traceRecorder.isOn() ? t("Stop and download trace") : t("Record a trace")}
      </MenuItem>
    </>
  );
}
