/** Sends a file to a room and reads the server's progress, one JSON line after the other. */

import { importUrl } from "../rooms/index.ts";
import { importDetails, type ImportError, importFailure, t } from "../language/index.ts";

export interface ImportProgress {
  readonly rows: number;
  /** From 0 to 1, when the server knows. */
  readonly fraction: number | undefined;
}

export interface ImportDone {
  readonly sheets: readonly string[];
  readonly warnings: readonly string[];
  /** Of all its sheets together; progress may skip the last of them. */
  readonly rows: number;
}

/** The file could not be read; the room is as it was. */
export class ImportFailed extends Error {
  /** In English, for those who made the file. */
  readonly details: string | undefined;

  constructor(message: string, details?: string) {
    super(message);
    this.details = details;
  }
}

type ImportLine =
  | { readonly progress: { readonly rows: number; readonly bytes?: number; readonly bytesTotal?: number } }
  | { readonly done: ImportDone }
  | { readonly error: ImportError };

/** Rejects with `ImportFailed`, or with an `AbortError` when `signal` ended it. */
export async function importFile(
  room: string,
  file: File,
  signal: AbortSignal,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportDone> {
  const response = await request(room, file, signal);
  for await (const line of lines(response)) {
    if ("progress" in line) {
      const { rows, bytes, bytesTotal } = line.progress;
      onProgress({ rows, fraction: bytes !== undefined && bytesTotal ? bytes / bytesTotal : undefined });
    } else if ("error" in line) {
      throw failed(line.error);
    } else {
      return line.done;
    }
  }
  throw new ImportFailed(t("The connection ended before the file was read. Nothing was changed; please try again."));
}

function failed(error: ImportError): ImportFailed {
  return new ImportFailed(importFailure(error), importDetails(error));
}

async function request(room: string, file: File, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(importUrl(room, file.name), { method: "POST", body: file, signal });
  } catch (error) {
    if (signal.aborted) {
      throw error;
    }
    throw new ImportFailed(t("The server could not be reached. Nothing was changed; please try again."));
  }
  if (!response.ok) {
    const body = (await response.json().catch(() => undefined)) as { error?: ImportError } | undefined;
    throw body?.error ? failed(body.error) : new ImportFailed(t("The server refused the file ({code}).", { code: String(response.status) }));
  }
  return response;
}

async function* lines(response: Response): AsyncGenerator<ImportLine> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (reader) {
    const { done, value } = await reader.read();
    rest += value ?? "";
    const whole = rest.split("\n");
    rest = done ? "" : (whole.pop() ?? "");
    for (const line of whole) {
      if (line.trim() !== "") {
        yield JSON.parse(line) as ImportLine;
      }
    }
    if (done) {
      return;
    }
  }
}
