//! Entry point of writing: selects the writer of a format.

use quadrille_cell::SheetId;
use quadrille_workbook::{Sheet, Workbook};

use crate::error::{FileError, FileErrorCode};
use crate::file_format::FileFormat;
use crate::filtered_rows::FilteredRows;
use crate::images::Images;
use crate::write_options::WriteOptions;
use crate::{html, json, markdown, socialcalc, text};

/// Returns the bytes of a file without images. The formulas must have been calculated. Fails with
/// `CannotWrite`, `TooManyCells` for a table of texts beyond its limits, or `UnknownFormat` if the build does
/// not support the format.
pub fn write(workbook: &Workbook, format: FileFormat, options: &WriteOptions) -> Result<Vec<u8>, FileError> {
    write_with_images(workbook, format, options, &Images::new())
}

/// [`write()`] with images, which formats with [`has_images`](FileFormat::has_images) contain.
pub fn write_with_images(
    workbook: &Workbook,
    format: FileFormat,
    options: &WriteOptions,
    images: &Images,
) -> Result<Vec<u8>, FileError> {
    write_with_filtered_rows(workbook, format, options, images, &FilteredRows::new())
}

/// [`write_with_images`] with the rows that filters hide, which `.xlsx` files contain if
/// [`has_filtered_rows`](crate::has_filtered_rows) returns `true`.
pub fn write_with_filtered_rows(
    workbook: &Workbook,
    format: FileFormat,
    options: &WriteOptions,
    images: &Images,
    filtered: &FilteredRows,
) -> Result<Vec<u8>, FileError> {
    let (sheet, dates) = (selected_sheet(workbook, options.sheet), workbook.date_system());
    let text = match format {
        FileFormat::Csv => text::write_delimited(sheet, dates, ',', options)?,
        FileFormat::Tsv => text::write_delimited(sheet, dates, '\t', options)?,
        FileFormat::CsvJson => text::write_rows_json(sheet, dates, options)?,
        FileFormat::Json => json::write(workbook),
        FileFormat::Html => html::write(sheet, dates, options)?,
        FileFormat::Markdown => markdown::write(sheet, dates, options)?,
        FileFormat::SocialCalc => socialcalc::write(workbook, sheet),
        FileFormat::Xlsx => return write_xlsx(workbook, images, filtered),
        FileFormat::Ods => return write_ods(workbook, images),
        FileFormat::Fods => return write_fods(workbook, images),
        FileFormat::Xls | FileFormat::Xlsb => {
            let reason = format!(".{} files can be read, not written", format.extension());
            return Err(FileError::new(FileErrorCode::UnknownFormat, reason));
        }
    };
    Ok(text.into_bytes())
}

#[cfg(feature = "xlsx")]
fn write_xlsx(workbook: &Workbook, images: &Images, filtered: &FilteredRows) -> Result<Vec<u8>, FileError> {
    crate::xlsx::write(workbook, images, filtered)
}

#[cfg(feature = "xlsx")]
fn write_ods(workbook: &Workbook, images: &Images) -> Result<Vec<u8>, FileError> {
    crate::ods::write(workbook, images)
}

#[cfg(feature = "xlsx")]
fn write_fods(workbook: &Workbook, images: &Images) -> Result<Vec<u8>, FileError> {
    Ok(crate::ods::write_flat(workbook, images).into_bytes())
}

#[cfg(not(feature = "xlsx"))]
fn write_fods(_workbook: &Workbook, _images: &Images) -> Result<Vec<u8>, FileError> {
    Err(crate::read::no_xlsx())
}

#[cfg(not(feature = "xlsx"))]
fn write_ods(_workbook: &Workbook, _images: &Images) -> Result<Vec<u8>, FileError> {
    Err(crate::read::no_xlsx())
}

#[cfg(not(feature = "xlsx"))]
fn write_xlsx(
    _workbook: &Workbook,
    _images: &Images,
    _filtered: &FilteredRows,
) -> Result<Vec<u8>, FileError> {
    Err(crate::read::no_xlsx())
}

/// The sheet with this id, or the first sheet.
pub(crate) fn selected_sheet(workbook: &Workbook, sheet: Option<SheetId>) -> &Sheet {
    sheet.and_then(|id| workbook.sheet(id)).unwrap_or(&workbook.sheets()[0])
}
