export { columnLabel, COLUMNS_NAMED_MAX, headersOf } from "./column-headers.ts";
