/** Import of files. `ImportDialog.tsx` is loaded with the first import. */

export { FILE_TYPES } from "./file-types.ts";
