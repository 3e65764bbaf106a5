/** Downloads of the workbook as a file, after naming what the file leaves out. */

import { createSignal } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { download, exportUrl } from "../rooms/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import type { LossReport } from "./losses.ts";

/** File formats in the order of the menu, by file extension. */
export const DOWNLOAD_FORMATS = [
  ["xlsx", "Excel workbook"],
  ["ods", "OpenDocument spreadsheet"],
  ["csv", "Comma-separated"],
  ["tsv", "Tab-separated"],
  ["html", "Web page"],
  ["md", "Markdown table"],
  ["json", "JSON"],
  ["parquet", "Apache Parquet"],
  ["arrows", "Apache Arrow stream"],
] as const satisfies readonly (readonly [format: string, name: Message])[];

/** A file format, by its extension. */
export type DownloadFormat = (typeof DOWNLOAD_FORMATS)[number][0];

/** Formats with one sheet: the current one. */
const ONE_SHEET: ReadonlySet<DownloadFormat> = new Set(["csv", "tsv", "html", "md", "parquet", "arrows"]);
/** Time after which a report or a file that takes long is announced. */
const ANNOUNCE_MS = 700;

/** A download that waits for a decision. */
export interface PendingDownload extends LossReport {
  readonly format: DownloadFormat;
  /** The sheet, for formats with one sheet. */
  readonly sheet: string | undefined;
}

/** The downloads of one workbook. */
export class Downloads {
  private readonly model: WorkbookModel;
  private readonly pendingSignal = createSignal<PendingDownload>();
  /** What the dialog asks about. */
  readonly pending = this.pendingSignal[0];

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** Downloads the workbook, or first asks in a dialog when the file would not have everything. */
  async start(format: DownloadFormat): Promise<void> {
    const { model } = this;
    const sheet = ONE_SHEET.has(format) ? model.sheets().find(({ id }) => id === model.sheet())?.name : undefined;
    const announcement = this.announce();
    const report = await import("./losses.ts")
      .then(({ readLosses }) => readLosses(model.room, format, sheet))
      .catch((error: unknown) => {
        // Without a report the file can still be downloaded; if the server is away, that fails aloud.
        console.warn("quadrille: the losses of a download are unknown:", error);
        return undefined;
      });
    clearTimeout(announcement);
    if (report && report.losses.length > 0) {
      this.pendingSignal[1]({ ...report, format, sheet });
      model.openDialog("download");
    } else {
      await this.save(format, sheet);
    }
  }

  /** Says that the file is being prepared, if that takes long. */
  private announce(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.model.toast(t("Preparing the download…"), false), ANNOUNCE_MS);
  }

  /** Downloads the file. A failure is shown as a toast. */
  async save(format: DownloadFormat, sheet: string | undefined): Promise<void> {
    if (format === "parquet" || format === "arrows") {
      await import("./column-download.ts").then(({ downloadColumns }) => downloadColumns(this.model, format, sheet ?? ""));
      return;
    }
    // A link would save the server's error as the file, and sends no credential.
    const announcement = this.announce();
    await download(this.model.room, exportUrl(this.model.room, format, sheet)).catch(() =>
      this.model.toast(t("The file could not be downloaded. Try again."), true),
    );
    clearTimeout(announcement);
  }
}

const downloadsOfModels = new WeakMap<WorkbookModel, Downloads>();

/** The downloads of an open workbook. */
export function downloadsOf(model: WorkbookModel): Downloads {
  const known = downloadsOfModels.get(model) ?? new Downloads(model);
  downloadsOfModels.set(model, known);
  return known;
}
