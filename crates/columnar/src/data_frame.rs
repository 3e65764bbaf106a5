//! [`DataFrame`]: the columns of a range, each with one type.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use quadrille_cell::{CellAddress, DateSystem, Range, Value};
use quadrille_number_format::NumberFormat;
use quadrille_workbook::{Sheet, Workbook};

/// Columns of the same length.
#[derive(Clone, PartialEq, Debug)]
pub struct DataFrame {
    pub columns: Vec<Column>,
    /// Number of rows, without the header.
    pub rows: usize,
}

/// A column. Names are distinct within a frame.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    pub name: String,
    pub values: ColumnValues,
}

/// The values of a column; `None` is a blank cell, or an error among values of another type.
#[derive(Clone, PartialEq, Debug)]
pub enum ColumnValues {
    Numbers(Vec<Option<f64>>),
    Booleans(Vec<Option<bool>>),
    /// Dates and times without a time zone, in milliseconds since 1970-01-01 00:00.
    Times(Vec<Option<i64>>),
    Texts(Vec<Option<String>>),
}

/// Where the names of columns come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Header {
    /// The first row of the range.
    FirstRow,
    /// There is none: the letters of the sheet's columns.
    Letters,
}

impl DataFrame {
    /// Reads the current values of a range.
    ///
    /// A column whose cells are all numbers, all booleans or all dates has this type, apart from blank cells
    /// and errors. Any other column has the displayed texts of its cells. Dates are numbers whose format shows
    /// a day, a month or a year.
    pub fn read(workbook: &Workbook, sheet: &Sheet, range: Range, header: Header) -> DataFrame {
        let mut reader =
            Reader { sheet, dates: workbook.date_system(), formats: HashMap::new(), names: HashSet::new() };
        let first_row = range.first().row.get() + u32::from(header == Header::FirstRow);
        let rows = first_row..range.last().row.get() + 1;
        let columns = range.first().column.get()..=range.last().column.get();
        let columns = columns.map(|column| {
            let address = |row| CellAddress::clamped(row, column);
            let title = match header {
                Header::FirstRow => reader.text(address(range.first().row.get())),
                Header::Letters => None,
            };
            let values = reader.column(rows.clone().map(address));
            Column { name: reader.name(title, column), values }
        });
        DataFrame { columns: columns.collect(), rows: rows.len() }
    }
}

struct Reader<'a> {
    sheet: &'a Sheet,
    dates: DateSystem,
    /// By their codes; `None` is the format General.
    formats: HashMap<Option<Arc<str>>, NumberFormat>,
    /// Names of columns that are taken.
    names: HashSet<String>,
}

impl Reader<'_> {
    /// A name that no other column has.
    fn name(&mut self, title: Option<String>, column: u32) -> String {
        let letters = || CellAddress::clamped(0, column).to_string().trim_end_matches('1').to_owned();
        let title = title.filter(|title| !title.trim().is_empty()).unwrap_or_else(letters);
        let numbered = (2..).map(|number| format!("{title}_{number}"));
        let mut names = std::iter::once(title.clone()).chain(numbered);
        names.find(|name| self.names.insert(name.clone())).expect("there are more numbers than columns")
    }

    fn column(&mut self, addresses: impl ExactSizeIterator<Item = CellAddress> + Clone) -> ColumnValues {
        let (mut numbers, mut days, mut booleans, mut texts) = (0, 0, 0, 0);
        for address in addresses.clone() {
            match self.sheet.value(address) {
                Value::Blank | Value::Error(_) => {}
                Value::Number(_) => {
                    numbers += 1;
                    days += usize::from(self.format(address).shows_day());
                }
                Value::Boolean(_) => booleans += 1,
                Value::Text(_) => texts += 1,
            }
        }
        let values = addresses.clone().map(|address| self.sheet.value(address));
        let number = |value| match value {
            Value::Number(number) => Some(number),
            _ => None,
        };
        match (numbers, booleans, texts) {
            (_, 0, 0) if numbers > 0 && days == numbers => {
                let dates = self.dates;
                ColumnValues::Times(
                    values.map(|value| number(value).and_then(|n| unix_ms(n, dates))).collect(),
                )
            }
            (_, 0, 0) => ColumnValues::Numbers(values.map(number).collect()),
            (0, _, 0) => ColumnValues::Booleans(
                values
                    .map(|value| match value {
                        Value::Boolean(boolean) => Some(boolean),
                        _ => None,
                    })
                    .collect(),
            ),
            _ => ColumnValues::Texts(addresses.map(|address| self.text(address)).collect()),
        }
    }

    /// The displayed text of a cell; `None` when it is blank.
    fn text(&mut self, address: CellAddress) -> Option<String> {
        match self.sheet.value(address) {
            Value::Blank => None,
            value => Some(self.format(address).format(&value).text),
        }
    }

    fn format(&mut self, address: CellAddress) -> &NumberFormat {
        let code = self.sheet.format(address).number_format.clone();
        let dates = self.dates;
        self.formats.entry(code).or_insert_with_key(|code| {
            NumberFormat::parse(code.as_deref().unwrap_or("General")).with_date_system(dates)
        })
    }
}

/// Serial number of 1970-01-01 in the 1900 date system.
const UNIX_EPOCH: f64 = 25_569.0;
/// Serial number of 29 February 1900, which did not exist: days before it have a number that is one too low.
const LEAP_DAY: f64 = 60.0;
const DAY_MS: f64 = 86_400_000.0;
/// 31 December 9999, the last day of spreadsheets.
const LAST: f64 = 2_958_466.0;

/// A serial number as milliseconds since 1970-01-01; `None` when it is no date.
fn unix_ms(serial: f64, dates: DateSystem) -> Option<i64> {
    let serial = serial + dates.offset_from_1900() as f64;
    if !(0.0..LAST).contains(&serial) {
        return None;
    }
    let serial = if serial < LEAP_DAY { serial + 1.0 } else { serial };
    Some(((serial - UNIX_EPOCH) * DAY_MS).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The dates are those that Excel displays.
    #[test]
    fn serial_numbers_are_dates() {
        for (serial, dates, expected) in [
            (25_569.0, DateSystem::From1900, Some(0)),
            (45_292.5, DateSystem::From1900, Some(1_704_110_400_000)), // 2024-01-01 12:00
            (1.0, DateSystem::From1900, Some(-2_208_988_800_000)),     // 1900-01-01
            (61.0, DateSystem::From1900, Some(-2_203_891_200_000)),    // 1900-03-01
            (24_107.0, DateSystem::From1904, Some(0)),
            (-1.0, DateSystem::From1900, None),
            (f64::MAX, DateSystem::From1900, None),
        ] {
            assert_eq!(unix_ms(serial, dates), expected, "{serial} {dates:?}");
        }
    }
}
