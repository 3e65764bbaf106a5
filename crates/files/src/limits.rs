//! What a file may hold. A room is told of its own limits elsewhere; these protect the reading itself.

pub use quadrille_cell::{COLUMNS_MAX, ROWS_MAX};

/// Cells with content in one file: what one transaction may bring into a room.
pub const CELLS_MAX: u64 = 5_000_000;
/// Characters of one text cell, as in Excel.
pub const TEXT_LENGTH_MAX: usize = 32_767;
/// Bytes of one formula, as in Excel and as our parser takes.
pub const FORMULA_LENGTH_MAX: usize = 8_192;
/// Sheets of one workbook.
pub const SHEETS_MAX: usize = 256;
/// Defined names of one workbook.
pub const NAMES_MAX: usize = 10_000;
/// Rules, notes, merged cells and the like of one sheet.
pub const ITEMS_MAX: usize = 20_000;
/// Ranges with a format of their own, in one file.
pub const FORMAT_RANGES_MAX: usize = 500_000;

/// Bytes of one image, and of all in one file: what a room keeps.
pub const IMAGE_BYTES_MAX: usize = 5 << 20;
pub const IMAGES_BYTES_MAX: usize = 100 << 20;

/// Parts of an archive. A large workbook of 256 sheets has about 1,500.
pub const ARCHIVE_ENTRIES_MAX: u64 = 10_000;
/// Bytes of all parts together, expanded.
pub const ARCHIVE_EXPANDED_MAX: u64 = 1 << 30;
/// Expanded to packed bytes of one part. Real sheets stay below 60; DEFLATE cannot exceed 1,032.
pub const ARCHIVE_RATIO_MAX: u64 = 200;
/// Parts below this size may have any ratio: 1 MiB hurts nobody.
pub const ARCHIVE_RATIO_FREE: u64 = 1 << 20;
/// Levels of nested elements or values in XML and JSON.
pub const DEPTH_MAX: usize = 64;

/// Rows between two reports of progress, and so between two questions whether to go on.
pub const ROWS_PER_REPORT: u32 = 4_096;
