//! SORT and SORTBY. Values sort as numbers, text, Booleans, errors, blanks; the sort is stable.
//! Described in Excel's help.

use quadrille_cell::{DeferredVec, ErrorValue, Value};

use super::columns::{CodePurpose, ColumnCopy, SortCode, order_by, rows_of, sort_codes};
use super::shape::extent;
use crate::arguments::{
    OperandResult, array_operand, charge_view, optional, optional_boolean, values_by_row, view,
};
use crate::cancel::Exhausted;
use crate::coerce::integer;
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::{Operand, RangeView};

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole(
        "SORT",
        "array, [by_index], [order], [by_column]",
        "The rows, or columns, in order.",
        sort,
    )
    .excel_only()
    .examples(&[
        ("=TEXTJOIN(\",\",TRUE,SORT({3;1;2}))", "1,2,3"),
        ("=TEXTJOIN(\",\",TRUE,SORT({3;1;2},1,-1))", "3,2,1"),
        ("=TEXTJOIN(\",\",TRUE,SORT({2,\"a\";1,\"b\"},2,-1))", "1,b,2,a"),
    ]),
    Function::whole(
        "SORTBY",
        "array, by1, [order1], [by2], [order2], …",
        "The rows, or columns, in the order of other arrays.",
        sort_by,
    )
    .excel_only()
    .examples(&[("=TEXTJOIN(\",\",TRUE,SORTBY({\"a\";\"b\";\"c\"},{3;1;2}))", "b,c,a")]),
];

/// Returns the sort codes of a column, reversed for descending order.
fn column_codes(
    context: &CallContext,
    view: &dyn RangeView,
    column: u32,
    is_descending: bool,
) -> Result<Vec<SortCode>, Exhausted> {
    let cancel = &context.budget.cancel;
    let codes = ColumnCopy::new(cancel, view, column)?.codes(cancel, CodePurpose::Sorting)?;
    Ok(with_direction(codes, is_descending))
}

fn row_codes(
    context: &CallContext,
    view: &dyn RangeView,
    row: u32,
    is_descending: bool,
) -> Result<Vec<SortCode>, Exhausted> {
    let values: Vec<Value> = (0..view.columns()).map(|column| view.value(row, column)).collect();
    Ok(with_direction(sort_codes(&context.budget.cancel, &values)?, is_descending))
}

fn with_direction(codes: Vec<SortCode>, is_descending: bool) -> Vec<SortCode> {
    if is_descending { codes.into_iter().map(SortCode::reversed).collect() } else { codes }
}

fn order(context: &mut CallContext, columns: &[Vec<SortCode>], count: u32) -> Result<Vec<u32>, ErrorValue> {
    // A sort takes about n log n comparisons; 16 steps per row suffice for a million rows.
    context.budget.charge(u64::from(count) * 16)?;
    Ok(order_by(&context.budget.cancel, columns, count)?)
}

fn is_descending(order: &Value) -> Result<bool, ErrorValue> {
    match integer(order)? {
        1 => Ok(false),
        -1 => Ok(true),
        _ => Err(ErrorValue::Value),
    }
}

/// Returns a view with its rows, or its columns, in a new order.
fn permuted(
    context: &mut CallContext,
    view: &dyn RangeView,
    order: &[u32],
    by_column: bool,
) -> OperandResult {
    if !by_column {
        return rows_of(context, view, order.iter().copied());
    }
    let (rows, columns, count) = extent(context, i64::from(view.rows()), i64::from(view.columns()))?;
    let mut values = DeferredVec::with_capacity(count);
    for row in 0..rows {
        context.work(order.len() as u64)?;
        values.extend(order.iter().map(|column| view.value(row, *column)));
    }
    array_operand(rows, columns, values)
}

fn sort(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let source = view(&arguments[0])?;
    charge_view(context, source)?;
    let by_column = optional_boolean(arguments, 3, false)?;
    let indices = match optional(arguments, 1) {
        Some(argument) => values_by_row(context, argument)?,
        None => vec![Value::number(1.0)],
    };
    let orders = match optional(arguments, 2) {
        Some(argument) => values_by_row(context, argument)?,
        None => vec![Value::number(1.0)],
    };
    let (count, width) = match by_column {
        false => (source.rows(), source.columns()),
        true => (source.columns(), source.rows()),
    };
    // Every key column is copied, with its blank cells.
    context.budget.charge_cells(u64::from(count) * indices.len() as u64)?;
    let mut columns = Vec::new();
    for (position, index) in indices.iter().enumerate() {
        let index = integer(index)?;
        if !(1..=i64::from(width)).contains(&index) {
            return Err(ErrorValue::Value);
        }
        let index = index as u32 - 1;
        let is_descending = is_descending(orders.get(position).or(orders.last()).ok_or(ErrorValue::Value)?)?;
        columns.push(match by_column {
            true => row_codes(context, source, index, is_descending)?,
            false => column_codes(context, source, index, is_descending)?,
        });
    }
    let order = order(context, &columns, count)?;
    permuted(context, source, &order, by_column)
}

fn sort_by(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let source = view(&arguments[0])?;
    charge_view(context, source)?;
    let mut columns = Vec::new();
    let mut by_column = None;
    for pair in arguments[1..].chunks(2) {
        let by = view(&pair[0])?;
        charge_view(context, by)?;
        context.budget.charge_cells(u64::from(by.rows()) * u64::from(by.columns()))?;
        let is_column = match (by.rows(), by.columns()) {
            (rows, 1) if rows == source.rows() => false,
            (1, width) if width == source.columns() => true,
            _ => return Err(ErrorValue::Value),
        };
        if by_column.is_some_and(|other| other != is_column) {
            return Err(ErrorValue::Value);
        }
        by_column = Some(is_column);
        let is_descending = match optional(pair, 1) {
            Some(argument) => is_descending(&crate::arguments::single(argument)?)?,
            None => false,
        };
        columns.push(match is_column {
            true => row_codes(context, by, 0, is_descending)?,
            false => column_codes(context, by, 0, is_descending)?,
        });
    }
    let by_column = by_column.ok_or(ErrorValue::Value)?;
    let count = if by_column { source.columns() } else { source.rows() };
    let order = order(context, &columns, count)?;
    permuted(context, source, &order, by_column)
}
