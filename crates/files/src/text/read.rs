//! A text file as one sheet.

use quadrille_workbook::Format;

use super::cell_input::Typing;
use super::delimiter::sniff;
use super::encoding::decode;
use super::records::Records;
use crate::contents::{Contents, FormatRuns};
use crate::error::FileError;
use crate::limits::{COLUMNS_MAX, ROWS_MAX};
use crate::progress::ProgressWatch;

/// `separator` is found by looking at the text when not given.
pub(crate) fn read(
    bytes: &[u8],
    sheet_name: &str,
    separator: Option<u8>,
    typing: Typing,
    watch: &mut ProgressWatch,
) -> Result<Contents, FileError> {
    let text = decode(bytes)?;
    let (separator, text) = match separator {
        Some(separator) => (separator, &*text),
        None => sniff(&text),
    };
    let mut contents = Contents::default();
    contents.add_sheet(sheet_name)?;
    let mut formats = FormatRuns::new();
    let mut records = Records::new(text, separator);
    let mut row = 0;
    while records.next_record(|column, field| {
        if field.is_last && column == 0 && field.text.is_empty() {
            return Ok(());
        }
        // Empty fields beyond the sheet (long lines of separators) are as bad as full ones: they would be lost.
        if row >= ROWS_MAX || column >= COLUMNS_MAX {
            return contents.put(row, column, quadrille_cell::Value::Blank);
        }
        let suggested = typing.put(&mut contents, row, column, &field.text)?;
        if let Some(code) = suggested
            && let Some((range, code)) = formats.put(row, column, code)
        {
            contents.put_format(range, number_format(code))?;
        }
        Ok(())
    })? {
        row += 1;
        watch.row(records.position() as u64)?;
    }
    for (range, code) in formats.finish() {
        contents.put_format(range, number_format(code))?;
    }
    Ok(contents)
}

fn number_format(code: &'static str) -> Format {
    Format { number_format: Some(code.into()), ..Format::default() }
}
