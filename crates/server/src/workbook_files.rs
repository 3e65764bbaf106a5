//! Files of `quadrille-files` for the server and the command line: reading, and writing with computed values.

use quadrille_cell::SheetId;
use quadrille_document::Document;
use quadrille_files::{
    FileError, FileFormat, Images, Imported, Numbers, Proceed, Progress, ReadOptions, WriteOptions,
};
use quadrille_workbook::Workbook;

use crate::limits;

/// Reads a file; `proceed` hears of progress and can stop it.
pub fn read(
    format: FileFormat,
    bytes: &[u8],
    file_name: &str,
    proceed: &mut dyn FnMut(Progress) -> bool,
) -> Result<Imported, FileError> {
    let mut report = |progress| if proceed(progress) { Proceed::Continue } else { Proceed::Cancel };
    quadrille_files::read(format, bytes, &ReadOptions::for_file(file_name), &mut report)
}

/// How values are written.
#[derive(Clone, Copy, Default)]
pub struct Wanted {
    pub sheet: Option<SheetId>,
    /// Numbers in full instead of as shown.
    pub raw: bool,
    /// Text files that no spreadsheet program takes for formulas.
    pub formula_safe: bool,
}

pub fn write(
    workbook: &Workbook,
    format: FileFormat,
    wanted: Wanted,
    images: &Images,
) -> Result<Vec<u8>, FileError> {
    let numbers = if wanted.raw { Numbers::Raw } else { Numbers::AsShown };
    let options = WriteOptions { sheet: wanted.sheet, numbers, formula_safe: wanted.formula_safe };
    quadrille_files::write_with_images(workbook, format, &options, images)
}

/// The workbook with every formula computed.
pub fn computed(workbook: Workbook) -> Workbook {
    let mut document = Document::from_workbook(workbook);
    while !document.evaluate(limits::EVALUATION_STEPS).finished {}
    document.snapshot()
}

/// True when nothing was ever put into the workbook.
pub fn is_empty(workbook: &Workbook) -> bool {
    workbook.sheets().iter().all(|sheet| sheet.used_range().is_none()) && workbook.names().next().is_none()
}
