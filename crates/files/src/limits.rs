//! Limits of files. They protect the import itself; rooms have limits of their own.

pub use quadrille_cell::{COLUMNS_MAX, ROWS_MAX};

/// Cells of a table of texts (CSV, TSV, HTML, Markdown), from A1 to the last used row and column.
pub const TABLE_CELLS_MAX: u64 = 50_000_000;
/// Bytes of such a file while it is written.
pub const TABLE_BYTES_MAX: usize = 1 << 30;
/// Cells with content in one file; also the limit of one transaction in a room.
pub const CELLS_MAX: u64 = 5_000_000;
/// Characters of one text cell, as in Excel.
pub const TEXT_LENGTH_MAX: usize = 32_767;
/// Bytes of one formula, as in Excel; also the limit of the formula parser.
pub const FORMULA_LENGTH_MAX: usize = 8_192;
/// Sheets of one workbook.
pub const SHEETS_MAX: usize = 256;
/// Defined names of one workbook.
pub const NAMES_MAX: usize = 10_000;
/// Other workbooks to which the formulas of one workbook refer.
pub const OTHER_WORKBOOKS_MAX: usize = 1_000;
/// Items of one sheet: conditional formats, notes, merged ranges and others.
pub const ITEMS_MAX: usize = 20_000;
/// Ranges with a format in one file.
pub const FORMAT_RANGES_MAX: usize = 500_000;
/// Texts of one sheet of which parts have fonts of their own.
pub const RICH_TEXTS_MAX: usize = 20_000;
/// Parts of one text with fonts of their own; also the limit of a room.
pub const TEXT_RUNS_MAX: usize = 1_000;
/// Blank cells with a format, and locked cells, that a SocialCalc save contains one by one. Of the
/// formats beyond, only those of cells within the used range are written.
pub const SAVE_BLANKS_MAX: u64 = 200_000;

/// Places that a report of losses names for each kind and sheet; further ones are counted.
pub const LOSS_PLACES_MAX: usize = 20;
/// Ranges of one place that a report of losses names.
pub const LOSS_RANGES_MAX: usize = 4;

/// Bytes of one image; also the limit of a room.
pub const IMAGE_BYTES_MAX: usize = 5 << 20;
/// Bytes of all images in one file; also the limit of a room.
pub const IMAGES_BYTES_MAX: usize = 100 << 20;

/// Shapes of an `.xlsx` file that are read. Each is stored like an image.
pub const SHAPES_MAX: usize = 1_000;
/// Bytes of a shape in memory while it is read.
pub const SHAPE_BYTES_MAX: usize = 8 * IMAGE_BYTES_MAX;

/// Width and height in pixels of a shape before it is turned.
pub const SHAPE_SIDE_PIXELS_MAX: f64 = 10_000.0;

/// Slicers and timelines of an `.xlsx` file that are read or written, and caches of them.
pub const SLICERS_MAX: usize = 1_000;

/// Parts of an imported `.xlsx` file that nothing here displays and that are kept for the next export.
pub const PACKAGE_PARTS_MAX: usize = 1_000;
/// Bytes of these parts together, expanded; the archive of them is stored like an image.
pub const PACKAGE_PARTS_BYTES_MAX: usize = IMAGE_BYTES_MAX;

/// Parts of an archive. A large workbook of 256 sheets has about 1,500.
pub const ARCHIVE_ENTRIES_MAX: u64 = 10_000;
/// Expanded bytes of all parts together.
pub const ARCHIVE_EXPANDED_MAX: u64 = 1 << 30;
/// Ratio of expanded to compressed bytes of one part. Real sheets stay below 60; DEFLATE cannot
/// exceed 1,032.
pub const ARCHIVE_RATIO_MAX: u64 = 200;
/// Parts below this size may have any ratio, because 1 MiB does no harm.
pub const ARCHIVE_RATIO_FREE: u64 = 1 << 20;
/// Expanded bytes of one part of an `.xlsb` file, which is read as a whole.
pub const XLSB_PART_BYTES_MAX: usize = 256 << 20;
/// Bytes of all formulas of an `.xls` or `.xlsb` file, of each its text or its tokens, whichever is
/// longer: a small file can share a long formula between many cells.
pub const BINARY_FORMULAS_BYTES_MAX: usize = 256 << 20;
/// Nesting depth of XML elements and JSON values.
pub const DEPTH_MAX: usize = 64;

/// Named cell styles of one file, other than "Normal".
pub const CELL_STYLES_MAX: usize = 1_000;

/// Rows between two reports of progress, at which the caller can cancel.
pub const ROWS_PER_REPORT: u32 = 4_096;
