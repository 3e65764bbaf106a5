//! INDEX: a cell, row or column of a range or array. Described in ECMA-376 part 1, 18.17.7, and
//! Excel's help.

use quadrille_cell::{Array, ErrorValue, Value};

use super::xlookup::subrange;
use crate::arguments::{OperandResult, optional, optional_integer, single, view};
use crate::coerce::integer;
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::{Operand, RangeOperand, RangeView};

pub(crate) const FUNCTIONS: &[Function] = &[Function::whole(
    "INDEX",
    "array, row, [column], [area]",
    "The cell at a row and a column; 0 stands for all of them.",
    index,
)
.examples(&[
    ("=INDEX({1,2;3,4},2,1)", "3"),
    ("=SUM(INDEX({1,2;3,4},0,2))", "6"),
    ("=INDEX({1,2,3},2)", "2"),
    ("=INDEX({1,2;3,4},3,1)", "#REF!"),
    ("=INDEX({1,2},-1)", "#VALUE!"),
    ("=SUM(INDEX({5;6;7},{1;3}))", "12"),
])];

fn index(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let area = optional_integer(arguments, 3, 1)?;
    let chosen;
    let source = match &arguments[0] {
        Operand::Range(reference) if reference.areas.len() > 1 || area != 1 => {
            let area = usize::try_from(area - 1).ok().and_then(|area| reference.areas.get(area));
            chosen = Operand::Range(RangeOperand { areas: vec![*area.ok_or(ErrorValue::Reference)?] });
            &chosen
        }
        _ if area != 1 => return Err(ErrorValue::Reference),
        other => other,
    };
    let is_several =
        |index: usize| optional(arguments, index).is_some_and(|argument| argument.single().is_none());
    if is_several(1) || is_several(2) {
        return cells_at(context, source, arguments);
    }
    let position =
        |index: usize| optional(arguments, index).map_or(Ok(0), |argument| integer(&single(argument)?));
    let (first, last) = extent(view(source)?, position(1)?, (arguments.len() > 2).then_some(position(2)?))?;
    subrange(context, source, first, last)
}

/// First and last cell as zero-based rows and columns.
type Extent = ((u32, u32), (u32, u32));

/// Returns the cells that a row and a column number select; 0 selects all.
fn extent(view: &dyn RangeView, row: i64, column: Option<i64>) -> Result<Extent, ErrorValue> {
    // A single number selects a column of a single row.
    let (row, column) = match column {
        None if view.rows() == 1 => (1, row),
        column => (row, column.unwrap_or(if view.columns() == 1 { 1 } else { 0 })),
    };
    let (top, bottom) = span(row, view.rows())?;
    let (left, right) = span(column, view.columns())?;
    Ok(((top, left), (bottom, right)))
}

fn span(position: i64, length: u32) -> Result<(u32, u32), ErrorValue> {
    match position {
        ..0 => Err(ErrorValue::Value),
        0 => Ok((0, length - 1)),
        _ if position > i64::from(length) => Err(ErrorValue::Reference),
        _ => Ok((position as u32 - 1, position as u32 - 1)),
    }
}

/// For arrays of row or column numbers: returns an array with one cell for each pair.
fn cells_at(context: &mut CallContext, source: &Operand, arguments: &[Operand]) -> OperandResult {
    let view_of = |index: usize| optional(arguments, index).map(view).transpose();
    let (rows, columns) = (view_of(1)?, view_of(2)?);
    let side = |measure: fn(&dyn RangeView) -> u32| {
        [rows, columns].into_iter().flatten().map(measure).max().unwrap_or(1)
    };
    let (height, width) = (side(|view| view.rows()), side(|view| view.columns()));
    context.budget.charge_cells(u64::from(height) * u64::from(width))?;
    let view = view(source)?;
    let position = |positions: Option<&dyn RangeView>, row: u32, column: u32| match positions {
        Some(positions) => {
            let row = if positions.rows() == 1 { 0 } else { row };
            let column = if positions.columns() == 1 { 0 } else { column };
            match row < positions.rows() && column < positions.columns() {
                true => integer(&positions.value(row, column)),
                false => Err(ErrorValue::NotAvailable),
            }
        }
        None => Ok(0),
    };
    let mut values = Vec::new();
    for row in 0..height {
        for column in 0..width {
            let cell = position(rows, row, column).and_then(|row_position| {
                let column_position = columns.map(|_| position(columns, row, column)).transpose()?;
                extent(view, row_position, column_position)
            });
            values.push(match cell {
                Ok(((row, column), _)) => view.value(row, column),
                Err(error) => Value::Error(error),
            });
        }
    }
    Array::new(height, width, values).map(Operand::Array).ok_or(ErrorValue::Calculation)
}
