/** The worker in which Parquet and Arrow files are converted, so that the page stays usable and can end it. */

import { type Converted, convertColumnFile } from "./convert.ts";
import { type ColumnFileCode, fileError } from "./column-file-error.ts";

/** The message to the worker. */
export interface ConvertRequest {
  readonly file: File;
  readonly sheetName: string;
}

/** The messages of the worker: any number with the progress, then one with the result or the error. */
export type ConvertReply =
  | { readonly progress: { readonly rows: number; readonly rowCount: number } }
  | { readonly done: Converted }
  | { readonly error: { readonly code: ColumnFileCode; readonly message: string } };

function reply(message: ConvertReply): void {
  postMessage(message);
}

addEventListener("message", ({ data: { file, sheetName } }: MessageEvent<ConvertRequest>) => {
  convertColumnFile(file, sheetName, (rows, rowCount) => reply({ progress: { rows, rowCount } })).then(
    (done) => reply({ done }),
    (error: unknown) => {
      const { code, message } = fileError(error);
      reply({ error: { code, message } });
    },
  );
});
