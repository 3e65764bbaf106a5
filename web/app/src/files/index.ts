export { FILE_TYPES } from "./file-types.ts";
