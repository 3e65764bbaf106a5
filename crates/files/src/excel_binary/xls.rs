//! Reads the workbook stream of an `.xls` file ([MS-XLS] 2.1.7): the workbook's records, then those
//! of each sheet at the position that the workbook names.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::Value;
use quadrille_workbook::Field;

use super::byte_reader::ByteReader;
use super::compound_file::CompoundFile;
use super::formula_tokens::{Book, Dialect, Numbered, Target, error_of, text};
use super::sheet_builder::{Shared, SheetBuilder, Totals};
use super::{put_names, shared_strings, warn_about_losses};
use crate::contents::Contents;
use crate::error::{FileError, FileErrorCode};
use crate::limits::SHEETS_MAX;
use crate::progress::ProgressWatch;
use crate::xlsx::number_format;

/// The version of BIFF8 in the record that begins a stream.
const BIFF8: u16 = 0x0600;

mod record {
    pub const FORMULA: u16 = 0x0006;
    pub const END: u16 = 0x000a;
    pub const EXTERN_SHEET: u16 = 0x0017;
    pub const NAME: u16 = 0x0018;
    pub const DATE_MODE: u16 = 0x0022;
    pub const EXTERN_NAME: u16 = 0x0023;
    pub const FILE_PASS: u16 = 0x002f;
    pub const CONTINUE: u16 = 0x003c;
    pub const COLUMN_INFO: u16 = 0x007d;
    pub const BOUND_SHEET: u16 = 0x0085;
    pub const MULTIPLE_RK: u16 = 0x00bd;
    pub const FORMAT_OF_CELL: u16 = 0x00e0;
    pub const MERGED_CELLS: u16 = 0x00e5;
    pub const SHARED_STRINGS: u16 = 0x00fc;
    pub const LABEL_OF_STRINGS: u16 = 0x00fd;
    pub const SUP_BOOK: u16 = 0x01ae;
    pub const NUMBER: u16 = 0x0203;
    pub const LABEL: u16 = 0x0204;
    pub const BOOLEAN_OR_ERROR: u16 = 0x0205;
    pub const STRING: u16 = 0x0207;
    pub const ROW: u16 = 0x0208;
    pub const ARRAY: u16 = 0x0221;
    pub const RK: u16 = 0x027e;
    pub const NUMBER_FORMAT: u16 = 0x041e;
    pub const SHARED_FORMULA: u16 = 0x04bc;
    pub const BEGIN: u16 = 0x0809;
}

/// A sheet as the workbook lists it.
struct Listed {
    name: String,
    position: usize,
    is_hidden: bool,
    is_worksheet: bool,
}

/// A defined name before all sheets are known.
struct Definition {
    name: String,
    /// Number of the sheet that the name belongs to, from 1; 0 for names of the workbook.
    sheet: usize,
    tokens: Vec<u8>,
    extra: Vec<u8>,
    is_left_out: bool,
}

/// Reads an `.xls` file. Fails with `Encrypted`, `NotAWorkbook`, `BadArchive` or a limit.
pub(crate) fn read(bytes: &[u8], watch: &mut ProgressWatch) -> Result<Contents, FileError> {
    let file = CompoundFile::open(bytes)?;
    if file.has("EncryptedPackage") {
        return Err(encrypted());
    }
    let Some(stream) = file.stream("Workbook")? else {
        let reason = match file.has("Book") {
            true => "a workbook of Excel 95 or older: save it as .xlsx",
            false => "not an Excel workbook",
        };
        return Err(FileError::new(FileErrorCode::NotAWorkbook, reason));
    };
    let mut contents = Contents::default();
    let globals = Globals::read(&stream, &mut contents)?;
    let mut totals = Totals::default();
    let mut read_before = 0;
    for listed in &globals.sheets {
        if !listed.is_worksheet {
            contents.warn(format!("left out: {}, which is not a worksheet", listed.name));
            continue;
        }
        contents.add_sheet(&*listed.name)?;
        let in_sheet = |error: FileError| FileError {
            reason: format!("sheet {}: {}", listed.name, error.reason),
            ..error
        };
        let records = Records { rest: stream.get(listed.position..).unwrap_or_default() };
        let builder = SheetBuilder::new(&globals.shared, &mut contents, &mut totals);
        read_before += read_sheet(records, &globals.strings, builder, watch).map_err(in_sheet)?;
        // Sheets have records of their own; a file in which many sheets are at one place is not read.
        if read_before > stream.len() {
            return Err(FileError::new(
                FileErrorCode::BadArchive,
                "the workbook is damaged: its sheets overlap",
            ));
        }
        if let Some(sheet) = contents.sheets.last_mut() {
            sheet.settings.flag(Field::Hidden, Some(listed.is_hidden), false);
        }
    }
    if contents.sheets.is_empty() {
        return Err(FileError::new(FileErrorCode::NotAWorkbook, "the workbook has no worksheet"));
    }
    warn_about_losses("xls", file.has("_VBA_PROJECT_CUR"), totals.formulas_left_out, &mut contents);
    Ok(contents)
}

fn encrypted() -> FileError {
    FileError::new(FileErrorCode::Encrypted, "the workbook is encrypted: save it without a password")
}

/// A record with the records that continue it.
struct Record<'a> {
    kind: u16,
    data: &'a [u8],
    continued: Vec<&'a [u8]>,
}

struct Records<'a> {
    rest: &'a [u8],
}

impl<'a> Records<'a> {
    /// The type and the data of the next record; `None` at the end and where a record is cut off.
    fn single(&self) -> Option<(u16, &'a [u8], &'a [u8])> {
        let mut reader = ByteReader(self.rest);
        let (kind, length) = (reader.u16()?, reader.u16()?);
        Some((kind, reader.take(length.into())?, reader.0))
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let (kind, data, rest) = self.single()?;
        self.rest = rest;
        let mut continued = Vec::new();
        while let Some((record::CONTINUE, more, rest)) = self.single() {
            continued.push(more);
            self.rest = rest;
        }
        Some(Record { kind, data, continued })
    }
}

/// What the workbook's own records say.
struct Globals {
    sheets: Vec<Listed>,
    strings: Vec<Arc<str>>,
    shared: Shared,
}

impl Globals {
    fn read(stream: &[u8], contents: &mut Contents) -> Result<Globals, FileError> {
        let mut globals = Globals {
            sheets: Vec::new(),
            strings: Vec::new(),
            shared: Shared { dialect: Dialect::Biff8, formats: Vec::new(), numbered: Numbered::default() },
        };
        let mut number_formats: BTreeMap<u32, String> = BTreeMap::new();
        let mut format_numbers: Vec<u16> = Vec::new();
        let mut definitions: Vec<Definition> = Vec::new();
        for (index, Record { kind, data, continued }) in (Records { rest: stream }).enumerate() {
            let mut data = ByteReader(data);
            if index == 0 && (kind != record::BEGIN || data.u16() != Some(BIFF8)) {
                let reason = "a workbook of Excel 95 or older: save it as .xlsx";
                return Err(FileError::new(FileErrorCode::NotAWorkbook, reason));
            }
            match kind {
                record::FILE_PASS => return Err(encrypted()),
                record::DATE_MODE => {
                    contents.settings.flag(Field::Date1904, Some(data.u16() == Some(1)), false);
                }
                record::NUMBER_FORMAT => {
                    let format = data.u16().zip(data.u16());
                    if let Some((number, count)) = format
                        && let Some(code) = data.flagged_text(count.into())
                    {
                        number_formats.insert(number.into(), code);
                    }
                }
                record::FORMAT_OF_CELL => {
                    format_numbers.push(data.take(2).and_then(|_| data.u16()).unwrap_or(0));
                }
                record::BOUND_SHEET => {
                    if globals.sheets.len() >= SHEETS_MAX {
                        let reason = format!("more than {SHEETS_MAX} sheets");
                        return Err(FileError::new(FileErrorCode::TooManySheets, reason));
                    }
                    globals.sheets.extend(listed(data));
                }
                record::SHARED_STRINGS => {
                    let segments: Vec<&[u8]> = std::iter::once(data.0).chain(continued).collect();
                    globals.strings = shared_strings::read(&segments);
                }
                record::SUP_BOOK => globals.shared.numbered.books.push(match data.take(2).and(data.u16()) {
                    Some(0x0401) => Book::This,
                    Some(0x3a01) => Book::AddIn(Vec::new()),
                    _ => Book::Other,
                }),
                record::EXTERN_NAME => {
                    if let Some(Book::AddIn(names)) = globals.shared.numbered.books.last_mut() {
                        let name = data.take(6).and_then(|_| data.u8());
                        let name = name.and_then(|count| data.flagged_text(count.into()));
                        names.push(name.unwrap_or_default());
                    }
                }
                record::EXTERN_SHEET => {
                    let all = [&[data.0], &*continued].concat().concat();
                    let mut all = ByteReader(all.get(2..).unwrap_or_default());
                    while let (Some(book), Some(first), Some(last)) = (all.u16(), all.u16(), all.u16()) {
                        let [first, last] = [first, last].map(|number| i32::from(number.cast_signed()));
                        globals.shared.numbered.targets.push(Target { book: book.into(), first, last });
                    }
                }
                record::NAME => definitions.extend(definition(data)),
                record::END => break,
                _ => {}
            }
        }
        let numbers = format_numbers.into_iter();
        globals.shared.formats =
            numbers.map(|number| number_format(&number_formats, number.into())).collect();
        let numbered = &mut globals.shared.numbered;
        numbered.sheets = globals.sheets.iter().map(|listed| listed.name.clone()).collect();
        numbered.names = definitions.iter().map(|definition| definition.name.clone()).collect();
        let texts = definitions.into_iter().filter(|definition| !definition.is_left_out).map(|definition| {
            let Definition { name, sheet, tokens, extra, .. } = definition;
            let text = text(&tokens, &extra, Default::default(), Dialect::Biff8, numbered);
            let scope = match sheet {
                0 => None,
                sheet => Some(numbered.sheets.get(sheet - 1).cloned().unwrap_or_default()),
            };
            (name, scope, text)
        });
        put_names(texts, contents);
        Ok(globals)
    }
}

fn listed(mut data: ByteReader) -> Option<Listed> {
    let (position, state, kind) = (data.u32()?, data.u8()?, data.u8()?);
    let count = data.u8()?;
    let name = data.flagged_text(count.into())?;
    Some(Listed { name, position: position as usize, is_hidden: state & 3 != 0, is_worksheet: kind == 0 })
}

/// A defined name. Those of Excel itself, such as the print area, and of macros are left out, but
/// have their number.
fn definition(mut data: ByteReader) -> Option<Definition> {
    let flags = data.u16()?;
    data.u8()?;
    let (count, length) = (data.u8()?, data.u16()?);
    data.u16()?;
    let sheet = data.u16()?.into();
    data.u32()?;
    let name = data.flagged_text(count.into())?;
    let tokens = data.take(length.into())?.to_vec();
    // Hidden names, and bits 1 to 3 and 5: functions, macros and names of Excel.
    Some(Definition { name, sheet, tokens, extra: data.0.to_vec(), is_left_out: flags & 0x2f != 0 })
}

/// Reads the records of a sheet. Returns their bytes.
fn read_sheet(
    records: Records,
    strings: &[Arc<str>],
    mut builder: SheetBuilder,
    watch: &mut ProgressWatch,
) -> Result<usize, FileError> {
    let mut bytes = 0;
    let mut last_row = None;
    // Charts within the sheet have records of their own between a beginning and an end.
    let mut depth = 0;
    // A formula whose text follows in a record of its own.
    let mut text_follows: Option<(Cell, ByteReader)> = None;
    for Record { kind, data, continued } in records {
        bytes += 4 + data.len() + continued.iter().map(|more| 4 + more.len()).sum::<usize>();
        match kind {
            record::BEGIN => depth += 1,
            record::END if depth <= 1 => break,
            record::END => depth -= 1,
            _ => {}
        }
        if depth > 1 {
            continue;
        }
        let mut data = ByteReader(data);
        match kind {
            record::STRING => {
                let text = data.u16().and_then(|count| continued_text(data, count.into(), &continued));
                if let Some((cell, formula)) = text_follows.take() {
                    put_formula(&mut builder, cell, formula, Value::text(text.unwrap_or_default()))?;
                }
                continue;
            }
            // These are between a formula and its text.
            record::SHARED_FORMULA => {
                if let (Some(first), Some((tokens, extra))) = (first_of_range(data), after_range(data, 2)) {
                    builder.shared_formula(first.0, tokens, extra);
                }
                continue;
            }
            record::ARRAY => {
                if let (Some((first, last)), Some((tokens, extra))) =
                    (first_of_range(data), after_range(data, 6))
                    && first == last
                {
                    builder.array_formula(first, tokens, extra);
                }
                continue;
            }
            _ => {}
        }
        // The text is missing.
        if let Some((cell, formula)) = text_follows.take() {
            put_formula(&mut builder, cell, formula, Value::Blank)?;
        }
        match kind {
            record::MERGED_CELLS => {
                data.u16();
                while let (Some(first_row), Some(last_row), Some(first_column), Some(last_column)) =
                    (data.u16(), data.u16(), data.u16(), data.u16())
                {
                    builder.merge(
                        (first_row.into(), first_column.into()),
                        (last_row.into(), last_column.into()),
                    );
                }
                continue;
            }
            record::COLUMN_INFO => {
                if let (Some(first), Some(last), Some(width), Some(_), Some(flags)) =
                    (data.u16(), data.u16(), data.u16(), data.u16(), data.u16())
                {
                    builder.columns(first.into(), last.into(), width.into(), flags & 1 != 0);
                }
                continue;
            }
            record::ROW => {
                if let (Some(row), Some(_), Some(height), Some(_), Some(flags)) =
                    (data.u16(), data.u32(), data.u16(), data.u32(), data.u16())
                {
                    // Bit 15 of the height: the default one.
                    let is_custom = flags & 0x40 != 0 && height & 0x8000 == 0;
                    builder.row(row.into(), height & 0x7fff, is_custom, flags & 0x20 != 0);
                }
                continue;
            }
            record::FORMULA
            | record::MULTIPLE_RK
            | record::LABEL_OF_STRINGS
            | record::NUMBER
            | record::LABEL
            | record::BOOLEAN_OR_ERROR
            | record::RK => {}
            _ => continue,
        }
        let (Some(row), Some(column)) = (data.u16(), data.u16()) else { continue };
        if last_row.replace(row) != Some(row) {
            watch.row(bytes as u64)?;
        }
        let (row, mut column) = (u32::from(row), u32::from(column));
        if kind == record::MULTIPLE_RK {
            // Formats and numbers of consecutive cells, then the last column.
            while data.0.len() >= 6
                && let (Some(format), Some(number)) = (data.u16(), data.rk())
            {
                builder.value(row, column, Value::number(number))?;
                builder.format(row, column, format.into())?;
                column += 1;
            }
            continue;
        }
        let Some(format) = data.u16() else { continue };
        let value = match kind {
            record::NUMBER => data.f64().map(Value::number),
            record::RK => data.rk().map(Value::number),
            record::LABEL_OF_STRINGS => {
                let text = data.u32().and_then(|index| strings.get(index as usize));
                text.filter(|text| !text.is_empty()).cloned().map(Value::Text)
            }
            record::LABEL => data.u16().and_then(|count| data.flagged_text(count.into())).map(Value::text),
            record::BOOLEAN_OR_ERROR => match (data.u8(), data.u8()) {
                (Some(boolean), Some(0)) => Some(Value::Boolean(boolean != 0)),
                (Some(error), Some(_)) => error_of(error).map(Value::Error),
                _ => None,
            },
            _ => {
                let Some(result) = data.take(8) else { continue };
                let cell = (row, column);
                // Flags and a number that Excel uses.
                data.take(6);
                match cached_value(result) {
                    Some(value) => put_formula(&mut builder, cell, data, value)?,
                    None => text_follows = Some((cell, data)),
                }
                None
            }
        };
        if let Some(value) = value {
            builder.value(row, column, value)?;
        }
        builder.format(row, column, format.into())?;
    }
    if let Some((cell, formula)) = text_follows {
        put_formula(&mut builder, cell, formula, Value::Blank)?;
    }
    builder.finish()?;
    Ok(bytes)
}

type Cell = (u32, u32);

/// Sets the formula whose length, tokens and further data are next.
fn put_formula(
    builder: &mut SheetBuilder,
    (row, column): Cell,
    mut formula: ByteReader,
    value: Value,
) -> Result<(), FileError> {
    let tokens = formula.u16().and_then(|length| formula.take(length.into()));
    builder.formula(row, column, tokens.unwrap_or_default(), formula.0, value)
}

/// The result that is stored with a formula; `None` for a text, which follows.
fn cached_value(result: &[u8]) -> Option<Value> {
    if result[6..] != [0xff, 0xff] {
        return Some(ByteReader(result).f64().map_or(Value::Blank, Value::number));
    }
    match result[0] {
        0 => None,
        1 => Some(Value::Boolean(result[2] != 0)),
        2 => Some(error_of(result[2]).map_or(Value::Blank, Value::Error)),
        _ => Some(Value::text("")),
    }
}

/// The first and the last cell of the range that a record begins with.
fn first_of_range(mut data: ByteReader) -> Option<(Cell, Cell)> {
    let (first_row, last_row, first_column, last_column) = (data.u16()?, data.u16()?, data.u8()?, data.u8()?);
    Some(((first_row.into(), first_column.into()), (last_row.into(), last_column.into())))
}

/// The tokens and the data after them that follow a range and `skipped` bytes.
fn after_range(mut data: ByteReader<'_>, skipped: usize) -> Option<(&[u8], &[u8])> {
    data.take(6 + skipped)?;
    let length = data.u16()?;
    let tokens = data.take(length.into())?;
    Some((tokens, data.0))
}

/// A text of `count` characters that may go on in further records, which begin with their own flags.
fn continued_text<'a>(mut data: ByteReader<'a>, count: usize, continued: &[&'a [u8]]) -> Option<String> {
    let mut text = String::new();
    let mut left = count;
    let mut more = continued.iter();
    loop {
        let is_utf16 = data.u8()? & 1 != 0;
        let here = if is_utf16 { data.0.len() / 2 } else { data.0.len() }.min(left);
        text.push_str(&data.text(here, is_utf16)?);
        left -= here;
        if left == 0 {
            return Some(text);
        }
        data = ByteReader(more.next()?);
    }
}
