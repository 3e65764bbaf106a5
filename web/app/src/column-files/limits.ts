/** Limits of Parquet and Arrow files (docs/files.md, "Limits"). */

/** Bytes of an Arrow file, which is read as a whole. */
export const ARROW_BYTES_MAX = 512 << 20;
/** Expanded bytes of the compressed parts of a file that are in memory at one time. */
export const EXPANDED_BYTES_MAX = 1 << 30;
/** Rows times columns of a table, with empty cells: all of a row group are in memory at one time. */
export const POSITIONS_MAX = 50_000_000;
/** Values of a column in a row group, with the items of its lists, and of a dictionary. */
export const VALUES_MAX = 32_000_000;
/** Cells with content of a file (`CELLS_MAX` of the server), with the names of the columns. */
export const CELLS_MAX = 5_000_000;
/** Bytes of a worksheet in XML: the server's limit of expanded bytes of a workbook, less the other parts. */
export const WORKSHEET_BYTES_MAX = (1 << 30) - (1 << 20);
