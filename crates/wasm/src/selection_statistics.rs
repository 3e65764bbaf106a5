//! Statistics of a selection and the number format in which they are displayed.

use quadrille_cell::{CellAddress, ColumnIndex, Range, Value};
use quadrille_document::Document;
use quadrille_workbook::{Format, Sheet, Slice};

/// Count, sum, minimum and maximum of cells. The minimum of no numbers is infinite.
pub struct SelectionStatistics {
    /// Number of cells that are not blank.
    pub filled: u64,
    /// Number of numbers.
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
    /// Adds the cells of a slice. Returns the index of the first number in the slice.
    pub fn add(&mut self, slice: Slice<'_>) -> Option<u32> {
        match slice {
            Slice::Numbers(numbers) => {
                self.filled += numbers.len() as u64;
                numbers.iter().for_each(|number| self.add_number(*number));
                (!numbers.is_empty()).then_some(0)
            }
            Slice::Mixed(mixed) => {
                let mut first = None;
                for index in 0..mixed.len() {
                    let value = mixed.get(index);
                    self.filled += u64::from(!value.is_blank());
                    if let Value::Number(number) = value {
                        self.add_number(number);
                        first = first.or(Some(index as u32)); // a slice lies within a block
                    }
                }
                first
            }
        }
    }

    fn add_number(&mut self, number: f64) {
        self.numbers += 1;
        self.sum += number;
        self.minimum = self.minimum.min(number);
        self.maximum = self.maximum.max(number);
    }
}

/// The number format for statistics of several numbers: that of the first number, or none if only
/// some of the numbers are dates or only some are times.
#[derive(Default)]
pub struct DisplayFormat {
    first: Option<Format>,
    days: u64,
    times: u64,
}

impl DisplayFormat {
    /// Counts the dates and times in the rows `first..=last` of a column.
    pub fn add_column(
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
            let mut statistics = SelectionStatistics::default();
            for (_, slice) in cells.slices(run.first().row.get(), run.last().row.get()) {
                statistics.add(slice);
            }
            *(if is_day { &mut self.days } else { &mut self.times }) += statistics.numbers;
        }
    }

    /// Adds a cell that contains a number; the format of the first such cell counts.
    pub fn add_number(&mut self, sheet: &Sheet, cell: CellAddress) {
        if self.first.is_none() {
            self.first = Some(sheet.format(cell).clone());
        }
    }

    /// The format for statistics of `numbers` numbers.
    pub fn format(&self, numbers: u64) -> Format {
        let is_none_or_all = |count: u64| count == 0 || count == numbers;
        match &self.first {
            Some(first) if is_none_or_all(self.days) && is_none_or_all(self.times) => first.clone(),
            _ => Format::default(),
        }
    }

    /// Whether a sum is meaningful: a sum of dates is not.
    pub fn has_sum(&self) -> bool {
        self.days == 0
    }
}

/// The text of a statistic in the status bar. Without a number format, thousands are separated.
pub fn displayed_number(document: &Document, number: f64, format: &Format) -> String {
    let text = document.display_value(&Value::number(number), format).text;
    if format.number_format.is_some() { text } else { with_groups(text, document.locale().group_separator()) }
}

/// Inserts a separator between thousands of the integer part.
fn with_groups(text: String, separator: char) -> String {
    let start = usize::from(text.starts_with('-'));
    let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    // A number with an exponent has one integer digit, so it is not changed.
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
