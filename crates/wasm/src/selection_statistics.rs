//! What the numbers of some cells come to, and how that is shown.

use quadrille_cell::{CellAddress, ColumnIndex, Range, Value};
use quadrille_document::Document;
use quadrille_workbook::{Format, Sheet, Slice};

pub struct SelectionStatistics {
    pub filled: u64,
    pub numbers: u64,
    pub sum: f64,
    pub minimum: f64,
    pub maximum: f64,
}

impl Default for SelectionStatistics {
    fn default() -> SelectionStatistics {
        SelectionStatistics {
            filled: 0,
            numbers: 0,
            sum: 0.0,
            minimum: f64::INFINITY,
            maximum: f64::NEG_INFINITY,
        }
    }
}

impl SelectionStatistics {
    /// Where in the slice the first number stands.
    pub fn take(&mut self, slice: Slice<'_>) -> Option<u32> {
        match slice {
            Slice::Numbers(numbers) => {
                self.filled += numbers.len() as u64;
                numbers.iter().for_each(|number| self.take_number(*number));
                (!numbers.is_empty()).then_some(0)
            }
            Slice::Mixed(mixed) => {
                let mut first = None;
                for index in 0..mixed.len() {
                    let value = mixed.get(index);
                    self.filled += u64::from(!value.is_blank());
                    if let Value::Number(number) = value {
                        self.take_number(number);
                        first = first.or(Some(index as u32)); // a slice lies within a block
                    }
                }
                first
            }
        }
    }

    fn take_number(&mut self, number: f64) {
        self.numbers += 1;
        self.sum += number;
        self.minimum = self.minimum.min(number);
        self.maximum = self.maximum.max(number);
    }
}

/// How figures of several numbers are shown: as the first of them, unless only some are days, or times.
#[derive(Default)]
pub struct DisplayFormat {
    first: Option<Format>,
    days: u64,
    times: u64,
}

impl DisplayFormat {
    /// Counts the days and times in the rows `first..=last` of a column.
    pub fn take(
        &mut self,
        document: &Document,
        sheet: &Sheet,
        column: ColumnIndex,
        (first, last): (u32, u32),
    ) {
        if first > last {
            return;
        }
        let (Some(cells), Some(rows)) =
            (sheet.column(column), Range::from_indices(first, column.get(), last, column.get()))
        else {
            return;
        };
        for (run, format) in sheet.format_runs(rows) {
            let (is_day, is_date) = (document.shows_day(format), document.shows_date(format));
            if !is_date {
                continue;
            }
            let mut figures = SelectionStatistics::default();
            for (_, slice) in cells.slices(run.first().row.get(), run.last().row.get()) {
                figures.take(slice);
            }
            *(if is_day { &mut self.days } else { &mut self.times }) += figures.numbers;
        }
    }

    /// A cell that holds a number, in the order in which they are read.
    pub fn take_number(&mut self, sheet: &Sheet, cell: CellAddress) {
        if self.first.is_none() {
            self.first = Some(sheet.format(cell).clone());
        }
    }

    /// Of figures of so many numbers.
    pub fn format(&self, numbers: u64) -> Format {
        let is_one_kind = |count: u64| count == 0 || count == numbers;
        match &self.first {
            Some(first) if is_one_kind(self.days) && is_one_kind(self.times) => first.clone(),
            _ => Format::default(),
        }
    }

    /// Days add up to nothing.
    pub fn adds_up(&self) -> bool {
        self.days == 0
    }
}

/// A figure below the sheet. Where no number format says how, its thousands are apart: it is read on its own, not beside others in a column.
pub fn displayed_number(document: &Document, number: f64, format: &Format) -> String {
    let text = document.display_value(&Value::number(number), format).text;
    if format.number_format.is_some() { text } else { with_groups(text, document.locale().group_separator()) }
}

fn with_groups(text: String, separator: char) -> String {
    let start = usize::from(text.starts_with('-'));
    let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    // What has an exponent has one whole digit.
    let mut grouped = text[..start].to_owned();
    for (index, digit) in text[start..start + digits].chars().enumerate() {
        if index > 0 && (digits - index).is_multiple_of(3) {
            grouped.push(separator);
        }
        grouped.push(digit);
    }
    grouped.push_str(&text[start + digits..]);
    grouped
}
