//! Reads a text file as one sheet.

use quadrille_number_format::InputContext;
use quadrille_workbook::Format;

use super::cell_input::FieldParser;
use super::delimiter::sniff;
use super::encoding::decode;
use super::records::Records;
use crate::contents::{Contents, FormatRuns};
use crate::error::FileError;
use crate::limits::{COLUMNS_MAX, ROWS_MAX};
use crate::progress::ProgressWatch;

/// Reads a text file. If `separator` is `None`, it is detected.
pub(crate) fn read(
    bytes: &[u8],
    sheet_name: &str,
    separator: Option<u8>,
    parser: FieldParser,
    watch: &mut ProgressWatch,
) -> Result<Contents, FileError> {
    let text = decode(bytes)?;
    let (separator, text) = match separator {
        Some(separator) => (separator, &*text),
        None => sniff(&text),
    };
    let mut parser = parser;
    if separator == b',' && parser.typing.locale.decimal_separator() == ',' {
        // Where the comma is the decimal separator, such files have semicolons; this one is of another locale.
        parser.typing = InputContext::default();
    }
    let mut contents = Contents::default();
    contents.add_sheet(sheet_name)?;
    let mut formats = FormatRuns::new();
    let mut records = Records::new(text, separator);
    let mut row = 0;
    while records.next_record(|column, field| {
        if field.is_last && column == 0 && field.text.is_empty() {
            return Ok(());
        }
        // Empty fields beyond the limits count too: `put` fails with the limit.
        if row >= ROWS_MAX || column >= COLUMNS_MAX {
            return contents.put(row, column, quadrille_cell::Value::Blank);
        }
        let suggested = parser.put(&mut contents, row, column, &field.text)?;
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
