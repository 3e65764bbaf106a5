//! The source table of a query: its header rows, and the labels and types of its columns.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{charge_view, for_each_cell, view};
use crate::cancel::Cancel;
use crate::coerce::text;
use crate::context::CallContext;
use crate::operands::{Operand, RangeView, ValueRef};

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ColumnType {
    Number,
    Text,
    Boolean,
}

impl ColumnType {
    fn of(value: ValueRef<'_>) -> Option<ColumnType> {
        match value {
            ValueRef::Number(_) => Some(ColumnType::Number),
            ValueRef::Text(_) => Some(ColumnType::Text),
            ValueRef::Boolean(_) => Some(ColumnType::Boolean),
            ValueRef::Blank | ValueRef::Error(_) => None,
        }
    }
}

pub(super) struct Table<'a> {
    view: &'a dyn RangeView,
    /// Number of header rows.
    headers: u32,
    /// Number of data rows.
    pub rows: u32,
    pub types: Vec<ColumnType>,
    /// The header of each column; empty without header rows.
    pub labels: Vec<String>,
    /// First column of the range in the sheet, if the table is a range.
    first_column: Option<u32>,
}

impl<'a> Table<'a> {
    /// Reads a table with the given number of header rows; a negative number detects them.
    pub fn read(
        context: &mut CallContext,
        operand: &'a Operand<'_>,
        headers: i64,
    ) -> Result<Table<'a>, ErrorValue> {
        let source = view(operand)?;
        // The table is read once for the types and once for the result.
        charge_view(context, source)?;
        charge_view(context, source)?;
        let first_column = match operand {
            Operand::Range(range) => range.areas.first().map(|area| area.range.first().column.get()),
            _ => None,
        };
        let mut table =
            Table { view: source, headers: 0, rows: 0, types: Vec::new(), labels: Vec::new(), first_column };
        let used = source.used_rows();
        table.headers = match u32::try_from(headers) {
            Ok(headers) => headers.min(used),
            Err(_) => u32::from(used > 1 && table.has_headers(&context.budget.cancel)),
        };
        table.rows = used - table.headers;
        for column in 0..source.columns() {
            table.types.push(table.majority(&context.budget.cancel, column, table.headers));
            table.labels.push(table.header(column)?);
        }
        Ok(table)
    }

    /// Returns the column with a name.
    pub fn column(&self, name: &str) -> Option<u32> {
        let count = self.view.columns();
        let numbered = name
            .get(..3)
            .filter(|start| start.eq_ignore_ascii_case("col"))
            .and_then(|_| name[3..].parse().ok());
        if let Some(number) = numbered {
            let number: u32 = number;
            return (1..=count).contains(&number).then(|| number - 1);
        }
        let first = self.first_column?;
        let column = quadrille_cell::parse_column_name(name)?.get();
        column.checked_sub(first).filter(|column| *column < count)
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> u32 {
        self.view.columns()
    }

    /// Returns a cell, or blank if it does not have the type of its column. Rows do not include the
    /// headers.
    pub fn value(&self, row: u32, column: u32) -> Value {
        let value = self.view.value(row + self.headers, column);
        match ColumnType::of(ValueRef::from(&value)) {
            Some(column_type) if column_type == self.types[column as usize] => value,
            _ => Value::Blank,
        }
    }

    /// Whether the first row contains only text, and a column contains another type below.
    fn has_headers(&self, cancel: &Cancel) -> bool {
        let mut has_other = false;
        for column in 0..self.view.columns() {
            match self.view.value(0, column) {
                Value::Text(_) | Value::Blank => {}
                _ => return false,
            }
            has_other |= self.majority(cancel, column, 1) != ColumnType::Text;
        }
        has_other
    }

    /// Returns the type of most cells of a column; the first of equally frequent types, and text
    /// for blank columns.
    fn majority(&self, cancel: &Cancel, column: u32, from_row: u32) -> ColumnType {
        let mut counts = [0u32; 3];
        let _ = for_each_cell(cancel, self.view, column, &mut |row, value| {
            if let Some(column_type) = ColumnType::of(value)
                && row >= from_row
            {
                counts[column_type as usize] += 1;
            }
            Ok(())
        });
        match counts {
            [0, 0, 0] => ColumnType::Text,
            [numbers, texts, booleans] if numbers >= texts && numbers >= booleans => ColumnType::Number,
            [_, texts, booleans] if texts >= booleans => ColumnType::Text,
            _ => ColumnType::Boolean,
        }
    }

    fn header(&self, column: u32) -> Result<String, ErrorValue> {
        let mut title = String::new();
        for row in 0..self.headers {
            let part = text(&self.view.value(row, column))?;
            if !title.is_empty() && !part.is_empty() {
                title.push(' ');
            }
            title.push_str(&part);
        }
        Ok(title)
    }
}
