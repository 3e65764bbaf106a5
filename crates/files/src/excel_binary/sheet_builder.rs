//! The cells of a sheet in the contents of a file.

use std::collections::HashMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, Value};
use quadrille_workbook::{Format, ItemKind};

use super::formula_tokens::{Dialect, Numbered, shared_by, text};
use crate::contents::{Contents, FieldTexts, FormatRuns, FormulaSource, ItemContents, ONE_LINE_POINTS};
use crate::error::FileError;
use crate::limits::{BINARY_FORMULAS_BYTES_MAX, COLUMNS_MAX, ROWS_MAX};

/// What all sheets of a workbook have in common.
pub struct Shared {
    pub dialect: Dialect,
    /// The number formats by the numbers of cell formats; `None` for the general one.
    pub formats: Vec<Option<Arc<str>>>,
    pub numbered: Numbered,
}

/// Puts the cells of one sheet, the one added last, into the contents.
pub struct SheetBuilder<'a> {
    shared: &'a Shared,
    pub contents: &'a mut Contents,
    runs: FormatRuns<usize>,
    /// Cells whose formula is that of another cell.
    waiting: Vec<Waiting>,
    /// Tokens and the data after them, by the first cell.
    shared_formulas: HashMap<(u32, u32), (Vec<u8>, Vec<u8>)>,
    /// Array formulas of a single cell.
    arrays: HashMap<(u32, u32), (Vec<u8>, Vec<u8>)>,
    totals: &'a mut Totals,
}

/// Counts over all sheets.
#[derive(Default)]
pub struct Totals {
    /// Formulas of which only the value was read.
    pub formulas_left_out: u64,
    formula_bytes: usize,
}

struct Waiting {
    cell: CellAddress,
    first: (u32, u32),
    /// What the cell shows if the formula cannot be read.
    value: Value,
}

impl<'a> SheetBuilder<'a> {
    /// Starts with the sheet that was added to the contents last.
    pub fn new(shared: &'a Shared, contents: &'a mut Contents, totals: &'a mut Totals) -> SheetBuilder<'a> {
        SheetBuilder {
            shared,
            contents,
            runs: FormatRuns::new(),
            waiting: Vec::new(),
            shared_formulas: HashMap::new(),
            arrays: HashMap::new(),
            totals,
        }
    }

    /// Sets a value, unless it is blank.
    pub fn value(&mut self, row: u32, column: u32, value: Value) -> Result<(), FileError> {
        match value {
            Value::Blank => Ok(()),
            Value::Text(text) => self.contents.put_shared_text(row, column, &text),
            value => self.contents.put(row, column, value),
        }
    }

    /// Sets the number format of a cell by the number of its format.
    pub fn format(&mut self, row: u32, column: u32, number: usize) -> Result<(), FileError> {
        let has_format = self.shared.formats.get(number).is_some_and(Option::is_some);
        if row < ROWS_MAX
            && column < COLUMNS_MAX
            && has_format
            && let Some((range, ended)) = self.runs.put(row, column, number)
        {
            self.put_format(range, ended)?;
        }
        Ok(())
    }

    fn put_format(&mut self, range: Range, number: usize) -> Result<(), FileError> {
        let number_format = self.shared.formats[number].clone();
        self.contents.put_format(range, Format { number_format, ..Format::default() })
    }

    /// Sets a formula, or its cached value if it cannot be read.
    pub fn formula(
        &mut self,
        row: u32,
        column: u32,
        tokens: &[u8],
        extra: &[u8],
        value: Value,
    ) -> Result<(), FileError> {
        if row >= ROWS_MAX || column >= COLUMNS_MAX {
            // Fails with the limit.
            return self.contents.put(row, column, value);
        }
        let cell = CellAddress::clamped(row, column);
        if let Some(first) = shared_by(tokens, extra, self.shared.dialect) {
            self.waiting.push(Waiting { cell, first, value });
            return Ok(());
        }
        self.put_formula(cell, (tokens, extra), FormulaSource::Legacy, value)
    }

    /// Sets the formula of these tokens and the data after them, or the value if the formula cannot be
    /// read or all formulas together become too long.
    fn put_formula(
        &mut self,
        cell: CellAddress,
        (tokens, extra): (&[u8], &[u8]),
        source: fn(Box<str>) -> FormulaSource,
        value: Value,
    ) -> Result<(), FileError> {
        let (row, column) = (cell.row.get(), cell.column.get());
        if self.totals.formula_bytes <= BINARY_FORMULAS_BYTES_MAX {
            let text = text(tokens, extra, cell, self.shared.dialect, &self.shared.numbered);
            let length = text.as_ref().map_or(0, String::len);
            // Long tokens can have a short text or none, and are read again for each cell that shares them.
            self.totals.formula_bytes += length.max(tokens.len());
            if let Some(text) = text.filter(|_| self.totals.formula_bytes <= BINARY_FORMULAS_BYTES_MAX) {
                return self.contents.put_formula(row, column, source(text.into()));
            }
        }
        self.keep_value(row, column, value)
    }

    fn keep_value(&mut self, row: u32, column: u32, value: Value) -> Result<(), FileError> {
        self.totals.formulas_left_out += 1;
        self.value(row, column, value)
    }

    /// Adds the formula of several cells by its first one.
    pub fn shared_formula(&mut self, first: (u32, u32), tokens: &[u8], extra: &[u8]) {
        self.shared_formulas.insert(first, (tokens.to_vec(), extra.to_vec()));
    }

    /// Adds an array formula of one cell.
    pub fn array_formula(&mut self, cell: (u32, u32), tokens: &[u8], extra: &[u8]) {
        self.arrays.insert(cell, (tokens.to_vec(), extra.to_vec()));
    }

    /// Merges the cells of a range.
    pub fn merge(&mut self, first: (u32, u32), last: (u32, u32)) {
        if let Some(range) = Range::from_indices(first.0, first.1, last.0, last.1).filter(|_| first != last) {
            let (kind, anchors, fields) = (ItemKind::Merge, vec![range], FieldTexts::default());
            self.contents.put_item(ItemContents { kind, anchors, fields, parent: None });
        }
    }

    /// Sets the width of columns in 256ths of a character, whose digits are 7 pixels wide.
    pub fn columns(&mut self, first: u32, last: u32, width: u32, is_hidden: bool) {
        let last = last.min(COLUMNS_MAX - 1);
        let (Some(count), Some(sheet)) = ((last + 1).checked_sub(first), self.contents.sheets.last_mut())
        else {
            return;
        };
        if count == 0 {
            return;
        }
        let pixels = f64::from(width) / 256.0 * 7.0;
        if width > 0 {
            sheet.column_widths.push((first, count, pixels.round().min(f64::from(u16::MAX)) as u16));
        }
        if is_hidden {
            sheet.hidden_columns.push((first, count));
        }
    }

    /// Sets the height of a row in 20ths of a point.
    pub fn row(&mut self, row: u32, height: u16, is_custom: bool, is_hidden: bool) {
        let points = f64::from(height) / 20.0;
        let Some(sheet) = self.contents.sheets.last_mut() else { return };
        if Range::from_indices(row, 0, row, 0).is_none() {
            return;
        }
        if !is_hidden && (is_custom || points > ONE_LINE_POINTS) {
            sheet.row_heights.push((row, 1, (points * 4.0 / 3.0).round() as u16));
        }
        if is_hidden {
            sheet.hidden_rows.push((row, 1));
        }
    }

    /// Resolves formulas that cells share, and ends the sheet.
    pub fn finish(mut self) -> Result<(), FileError> {
        let shared_formulas = std::mem::take(&mut self.shared_formulas);
        let arrays = std::mem::take(&mut self.arrays);
        for Waiting { cell, first, value } in std::mem::take(&mut self.waiting) {
            if let Some((tokens, extra)) = shared_formulas.get(&first) {
                self.put_formula(cell, (tokens.as_slice(), extra.as_slice()), FormulaSource::Legacy, value)?;
            } else if let Some((tokens, extra)) = arrays.get(&first) {
                // An array formula has no implicit intersection.
                self.put_formula(cell, (tokens.as_slice(), extra.as_slice()), FormulaSource::Text, value)?;
            } else {
                self.keep_value(cell.row.get(), cell.column.get(), value)?;
            }
        }
        for (range, number) in std::mem::replace(&mut self.runs, FormatRuns::new()).finish() {
            self.put_format(range, number)?;
        }
        Ok(())
    }
}
