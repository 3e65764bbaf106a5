//! Sorting: numbers before text before truth values before errors, blanks last; equal rows stay in their order.

use quadrille_cell::{DeferredVec, ErrorValue, Value};

use super::columns::{Code, CodeOrder, ColumnCopy, order_by, rows_of, sort_codes};
use super::shape::extent;
use crate::arguments::{WholeOutcome, array_operand, charge_view, given, given_boolean, values_by_row, view};
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

/// What the rows are sorted by: the codes of a column, turned round for falling order.
fn column_codes(
    context: &CallContext,
    view: &dyn RangeView,
    column: u32,
    is_descending: bool,
) -> Result<Vec<Code>, Exhausted> {
    let cancel = &context.budget.cancel;
    let codes = ColumnCopy::new(cancel, view, column)?.codes(cancel, CodeOrder::Rising)?;
    Ok(turned(codes, is_descending))
}

fn row_codes(
    context: &CallContext,
    view: &dyn RangeView,
    row: u32,
    is_descending: bool,
) -> Result<Vec<Code>, Exhausted> {
    let values: Vec<Value> = (0..view.columns()).map(|column| view.value(row, column)).collect();
    Ok(turned(sort_codes(&context.budget.cancel, &values)?, is_descending))
}

fn turned(codes: Vec<Code>, is_descending: bool) -> Vec<Code> {
    if is_descending { codes.into_iter().map(Code::reversed).collect() } else { codes }
}

fn order(context: &mut CallContext, columns: &[Vec<Code>], count: u32) -> Result<Vec<u32>, ErrorValue> {
    // Comparisons are about n log n; sixteen is enough for a million.
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

/// The rectangle with its rows, or its columns, in a new order.
fn permuted(context: &mut CallContext, view: &dyn RangeView, order: &[u32], by_column: bool) -> WholeOutcome {
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

fn sort(context: &mut CallContext, arguments: &[Operand]) -> WholeOutcome {
    let source = view(&arguments[0])?;
    charge_view(context, source)?;
    let by_column = given_boolean(arguments, 3, false)?;
    let indices = match given(arguments, 1) {
        Some(argument) => values_by_row(context, argument)?,
        None => vec![Value::number(1.0)],
    };
    let orders = match given(arguments, 2) {
        Some(argument) => values_by_row(context, argument)?,
        None => vec![Value::number(1.0)],
    };
    let (count, width) = match by_column {
        false => (source.rows(), source.columns()),
        true => (source.columns(), source.rows()),
    };
    // Every column sorted by is copied, blanks and all.
    context.budget.charge_cells(u64::from(count) * indices.len() as u64)?;
    let mut columns = Vec::new();
    for (place, index) in indices.iter().enumerate() {
        let index = integer(index)?;
        if !(1..=i64::from(width)).contains(&index) {
            return Err(ErrorValue::Value);
        }
        let index = index as u32 - 1;
        let is_descending = is_descending(orders.get(place).or(orders.last()).ok_or(ErrorValue::Value)?)?;
        columns.push(match by_column {
            true => row_codes(context, source, index, is_descending)?,
            false => column_codes(context, source, index, is_descending)?,
        });
    }
    let order = order(context, &columns, count)?;
    permuted(context, source, &order, by_column)
}

fn sort_by(context: &mut CallContext, arguments: &[Operand]) -> WholeOutcome {
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
        let is_descending = match given(pair, 1) {
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
