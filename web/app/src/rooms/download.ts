/** Downloads of files of a room: with its credential, which a plain link cannot send, and with the server's refusal. */

import { roomFetch } from "../access/index.ts";
import { saveFile } from "./save-file.ts";

/** The server refused the download. */
export class DownloadFailed extends Error {
  /** The status of the answer; `undefined` without one. */
  readonly status: number | undefined;

  constructor(status: number | undefined) {
    super(String(status));
    this.status = status;
  }
}

/** Downloads a file and saves it under the name that the server gives, or else `name`. Rejects with `DownloadFailed`. */
export async function download(room: string, url: string, name = ""): Promise<void> {
  const response = await roomFetch(room, url).catch(() => undefined);
  if (!response?.ok) {
    throw new DownloadFailed(response?.status);
  }
  saveFile(await response.blob(), fileName(response.headers.get("content-disposition") ?? "") || name);
}

/** The file name of a `Content-Disposition` header (RFC 6266); empty without one. */
export function fileName(disposition: string): string {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded);
    } catch {
      // The plain name follows.
    }
  }
  return /filename="([^"]*)"/i.exec(disposition)?.[1] ?? "";
}
