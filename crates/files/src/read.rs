//! Choosing the reader.

use quadrille_workbook::Workbook;

use crate::error::{FileError, FileErrorCode};
use crate::file_format::FileFormat;
use crate::images::Images;
use crate::progress::{Progress, ProgressWatch, ShouldContinue};
use crate::text::Typing;
use crate::workbook_builder::assemble;
use crate::{json, socialcalc, text};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadOptions {
    /// Name of the sheet when the file does not name it; usually the file's own.
    pub sheet_name: String,
    /// Whether `=A1*2` in a text file is a formula or a text.
    pub formulas: bool,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions { sheet_name: "Sheet1".to_owned(), formulas: true }
    }
}

impl ReadOptions {
    /// Names the sheet after the file: `data/Sales 2024.csv` gives `Sales 2024`.
    pub fn for_file(file_name: &str) -> ReadOptions {
        let base = file_name.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
        let name: String =
            stem.chars().map(|c| if "[]:*?/\\".contains(c) { ' ' } else { c }).take(31).collect();
        match name.trim() {
            "" => ReadOptions::default(),
            name => ReadOptions { sheet_name: name.to_owned(), ..ReadOptions::default() },
        }
    }
}

#[derive(Debug)]
pub struct Imported {
    /// Values and formulas; the formulas are not computed yet.
    pub workbook: Workbook,
    /// What the file holds and the workbook does not, in words.
    pub warnings: Vec<String>,
    /// Images that items of the workbook show.
    pub images: Images,
}

/// Reads a whole file or nothing. `report` is called every few thousand rows and can cancel.
pub fn read(
    format: FileFormat,
    bytes: &[u8],
    options: &ReadOptions,
    report: &mut dyn FnMut(Progress) -> ShouldContinue,
) -> Result<Imported, FileError> {
    let watch = &mut ProgressWatch::new(bytes.len(), report);
    let typing = Typing { formulas: options.formulas };
    let mut contents = match format {
        FileFormat::Csv => text::read(bytes, &options.sheet_name, None, typing, watch)?,
        FileFormat::Tsv => text::read(bytes, &options.sheet_name, Some(b'\t'), typing, watch)?,
        FileFormat::Json | FileFormat::CsvJson => json::read(bytes, &options.sheet_name, typing, watch)?,
        FileFormat::SocialCalc => socialcalc::read(bytes, &options.sheet_name)?,
        FileFormat::Xlsx => read_xlsx(bytes, watch)?,
        FileFormat::Ods => read_ods(bytes, watch)?,
        FileFormat::Html | FileFormat::Markdown => {
            let reason = format!(".{} files can be written, not read", format.extension());
            return Err(FileError::new(FileErrorCode::UnknownFormat, reason));
        }
    };
    watch.ask()?;
    let workbook = assemble(&mut contents);
    Ok(Imported { workbook, warnings: contents.warnings, images: contents.images })
}

#[cfg(feature = "xlsx")]
fn read_xlsx(bytes: &[u8], watch: &mut ProgressWatch) -> Result<crate::contents::Contents, FileError> {
    crate::xlsx::read(bytes, watch)
}

#[cfg(feature = "xlsx")]
fn read_ods(bytes: &[u8], watch: &mut ProgressWatch) -> Result<crate::contents::Contents, FileError> {
    crate::ods::read(bytes, watch)
}

#[cfg(not(feature = "xlsx"))]
fn read_ods(_bytes: &[u8], _watch: &mut ProgressWatch) -> Result<crate::contents::Contents, FileError> {
    Err(no_xlsx())
}

#[cfg(not(feature = "xlsx"))]
fn read_xlsx(_bytes: &[u8], _watch: &mut ProgressWatch) -> Result<crate::contents::Contents, FileError> {
    Err(no_xlsx())
}

#[cfg(not(feature = "xlsx"))]
pub(crate) fn no_xlsx() -> FileError {
    FileError::new(FileErrorCode::UnknownFormat, "this build does not know .xlsx and .ods")
}
