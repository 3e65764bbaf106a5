/** Opens the link of a cell. */

import type { Cell } from "@quadrille/grid";
import { t } from "../language/index.ts";
import { download, roomApi } from "../rooms/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { fileOfLink, linkTarget } from "./addresses.ts";

/** Goes to the cells of a link, downloads its file, or opens its page. */
export function followLink(model: WorkbookModel, cell: Cell): void {
  const link = model.grid?.markOf(cell)?.link;
  if (link === undefined) {
    return;
  }
  const reference = linkTarget(link, model.sheets());
  const file = fileOfLink(link);
  if (reference) {
    model.goToReference(reference);
  } else if (file !== undefined) {
    // Of this workbook, which may be a copy. The server never lets a file be opened as a page.
    download(model.room, `${roomApi(model.room)}/files/${file}`).catch(() => model.toast(t("The file could not be downloaded. Try again."), true));
  } else {
    openLink(link);
  }
}

/** Opens an external link; other schemes are ignored, as a workbook must not run scripts. */
function openLink(link: string): void {
  // Links of HTML may lead to another page of this server.
  const url = URL.parse(link, /^[/?]/.test(link) ? document.baseURI : undefined);
  if (url && ["http:", "https:", "mailto:", "tel:"].includes(url.protocol)) {
    window.open(url, "_blank", "noopener,noreferrer");
  }
}
