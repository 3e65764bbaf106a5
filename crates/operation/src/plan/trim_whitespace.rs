//! Planning of "trim whitespace".

use quadrille_cell::{CellAddress, Range};
use quadrille_workbook::{Input, Literal, Sheet, Slice};

use crate::Operation;
use crate::plan::planner::{Plan, Planner};

impl Planner<'_> {
    /// Trims the texts of the range. A trimmed text stays a text even if it reads as a number; a
    /// text of only spaces becomes blank.
    pub fn trim_whitespace(&self, sheet: &Sheet, range: Range) -> Plan {
        let cells = untrimmed(sheet, range);
        // One operation per run of adjacent cells of a column. If these are more than a transaction
        // may have, cells between the runs are rewritten unchanged.
        let mut plan = runs(sheet, &cells, 0);
        for gap in [16, 1_024, u32::MAX] {
            if plan.len() <= self.limits.operations_per_transaction {
                break;
            }
            plan = runs(sheet, &cells, gap);
        }
        Ok(plan)
    }
}

/// Returns how many cells of the ranges the command changes.
pub fn untrimmed_cells(sheet: &Sheet, ranges: &[Range]) -> usize {
    let count = |(index, range): (usize, &Range)| {
        let is_new =
            |(cell, _): &(CellAddress, String)| !ranges[..index].iter().any(|range| range.contains(*cell));
        untrimmed(sheet, *range).iter().filter(|found| is_new(found)).count()
    };
    ranges.iter().enumerate().map(count).sum()
}

/// Returns the cells to change with their new texts, column by column. Results of formulas are not
/// changed.
fn untrimmed(sheet: &Sheet, range: Range) -> Vec<(CellAddress, String)> {
    let mut found = Vec::new();
    for (column, cells) in sheet.columns_in(range) {
        for (first, slice) in cells.slices(range.first().row.get(), range.last().row.get()) {
            let Slice::Mixed(mixed) = slice else { continue };
            for (row, index) in (first..).zip(0..mixed.len()) {
                let Some(trimmed) = mixed.text(index).and_then(|text| trimmed(text)) else { continue };
                if matches!(cells.input(row), Input::Value(Literal::Text(_))) {
                    found.push((CellAddress::clamped(row, column.get()), trimmed));
                }
            }
        }
    }
    found
}

fn runs(sheet: &Sheet, cells: &[(CellAddress, String)], gap_max: u32) -> Vec<Operation> {
    let mut plan: Vec<Operation> = Vec::new();
    for (cell, text) in cells {
        let input = match text.as_str() {
            "" => Input::Blank,
            text => Input::Value(Literal::Text(text.into())),
        };
        if let Some(Operation::SetCells { range, inputs, .. }) = plan.last_mut()
            && range.last().column == cell.column
            && cell.row.get() - range.last().row.get() - 1 <= gap_max
        {
            let between = range.last().row.get() + 1..cell.row.get();
            inputs.extend(between.map(|row| sheet.input(CellAddress::clamped(row, cell.column.get()))));
            inputs.push(input);
            *range = range.union(Range::cell(*cell));
        } else {
            plan.push(Operation::SetCells {
                sheet: sheet.id(),
                range: Range::cell(*cell),
                inputs: vec![input],
            });
        }
    }
    plan
}

/// Trims each line of a text and replaces several spaces between words by one; `None` if nothing
/// changes.
fn trimmed(text: &str) -> Option<String> {
    let mut trimmed = String::new();
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            trimmed.push('\n');
        }
        let mut spaces = String::new();
        let mut is_begun = false;
        for character in line.chars() {
            if character.is_whitespace() {
                spaces.push(character);
                continue;
            }
            if is_begun {
                // A single no-break space is kept.
                trimmed.push_str(if spaces.chars().count() > 1 { " " } else { &spaces });
            }
            spaces.clear();
            is_begun = true;
            trimmed.push(character);
        }
    }
    (trimmed != text).then_some(trimmed)
}
