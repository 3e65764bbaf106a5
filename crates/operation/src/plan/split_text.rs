//! Planning of "split text to columns".

use quadrille_cell::{CellAddress, Range};
use quadrille_workbook::{Input, Literal, Sheet};

use crate::plan::planner::{Plan, Planner};
use crate::plan::ranges::used_part;
use crate::{CellContent, CommandError};

impl Planner<'_> {
    /// Enters each part as if it were typed, without surrounding spaces. Formulas, numbers and
    /// texts without the separator do not change.
    pub fn split_text(&self, sheet: &Sheet, range: Range, separator: &str) -> Plan {
        if separator.is_empty() {
            return Err(CommandError::NoSeparator);
        }
        let first = range.first();
        let column = Range::new(first, CellAddress { row: range.last().row, column: first.column });
        let Some(used) = used_part(sheet, column) else { return Ok(vec![]) };
        let mut plan = Vec::new();
        for row in used.first().row.get()..=used.last().row.get() {
            let cell = CellAddress::clamped(row, first.column.get());
            let Input::Value(Literal::Text(text)) = sheet.input(cell) else { continue };
            if text.contains(separator) {
                let part = |part: &str| CellContent::Typed(part.trim().to_owned());
                plan.extend(self.set_cells(sheet, cell, &[text.split(separator).map(part).collect()])?);
            }
        }
        Ok(plan)
    }
}
