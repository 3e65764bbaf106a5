/** Downloads of a sheet with typed columns: Parquet and Arrow. */

import { t } from "../language/index.ts";
import { columnsUrl, download, DownloadFailed, titleAsFileName } from "../rooms/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Status of an answer to a request for more cells than the server sends at once. */
const TOO_LARGE = 413;

/** Downloads the used range of a sheet. A failure is shown as a toast. */
export async function downloadColumns(model: WorkbookModel, format: "parquet" | "arrows", sheet: string): Promise<void> {
  const name = titleAsFileName(`${model.title.displayed()} - ${sheet}`);
  await download(model.room, columnsUrl(model.room, sheet, format === "arrows" ? "arrow" : format), `${name}.${format}`).catch((error: unknown) => {
    const isTooLarge = error instanceof DownloadFailed && error.status === TOO_LARGE;
    model.toast(isTooLarge ? t("The sheet has too many cells for this file format.") : t("The file could not be downloaded. Try again."), true);
  });
}
