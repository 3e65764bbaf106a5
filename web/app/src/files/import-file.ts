/**
 * Uploads a file for import; one with columns is converted before. The server reports progress as JSON, one
 * object per line.
 */

import { changeTexts, ColumnFileError, convertInWorker, isColumnFile } from "../column-files/index.ts";
import { FILE_TYPES } from "./file-types.ts";
import { roomFetch } from "../access/index.ts";
import { importUrl } from "../rooms/index.ts";
import { importDetails, type ImportError, importFailure, importWarnings, language, t } from "../language/index.ts";
import { localeTag } from "../settings/index.ts";

/** Progress of an import. */
export interface ImportProgress {
  /** Whether the client still reads the file, and has sent nothing. */
  readonly isReading: boolean;
  readonly rows: number;
  /** Progress from 0 to 1, if the server knows it. */
  readonly fraction: number | undefined;
}

/** Result of an import. */
export interface ImportDone {
  readonly sheets: readonly string[];
  /** In the language of the page. */
  readonly warnings: readonly string[];
  /** Number of rows of all sheets; the last progress report may be lower. */
  readonly rows: number;
}

/** The file could not be imported; the room is unchanged. */
export class ImportFailed extends Error {
  /** Technical details in English. */
  readonly details: string | undefined;

  constructor(message: string, details?: string) {
    super(message);
    this.details = details;
  }
}

type ImportLine =
  | { readonly progress: { readonly rows: number; readonly bytes?: number; readonly bytesTotal?: number } }
  /** The warnings are in English. */
  | { readonly done: ImportDone }
  | { readonly error: ImportError };

/**
 * Imports a file. Rejects with `ImportFailed`, or with an `AbortError` after `signal` is aborted.
 */
export async function importFile(
  room: string,
  file: File,
  signal: AbortSignal,
  onProgress: (progress: ImportProgress | undefined) => void,
): Promise<ImportDone> {
  if (!(await isColumnFile(file, FILE_TYPES))) {
    return upload(room, file, signal, onProgress);
  }
  const name = file.name.replace(/\.\w+$/, "");
  const report = (rows: number, rowCount: number): void => onProgress({ isReading: true, rows, fraction: rows / rowCount });
  const { workbook, changes } = await convertInWorker(file, sheetName(name), signal, report).catch((error: unknown) => {
    throw error instanceof ColumnFileError ? importError(error) : error;
  });
  onProgress(undefined);
  const done = await upload(room, new File([workbook], `${name}.xlsx`), signal, onProgress);
  return { ...done, warnings: [...changeTexts(changes), ...done.warnings] };
}

/** The name of a sheet for a file, as the server chooses it. */
function sheetName(name: string): string {
  return [...name.replace(/[[\]:*?/\\]/g, " ")].slice(0, 31).join("").trim() || "Sheet1";
}

async function upload(room: string, file: File, signal: AbortSignal, onProgress: (progress: ImportProgress) => void): Promise<ImportDone> {
  const response = await request(room, file, signal);
  for await (const line of lines(response)) {
    if ("progress" in line) {
      const { rows, bytes, bytesTotal } = line.progress;
      onProgress({ isReading: false, rows, fraction: bytes !== undefined && bytesTotal ? bytes / bytesTotal : undefined });
    } else if ("error" in line) {
      throw importError(line.error);
    } else {
      return { ...line.done, warnings: importWarnings(line.done.warnings) };
    }
  }
  throw new ImportFailed(t("The connection was lost before the file was imported. Nothing was changed. Try again."));
}

function importError(error: ImportError): ImportFailed {
  return new ImportFailed(importFailure(error), importDetails(error));
}

async function request(room: string, file: File, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await roomFetch(room, importUrl(room, file.name, localeTag(language(), navigator.languages)), { method: "POST", body: file, signal });
  } catch (error) {
    if (signal.aborted) {
      throw error;
    }
    throw new ImportFailed(t("The server could not be reached. Nothing was changed. Try again."));
  }
  if (!response.ok) {
    const body = (await response.json().catch(() => undefined)) as { error?: ImportError } | undefined;
    throw body?.error ? importError(body.error) : new ImportFailed(t("The server rejected the file ({code}).", { code: String(response.status) }));
  }
  return response;
}

async function* lines(response: Response): AsyncGenerator<ImportLine> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  while (reader) {
    const { done, value } = await reader.read();
    buffer += value ?? "";
    const complete = buffer.split("\n");
    buffer = done ? "" : (complete.pop() ?? "");
    for (const line of complete) {
      if (line.trim() !== "") {
        yield JSON.parse(line) as ImportLine;
      }
    }
    if (done) {
      return;
    }
  }
}
