/**
 * Import of files, and downloads. `ImportDialog.tsx` is loaded with the first import,
 * `DownloadDialog.tsx` with the first download that loses something.
 */

export { DOWNLOAD_FORMATS, downloadsOf } from "./downloads.ts";
export { FILE_TYPES } from "./file-types.ts";
