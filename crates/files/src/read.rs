//! Entry point of reading: selects the reader of a format.

use quadrille_number_format::InputContext;
use quadrille_workbook::Workbook;

use crate::error::{FileError, FileErrorCode};
use crate::file_format::FileFormat;
use crate::images::Images;
use crate::progress::{Progress, ProgressWatch, ShouldContinue};
use crate::text::FieldParser;
use crate::workbook_builder::build_workbook;
use crate::{json, socialcalc, text};

/// Options of [`read`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadOptions {
    /// Name of the sheet if the file does not contain one; usually the file name.
    pub sheet_name: String,
    /// Whether a field such as `=A1*2` of a text file is a formula; otherwise it is text.
    pub formulas: bool,
    /// How a text file has numbers, dates and truth values. By default as stored workbooks have them.
    pub typing: InputContext,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions { sheet_name: "Sheet1".to_owned(), formulas: true, typing: InputContext::default() }
    }
}

impl ReadOptions {
    /// Options with the sheet name derived from the file name: `data/Sales 2024.csv` gives `Sales
    /// 2024`.
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

/// The result of [`read`].
#[derive(Debug)]
pub struct Imported {
    /// The workbook; its formulas are not yet calculated.
    pub workbook: Workbook,
    /// Descriptions of contents of the file that were not imported.
    pub warnings: Vec<String>,
    /// Images that items of the workbook refer to.
    pub images: Images,
}

/// Reads a file completely or not at all. `report` is called every few thousand rows and can
/// cancel.
///
/// # Errors
///
/// Fails with [`FileErrorCode::Cancelled`] if `report` cancels, with the limit that the file
/// exceeds, or with the reason why the file is malformed or not supported.
pub fn read(
    format: FileFormat,
    bytes: &[u8],
    options: &ReadOptions,
    report: &mut dyn FnMut(Progress) -> ShouldContinue,
) -> Result<Imported, FileError> {
    let watch = &mut ProgressWatch::new(bytes.len(), report);
    let parser = FieldParser { formulas: options.formulas, typing: options.typing };
    let mut contents = match format {
        FileFormat::Csv => text::read(bytes, &options.sheet_name, None, parser, watch)?,
        FileFormat::Tsv => text::read(bytes, &options.sheet_name, Some(b'\t'), parser, watch)?,
        FileFormat::Json | FileFormat::CsvJson => {
            let parser = FieldParser { typing: InputContext::default(), ..parser };
            json::read(bytes, &options.sheet_name, parser, watch)?
        }
        FileFormat::SocialCalc => socialcalc::read(bytes, &options.sheet_name)?,
        FileFormat::Xlsx | FileFormat::Xls | FileFormat::Xlsb => read_excel(bytes, watch)?,
        FileFormat::Ods => read_ods(bytes, watch)?,
        FileFormat::Fods | FileFormat::Html | FileFormat::Markdown => {
            let reason = format!(".{} files can be written, not read", format.extension());
            return Err(FileError::new(FileErrorCode::UnknownFormat, reason));
        }
    };
    watch.report()?;
    let workbook = build_workbook(&mut contents);
    Ok(Imported { workbook, warnings: contents.warnings, images: contents.images })
}

/// Reads an Excel workbook by its content, because many have the extension of another format. A
/// workbook with a password is a compound file, whatever its extension.
#[cfg(feature = "xlsx")]
fn read_excel(bytes: &[u8], watch: &mut ProgressWatch) -> Result<crate::contents::Contents, FileError> {
    match FileFormat::from_content(bytes) {
        Some(FileFormat::Xls) => crate::excel_binary::read_xls(bytes, watch),
        Some(FileFormat::Xlsb) => crate::excel_binary::read_xlsb(bytes, watch),
        Some(FileFormat::Csv | FileFormat::Json | FileFormat::SocialCalc) => {
            let reason = "the file contains text, not an Excel workbook: give it an extension such as .csv";
            Err(FileError::new(FileErrorCode::NotAWorkbook, reason))
        }
        _ => crate::xlsx::read(bytes, watch),
    }
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
fn read_excel(_bytes: &[u8], _watch: &mut ProgressWatch) -> Result<crate::contents::Contents, FileError> {
    Err(no_xlsx())
}

#[cfg(not(feature = "xlsx"))]
pub(crate) fn no_xlsx() -> FileError {
    FileError::new(FileErrorCode::UnknownFormat, "this build does not support .xlsx and .ods")
}
