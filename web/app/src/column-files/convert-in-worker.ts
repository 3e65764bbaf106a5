/** Converts Parquet and Arrow files in a worker of their own. */

import { ColumnFileError } from "./column-file-error.ts";
import type { Converted } from "./convert.ts";
import type { ConvertReply, ConvertRequest } from "./convert-worker.ts";
import { t } from "../language/index.ts";
import ConvertWorker from "./convert-worker.ts?worker";

/**
 * Converts a file to a workbook. `onProgress` is told how many of all rows have been read. Rejects
 * with a `ColumnFileError`, or with the reason of `signal`, which ends the worker.
 */
export function convertInWorker(file: File, sheetName: string, signal: AbortSignal, onProgress: (rows: number, rowCount: number) => void): Promise<Converted> {
  const worker = new ConvertWorker();
  return new Promise<Converted>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    signal.throwIfAborted();
    worker.addEventListener("message", ({ data }: MessageEvent<ConvertReply>) => {
      if ("progress" in data) {
        onProgress(data.progress.rows, data.progress.rowCount);
      } else if ("error" in data) {
        reject(new ColumnFileError(data.error.code, data.error.message));
      } else {
        resolve(data.done);
      }
    });
    // Errors of the conversion are replies.
    worker.addEventListener("error", () => reject(new Error(t("This part of the page could not be loaded. Check the connection, then reload the page."))));
    worker.postMessage({ file, sheetName } satisfies ConvertRequest);
  }).finally(() => worker.terminate());
}
