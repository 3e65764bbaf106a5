/** The entries of the "File" menu. */

import { For } from "solid-js";
import { t } from "../language/index.ts";
import { MenuHeading, MenuItem, MenuSeparator } from "../components/index.ts";
import { DOWNLOAD_FORMATS, downloadsOf } from "../files/index.ts";
import { newRoomName, roomPath } from "../rooms/index.ts";
import { keyLabel } from "../keyboard/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** The "File" menu. */
export function FileEntries(props: { readonly model: WorkbookModel; readonly onImport: () => void }) {
  const { model } = props;
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
      <MenuItem isForViewers icon="share" onSelect={() => model.openDialog("publish")}>
        {t("Publish to web…")}
      </MenuItem>
      <MenuSeparator />
      <MenuHeading>{t("Download as")}</MenuHeading>
      <For each={DOWNLOAD_FORMATS}>
        {([format, name]) => (
          <MenuItem isForViewers needsServer note={`.${format}`} onSelect={() => void downloadsOf(model).start(format)}>
            {t(name)}
          </MenuItem>
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
      <MenuItem isDisabled={model.sheet() === undefined} onSelect={() => model.openDialog("nameVersion")}>
        {t("Name current version…")}
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
