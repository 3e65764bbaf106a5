//! Reads the parts of an `.xlsb` file ([MS-XLSB] 2.1.7) from its archive.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::Value;
use quadrille_workbook::Field;

use super::byte_reader::ByteReader;
use super::formula_tokens::{Book, Dialect, Numbered, Target, error_of, text};
use super::sheet_builder::{Shared, SheetBuilder, Totals};
use super::{put_names, warn_about_losses};
use crate::contents::Contents;
use crate::document_title;
use crate::error::{FileError, FileErrorCode};
use crate::file_format::XLSB_WORKBOOK;
use crate::limits::{CELLS_MAX, SHEETS_MAX, XLSB_PART_BYTES_MAX};
use crate::progress::ProgressWatch;
use crate::xlsx::archive::Archive;
use crate::xlsx::{links_of, number_format};

mod record {
    pub const ROW: u32 = 0;
    pub const CELL_RK: u32 = 2;
    pub const CELL_ERROR: u32 = 3;
    pub const CELL_BOOLEAN: u32 = 4;
    pub const CELL_NUMBER: u32 = 5;
    pub const CELL_TEXT: u32 = 6;
    pub const CELL_SHARED_STRING: u32 = 7;
    pub const FORMULA_TEXT: u32 = 8;
    pub const FORMULA_NUMBER: u32 = 9;
    pub const FORMULA_BOOLEAN: u32 = 10;
    pub const FORMULA_ERROR: u32 = 11;
    pub const SHARED_STRING: u32 = 19;
    pub const NAME: u32 = 39;
    pub const NUMBER_FORMAT: u32 = 44;
    pub const FORMAT_OF_CELL: u32 = 47;
    pub const COLUMN_INFO: u32 = 60;
    pub const CELL_RICH_TEXT: u32 = 62;
    pub const WORKBOOK_PROPERTIES: u32 = 153;
    pub const BUNDLED_SHEET: u32 = 156;
    pub const MERGED_CELLS: u32 = 176;
    pub const SUP_BOOK: u32 = 355;
    pub const SUP_SELF: u32 = 357;
    pub const SUP_SAME: u32 = 358;
    pub const EXTERN_SHEET: u32 = 362;
    pub const ARRAY_FORMULA: u32 = 426;
    pub const SHARED_FORMULA: u32 = 427;
    pub const BEGIN_CELL_FORMATS: u32 = 617;
    pub const END_CELL_FORMATS: u32 = 618;
    pub const SUP_ADD_IN: u32 = 667;
}

/// A sheet as the workbook lists it.
struct Listed {
    name: String,
    /// The number of its relationship.
    link: String,
    is_hidden: bool,
}

/// Reads an `.xlsb` file. Fails with `NotAWorkbook`, `BadArchive` or a limit.
pub(crate) fn read(bytes: &[u8], watch: &mut ProgressWatch) -> Result<Contents, FileError> {
    let mut archive = Archive::open(bytes)?;
    let mut contents = Contents::default();
    let missing = || FileError::new(FileErrorCode::NotAWorkbook, "the archive has no workbook");
    let workbook = part(&mut archive, XLSB_WORKBOOK)?.ok_or_else(missing)?;
    let links = links_of(&mut archive, XLSB_WORKBOOK)?;
    let target = |kind: &str| links.iter().find(|link| link.kind == kind).map(|link| link.target.clone());
    let mut book = read_workbook(&workbook, &mut contents)?;
    if let Some(styles) = target("styles") {
        book.shared.formats = read_formats(&part(&mut archive, &styles)?.unwrap_or_default());
    }
    let strings = match target("sharedStrings") {
        Some(strings) => read_strings(&part(&mut archive, &strings)?.unwrap_or_default())?,
        None => Vec::new(),
    };
    document_title::read(&mut archive, "docProps/core.xml", &mut contents);
    let mut totals = Totals::default();
    let mut bytes_before = 0;
    for listed in &book.sheets {
        let link = links.iter().find(|link| link.id == listed.link && link.kind == "worksheet");
        let Some(link) = link else {
            contents.warn(format!("left out: {}, which is not a worksheet", listed.name));
            continue;
        };
        let Some(records) = part(&mut archive, &link.target)? else {
            let reason = format!("the sheet {} is listed, but its part is missing", listed.name);
            return Err(FileError::new(FileErrorCode::NotAWorkbook, reason));
        };
        contents.add_sheet(&*listed.name)?;
        let in_sheet = |error: FileError| FileError {
            reason: format!("sheet {}: {}", listed.name, error.reason),
            ..error
        };
        let builder = SheetBuilder::new(&book.shared, &mut contents, &mut totals);
        read_sheet(Records { rest: &records }, &strings, builder, watch, bytes_before).map_err(in_sheet)?;
        bytes_before += records.len() as u64;
        if let Some(sheet) = contents.sheets.last_mut() {
            sheet.settings.flag(Field::Hidden, Some(listed.is_hidden), false);
        }
    }
    if contents.sheets.is_empty() {
        return Err(FileError::new(FileErrorCode::NotAWorkbook, "the workbook has no worksheet"));
    }
    let has_macros = links.iter().any(|link| link.kind == "vbaProject");
    warn_about_losses("xlsb", has_macros, totals.formulas_left_out, &mut contents);
    Ok(contents)
}

fn part(archive: &mut Archive, name: &str) -> Result<Option<Vec<u8>>, FileError> {
    if !archive.has(name) {
        return Ok(None);
    }
    let reason = || format!("{name} expands to more than {} MiB", XLSB_PART_BYTES_MAX >> 20);
    match archive.bytes(name, XLSB_PART_BYTES_MAX)? {
        Some(bytes) => Ok(Some(bytes)),
        None => Err(FileError::new(FileErrorCode::ArchiveLimits, reason())),
    }
}

/// Types and data of records, to the end or to where one is cut off.
struct Records<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Records<'a> {
    type Item = (u32, ByteReader<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let mut reader = ByteReader(self.rest);
        let kind = variable(&mut reader, 2)?;
        let length = variable(&mut reader, 4)?;
        let data = reader.take(length as usize)?;
        self.rest = reader.0;
        Some((kind, ByteReader(data)))
    }
}

/// A number in groups of 7 bits, lowest first; bit 7 says that another byte follows.
fn variable(reader: &mut ByteReader, bytes_max: u32) -> Option<u32> {
    let mut number = 0;
    for index in 0..bytes_max {
        let byte = reader.u8()?;
        number |= u32::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some(number)
}

/// What the workbook part says.
struct Workbook {
    sheets: Vec<Listed>,
    shared: Shared,
}

fn read_workbook(bytes: &[u8], contents: &mut Contents) -> Result<Workbook, FileError> {
    let mut sheets: Vec<Listed> = Vec::new();
    let mut numbered = Numbered::default();
    let mut definitions = Vec::new();
    for (kind, mut data) in (Records { rest: bytes }) {
        match kind {
            record::WORKBOOK_PROPERTIES => {
                let flags = data.u32().unwrap_or(0);
                contents.settings.flag(Field::Date1904, Some(flags & 1 != 0), false);
            }
            record::BUNDLED_SHEET => {
                if sheets.len() >= SHEETS_MAX {
                    let reason = format!("more than {SHEETS_MAX} sheets");
                    return Err(FileError::new(FileErrorCode::TooManySheets, reason));
                }
                if let (Some(state), Some(_), Some(link), Some(name)) =
                    (data.u32(), data.u32(), data.wide_text(), data.wide_text())
                {
                    sheets.push(Listed { name, link, is_hidden: state != 0 });
                }
            }
            record::SUP_SELF | record::SUP_SAME => numbered.books.push(Book::This),
            record::SUP_BOOK => numbered.books.push(Book::Other),
            record::SUP_ADD_IN => numbered.books.push(Book::AddIn(Vec::new())),
            record::EXTERN_SHEET => {
                data.u32();
                while let (Some(book), Some(first), Some(last)) = (data.u32(), data.u32(), data.u32()) {
                    let [first, last] = [first, last].map(u32::cast_signed);
                    numbered.targets.push(Target { book: book as usize, first, last });
                }
            }
            record::NAME => definitions.extend(definition(data)),
            _ => {}
        }
    }
    numbered.sheets = sheets.iter().map(|listed| listed.name.clone()).collect();
    numbered.names = definitions.iter().map(|definition| definition.name.clone()).collect();
    let texts = definitions.iter().filter(|definition| !definition.is_left_out).map(|definition| {
        let Definition { name, sheet, tokens, extra, .. } = definition;
        let scope = sheet.map(|sheet| numbered.sheets.get(sheet).cloned().unwrap_or_default());
        (name.clone(), scope, text(tokens, extra, Default::default(), Dialect::Biff12, &numbered))
    });
    put_names(texts, contents);
    Ok(Workbook { sheets, shared: Shared { dialect: Dialect::Biff12, formats: Vec::new(), numbered } })
}

/// A defined name before all sheets are known.
struct Definition<'a> {
    name: String,
    /// Index of the sheet that the name belongs to.
    sheet: Option<usize>,
    tokens: &'a [u8],
    extra: &'a [u8],
    is_left_out: bool,
}

fn definition(mut data: ByteReader<'_>) -> Option<Definition<'_>> {
    let flags = data.u32()?;
    data.u8()?;
    let sheet = data.u32()?;
    let name = data.wide_text()?;
    let (tokens, extra) = tokens(&mut data)?;
    // Hidden names, and bits 1 to 3 and 5: functions, macros and names of Excel.
    let is_left_out = flags & 0x2f != 0 || name.starts_with("_xlnm.");
    Some(Definition {
        name,
        sheet: (sheet != u32::MAX).then_some(sheet as usize),
        tokens,
        extra,
        is_left_out,
    })
}

/// The tokens of a formula and the data after them, each with its length.
fn tokens<'a>(data: &mut ByteReader<'a>) -> Option<(&'a [u8], &'a [u8])> {
    let length = data.u32()?;
    let tokens = data.take(length as usize)?;
    let extra = data.u32().and_then(|length| data.take(length as usize));
    Some((tokens, extra.unwrap_or_default()))
}

fn read_formats(bytes: &[u8]) -> Vec<Option<Arc<str>>> {
    let mut number_formats: BTreeMap<u32, String> = BTreeMap::new();
    let mut formats = Vec::new();
    let mut is_of_cells = false;
    for (kind, mut data) in (Records { rest: bytes }) {
        match kind {
            record::NUMBER_FORMAT => {
                if let (Some(number), Some(code)) = (data.u16(), data.wide_text()) {
                    number_formats.insert(number.into(), code);
                }
            }
            record::BEGIN_CELL_FORMATS => is_of_cells = true,
            record::END_CELL_FORMATS => break,
            record::FORMAT_OF_CELL if is_of_cells => {
                let number = data.u16().and_then(|_| data.u16()).unwrap_or(0);
                formats.push(number_format(&number_formats, number.into()));
            }
            _ => {}
        }
    }
    formats
}

fn read_strings(bytes: &[u8]) -> Result<Vec<Arc<str>>, FileError> {
    let mut strings = Vec::new();
    for (kind, mut data) in (Records { rest: bytes }) {
        if kind == record::SHARED_STRING {
            if strings.len() as u64 >= CELLS_MAX {
                let reason = format!("more than {CELLS_MAX} shared strings");
                return Err(FileError::new(FileErrorCode::TooManyCells, reason));
            }
            strings.push(Arc::from(data.u8().and_then(|_| data.wide_text()).unwrap_or_default()));
        }
    }
    Ok(strings)
}

fn read_sheet(
    records: Records,
    strings: &[Arc<str>],
    mut builder: SheetBuilder,
    watch: &mut ProgressWatch,
    bytes_before: u64,
) -> Result<(), FileError> {
    let mut row = 0;
    let mut bytes = bytes_before;
    for (kind, mut data) in records {
        bytes += data.0.len() as u64;
        match kind {
            record::ROW => {
                let Some(next) = data.u32() else { continue };
                row = next;
                watch.row(bytes)?;
                if let (Some(_), Some(height), Some(_), Some(flags)) =
                    (data.u32(), data.u16(), data.u8(), data.u8())
                {
                    builder.row(row, height, flags & 0x20 != 0, flags & 0x10 != 0);
                }
            }
            record::COLUMN_INFO => {
                if let (Some(first), Some(last), Some(width), Some(_), Some(flags)) =
                    (data.u32(), data.u32(), data.u32(), data.u32(), data.u16())
                {
                    builder.columns(first, last, width, flags & 1 != 0);
                }
            }
            record::MERGED_CELLS => {
                if let Some((first, last)) = range(&mut data) {
                    builder.merge(first, last);
                }
            }
            record::SHARED_FORMULA => {
                if let Some((first, _)) = range(&mut data)
                    && let Some((tokens, extra)) = tokens(&mut data)
                {
                    builder.shared_formula(first, tokens, extra);
                }
            }
            record::ARRAY_FORMULA => {
                if let Some((first, last)) = range(&mut data)
                    && first == last
                    && data.u8().is_some()
                    && let Some((tokens, extra)) = tokens(&mut data)
                {
                    builder.array_formula(first, tokens, extra);
                }
            }
            record::CELL_RK..=record::FORMULA_ERROR | record::CELL_RICH_TEXT => {
                let (Some(column), Some(format)) = (data.u32(), data.u32()) else { continue };
                let value = value(kind, &mut data, strings).unwrap_or(Value::Blank);
                if matches!(kind, record::FORMULA_TEXT..=record::FORMULA_ERROR) {
                    let formula = data.u16().and_then(|_| tokens(&mut data));
                    let (tokens, extra) = formula.unwrap_or_default();
                    builder.formula(row, column, tokens, extra, value)?;
                } else {
                    builder.value(row, column, value)?;
                }
                // The upper byte has flags.
                builder.format(row, column, (format & 0x00ff_ffff) as usize)?;
            }
            _ => {}
        }
    }
    builder.finish()
}

/// The value of a cell, or the cached value of its formula.
fn value(kind: u32, data: &mut ByteReader, strings: &[Arc<str>]) -> Option<Value> {
    Some(match kind {
        record::CELL_RK => Value::number(data.rk()?),
        record::CELL_ERROR | record::FORMULA_ERROR => Value::Error(error_of(data.u8()?)?),
        record::CELL_BOOLEAN | record::FORMULA_BOOLEAN => Value::Boolean(data.u8()? != 0),
        record::CELL_NUMBER | record::FORMULA_NUMBER => Value::number(data.f64()?),
        record::CELL_TEXT | record::FORMULA_TEXT => Value::text(data.wide_text()?),
        record::CELL_SHARED_STRING => match strings.get(data.u32()? as usize)? {
            text if text.is_empty() => return None,
            text => Value::Text(text.clone()),
        },
        record::CELL_RICH_TEXT => {
            data.u8()?;
            Value::text(data.wide_text()?)
        }
        _ => return None,
    })
}

type Cell = (u32, u32);

/// The first and the last cell of a range.
fn range(data: &mut ByteReader) -> Option<(Cell, Cell)> {
    let (first_row, last_row, first_column, last_column) =
        (data.u32()?, data.u32()?, data.u32()?, data.u32()?);
    Some(((first_row, first_column), (last_row, last_column)))
}
