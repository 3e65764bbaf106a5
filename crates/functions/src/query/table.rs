//! The table a query asks: where its rows start, what its columns are called and what they hold.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{charge_view, for_each_cell, view};
use crate::cancel::Cancel;
use crate::coerce::text;
use crate::context::CallContext;
use crate::operands::{Operand, RangeView, ValueRef};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Number,
    Text,
    Boolean,
}

impl Kind {
    fn of(value: ValueRef<'_>) -> Option<Kind> {
        match value {
            ValueRef::Number(_) => Some(Kind::Number),
            ValueRef::Text(_) => Some(Kind::Text),
            ValueRef::Boolean(_) => Some(Kind::Boolean),
            ValueRef::Blank | ValueRef::Error(_) => None,
        }
    }
}

pub(super) struct Table<'a> {
    view: &'a dyn RangeView,
    /// Rows above the data.
    headers: u32,
    /// Rows of data.
    pub rows: u32,
    pub kinds: Vec<Kind>,
    /// What stands above each column, or nothing.
    pub labels: Vec<String>,
    /// The column of the sheet that the table starts in, when it is a range.
    first_column: Option<u32>,
}

impl<'a> Table<'a> {
    /// `headers`: how many rows of the table are titles; negative to find out.
    pub fn read(
        context: &mut CallContext,
        operand: &'a Operand<'_>,
        headers: i64,
    ) -> Result<Table<'a>, ErrorValue> {
        let source = view(operand)?;
        // Read to find the kinds and again to answer.
        charge_view(context, source)?;
        charge_view(context, source)?;
        let first_column = match operand {
            Operand::Range(range) => range.areas.first().map(|area| area.range.first().column.get()),
            _ => None,
        };
        let mut table =
            Table { view: source, headers: 0, rows: 0, kinds: Vec::new(), labels: Vec::new(), first_column };
        let used = source.used_rows();
        table.headers = match u32::try_from(headers) {
            Ok(headers) => headers.min(used),
            Err(_) => u32::from(used > 1 && table.has_titles(&context.budget.cancel)),
        };
        table.rows = used - table.headers;
        for column in 0..source.columns() {
            table.kinds.push(table.majority(&context.budget.cancel, column, table.headers));
            table.labels.push(table.title(column)?);
        }
        Ok(table)
    }

    /// The column that a name stands for.
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

    pub fn columns(&self) -> u32 {
        self.view.columns()
    }

    /// A cell, blank when it is not of its column's kind. Rows are counted below the titles.
    pub fn value(&self, row: u32, column: u32) -> Value {
        let value = self.view.value(row + self.headers, column);
        match Kind::of(ValueRef::from(&value)) {
            Some(kind) if kind == self.kinds[column as usize] => value,
            _ => Value::Blank,
        }
    }

    /// Whether the first row only holds texts and some column holds something else below.
    fn has_titles(&self, cancel: &Cancel) -> bool {
        let mut has_other = false;
        for column in 0..self.view.columns() {
            match self.view.value(0, column) {
                Value::Text(_) | Value::Blank => {}
                _ => return false,
            }
            has_other |= self.majority(cancel, column, 1) != Kind::Text;
        }
        has_other
    }

    /// The kind that most cells of a column have; of equal counts the first, and text when there are none.
    fn majority(&self, cancel: &Cancel, column: u32, from_row: u32) -> Kind {
        let mut counts = [0u32; 3];
        let _ = for_each_cell(cancel, self.view, column, &mut |row, value| {
            if let Some(kind) = Kind::of(value)
                && row >= from_row
            {
                counts[kind as usize] += 1;
            }
            Ok(())
        });
        match counts {
            [0, 0, 0] => Kind::Text,
            [numbers, texts, booleans] if numbers >= texts && numbers >= booleans => Kind::Number,
            [_, texts, booleans] if texts >= booleans => Kind::Text,
            _ => Kind::Boolean,
        }
    }

    fn title(&self, column: u32) -> Result<String, ErrorValue> {
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
