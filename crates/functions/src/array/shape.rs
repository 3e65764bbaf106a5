//! Creation and reshaping of arrays: SEQUENCE, TRANSPOSE, TAKE, DROP, HSTACK, VSTACK, CHOOSEROWS,
//! CHOOSECOLS, TOCOL, TOROW, EXPAND. Described in Excel's help.

use quadrille_cell::{COLUMNS_MAX, DeferredVec, ErrorValue, ROWS_MAX, Value};

use crate::arguments::{
    OperandResult, array_operand, for_each_cell, optional, optional_boolean, optional_integer,
    optional_number, single, view,
};
use crate::cancel::{Cancel, POLL_STEPS};
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::{Operand, RangeView};

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole(
        "SEQUENCE",
        "rows, [columns], [start], [step]",
        "An array of numbers in sequence.",
        sequence,
    )
    .excel_only()
    .examples(&[
        ("=SUM(SEQUENCE(3,2))", "21"),
        ("=INDEX(SEQUENCE(3,1,10,5),3)", "20"),
        ("=SEQUENCE(0)", "#CALC!"),
    ]),
    Function::whole("TRANSPOSE", "array", "The array with rows and columns exchanged.", transpose)
        .examples(&[("=TEXTJOIN(\",\",TRUE,TRANSPOSE({1,2;3,4}))", "1,3,2,4")]),
    Function::whole(
        "TAKE",
        "array, [rows], [columns]",
        "The first rows and columns, or the last when negative.",
        take,
    )
    .excel_only()
    .examples(&[
        ("=SUM(TAKE({1,2;3,4},1))", "3"),
        ("=SUM(TAKE({1,2;3,4},,-1))", "6"),
        ("=TAKE({1},0)", "#CALC!"),
    ]),
    Function::whole(
        "DROP",
        "array, [rows], [columns]",
        "All but the first rows and columns, or the last when negative.",
        drop,
    )
    .excel_only()
    .examples(&[("=SUM(DROP({1,2;3,4},1))", "7"), ("=DROP({1},1)", "#CALC!")]),
    Function::whole("HSTACK", "array1, [array2], …", "Arrays beside each other.", hstack)
        .excel_only()
        .examples(&[("=SUM(HSTACK({1;2},{3;4}))", "10"), ("=COLUMNS(HSTACK({1,2},3))", "3")]),
    Function::whole("VSTACK", "array1, [array2], …", "Arrays below each other.", vstack)
        .excel_only()
        .examples(&[("=ROWS(VSTACK({1;2},3))", "3")]),
    Function::whole(
        "CHOOSEROWS",
        "array, row1, [row2], …",
        "Some rows, the last when negative.",
        choose_rows,
    )
    .excel_only()
    .examples(&[("=SUM(CHOOSEROWS({1,2;3,4},-1))", "7")]),
    Function::whole(
        "CHOOSECOLS",
        "array, column1, [column2], …",
        "Some columns, the last when negative.",
        choose_columns,
    )
    .excel_only()
    .examples(&[("=SUM(CHOOSECOLS({1,2;3,4},2))", "6"), ("=CHOOSECOLS({1},2)", "#VALUE!")]),
    Function::whole("TOCOL", "array, [ignore], [by_column]", "All values below each other.", to_column)
        .excel_only()
        .examples(&[("=ROWS(TOCOL({1,2;3,4}))", "4")]),
    Function::whole("TOROW", "array, [ignore], [by_column]", "All values beside each other.", to_row)
        .excel_only()
        .examples(&[("=COLUMNS(TOROW({1,2;3,4}))", "4")]),
    Function::whole("EXPAND", "array, [rows], [columns], [pad_with]", "The array made larger.", expand)
        .excel_only()
        .examples(&[("=SUM(EXPAND({1},2,2,1))", "4")]),
];

/// Checks the size of an array and charges the budget before it is allocated. Returns rows, columns
/// and cells.
///
/// Fails with `#CALC!` for empty arrays and an exhausted budget, with `#VALUE!` for arrays larger
/// than a sheet.
pub(crate) fn extent(
    context: &mut CallContext,
    rows: i64,
    columns: i64,
) -> Result<(u32, u32, usize), ErrorValue> {
    if rows == 0 || columns == 0 {
        return Err(ErrorValue::Calculation);
    }
    if !(1..=i64::from(ROWS_MAX)).contains(&rows) || !(1..=i64::from(COLUMNS_MAX)).contains(&columns) {
        return Err(ErrorValue::Value);
    }
    let count = rows as u64 * columns as u64;
    context.budget.charge_cells(count)?;
    Ok((rows as u32, columns as u32, count as usize))
}

/// Copies a column of a view into a column of a row-major array.
fn copy_column(
    cancel: &Cancel,
    source: &dyn RangeView,
    column: u32,
    target: &mut [Value],
    width: usize,
    target_column: usize,
) -> Result<(), ErrorValue> {
    let height = target.len() / width;
    for_each_cell(cancel, source, column, &mut |row, value| {
        if (row as usize) < height {
            target[row as usize * width + target_column] = value.to_value();
        }
        Ok(())
    })
}

/// Copies all cells of a view in row-major order.
fn copy(context: &mut CallContext, view: &dyn RangeView) -> Result<DeferredVec<Value>, ErrorValue> {
    let (_, width, count) = extent(context, i64::from(view.rows()), i64::from(view.columns()))?;
    let mut values = DeferredVec::from(vec![Value::Blank; count]);
    for column in 0..view.columns() {
        copy_column(&context.budget.cancel, view, column, &mut values, width as usize, column as usize)?;
    }
    Ok(values)
}

fn sequence(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (rows, columns) = (optional_integer(arguments, 0, 1)?, optional_integer(arguments, 1, 1)?);
    let (start, step) = (optional_number(arguments, 2, 1.0)?, optional_number(arguments, 3, 1.0)?);
    let (rows, columns, count) = extent(context, rows, columns)?;
    let mut values = DeferredVec::with_capacity(count);
    while values.len() < count {
        let from = values.len();
        let to = count.min(from + POLL_STEPS as usize);
        context.work((to - from) as u64)?;
        values.extend((from..to).map(|index| Value::number(start + index as f64 * step)));
    }
    array_operand(rows, columns, values)
}

fn transpose(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let view = view(&arguments[0])?;
    // A column of the source is a row of the result.
    let (_, _, count) = extent(context, i64::from(view.columns()), i64::from(view.rows()))?;
    let mut values = DeferredVec::from(vec![Value::Blank; count]);
    let height = view.rows() as usize;
    for column in 0..view.columns() {
        let row = &mut values[column as usize * height..][..height];
        copy_column(&context.budget.cancel, view, column, row, 1, 0)?;
    }
    array_operand(view.columns(), view.rows(), values)
}

/// Builds an array of the given rows and columns of a view, in any order.
pub(crate) fn select(
    context: &mut CallContext,
    view: &dyn RangeView,
    rows: &[u32],
    columns: &[u32],
) -> OperandResult {
    let (height, width, count) = extent(context, rows.len() as i64, columns.len() as i64)?;
    let mut values = DeferredVec::with_capacity(count);
    for row in rows {
        context.work(columns.len() as u64)?;
        values.extend(columns.iter().map(|column| view.value(*row, *column)));
    }
    array_operand(height, width, values)
}

/// Returns the indices that TAKE or DROP (`drops`) selects; a negative count is counted from the
/// end.
fn taken_or_dropped(
    arguments: &[Operand],
    index: usize,
    length: u32,
    drops: bool,
) -> Result<Vec<u32>, ErrorValue> {
    if optional(arguments, index).is_none() {
        return Ok((0..length).collect());
    }
    let count = optional_integer(arguments, index, 0)?;
    let size = (count.unsigned_abs().min(u64::from(length))) as u32;
    let range = match (drops, count >= 0) {
        (false, true) => 0..size,
        (false, false) => length - size..length,
        (true, true) => size..length,
        (true, false) => 0..length - size,
    };
    Ok(range.collect())
}

fn take(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let view = view(&arguments[0])?;
    select(
        context,
        view,
        &taken_or_dropped(arguments, 1, view.rows(), false)?,
        &taken_or_dropped(arguments, 2, view.columns(), false)?,
    )
}

fn drop(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let view = view(&arguments[0])?;
    select(
        context,
        view,
        &taken_or_dropped(arguments, 1, view.rows(), true)?,
        &taken_or_dropped(arguments, 2, view.columns(), true)?,
    )
}

/// Converts one-based positions, negative ones counted from the end, to indices.
fn indices(context: &mut CallContext, arguments: &[Operand], length: u32) -> Result<Vec<u32>, ErrorValue> {
    let mut indices = Vec::new();
    for argument in arguments {
        for value in crate::arguments::values_by_row(context, argument)? {
            let position = crate::coerce::integer(&value)?;
            let index = if position < 0 { i64::from(length) + position } else { position - 1 };
            if position == 0 || !(0..i64::from(length)).contains(&index) {
                return Err(ErrorValue::Value);
            }
            indices.push(index as u32);
        }
    }
    Ok(indices)
}

fn choose_rows(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let view = view(&arguments[0])?;
    let rows = indices(context, &arguments[1..], view.rows())?;
    select(context, view, &rows, &(0..view.columns()).collect::<Vec<_>>())
}

fn choose_columns(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let view = view(&arguments[0])?;
    let columns = indices(context, &arguments[1..], view.columns())?;
    select(context, view, &(0..view.rows()).collect::<Vec<_>>(), &columns)
}

fn hstack(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let views = arguments.iter().map(view).collect::<Result<Vec<_>, _>>()?;
    let height = views.iter().map(|view| view.rows()).max().unwrap_or(0);
    let width: u64 = views.iter().map(|view| u64::from(view.columns())).sum();
    let (height, width, count) = extent(context, i64::from(height), width as i64)?;
    let mut values = DeferredVec::from(vec![Value::Blank; count]);
    let mut target_column = 0;
    for view in views {
        for column in 0..view.columns() {
            // Shorter arrays are padded with #N/A.
            for row in view.rows()..height {
                values[row as usize * width as usize + target_column] =
                    Value::Error(ErrorValue::NotAvailable);
            }
            copy_column(&context.budget.cancel, view, column, &mut values, width as usize, target_column)?;
            target_column += 1;
        }
    }
    array_operand(height, width, values)
}

fn vstack(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let views = arguments.iter().map(view).collect::<Result<Vec<_>, _>>()?;
    let height: u64 = views.iter().map(|view| u64::from(view.rows())).sum();
    let width = views.iter().map(|view| view.columns()).max().unwrap_or(0);
    let (height, width, count) = extent(context, height as i64, i64::from(width))?;
    let mut values = DeferredVec::from(vec![Value::Blank; count]);
    let mut from = 0;
    for view in views {
        let part = &mut values[from..from + view.rows() as usize * width as usize];
        for column in 0..width {
            if column < view.columns() {
                copy_column(&context.budget.cancel, view, column, part, width as usize, column as usize)?;
                continue;
            }
            for row in part.chunks_mut(width as usize) {
                row[column as usize] = Value::Error(ErrorValue::NotAvailable);
            }
        }
        from += part.len();
    }
    array_operand(height, width, values)
}

/// Returns all values in the requested order, without blanks (1), errors (2) or both (3).
fn flatten(context: &mut CallContext, arguments: &[Operand]) -> Result<DeferredVec<Value>, ErrorValue> {
    let view = view(&arguments[0])?;
    let ignore = optional_integer(arguments, 1, 0)?;
    if !(0..=3).contains(&ignore) {
        return Err(ErrorValue::Value);
    }
    let by_column = optional_boolean(arguments, 2, false)?;
    let mut values = copy(context, view)?;
    if by_column {
        let (height, width) = (view.rows() as usize, view.columns() as usize);
        let cell = |index: usize| values[index % height * width + index / height].clone();
        values = (0..height * width).map(cell).collect();
    }
    values.retain(|value| match value {
        Value::Blank => ignore & 1 == 0,
        Value::Error(_) => ignore & 2 == 0,
        _ => true,
    });
    Ok(values)
}

fn to_column(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let values = flatten(context, arguments)?;
    array_operand(values.len() as u32, 1, values)
}

fn to_row(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let values = flatten(context, arguments)?;
    array_operand(1, values.len() as u32, values)
}

fn expand(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let view = view(&arguments[0])?;
    let rows = optional_integer(arguments, 1, i64::from(view.rows()))?;
    let columns = optional_integer(arguments, 2, i64::from(view.columns()))?;
    if rows < i64::from(view.rows()) || columns < i64::from(view.columns()) {
        return Err(ErrorValue::Value);
    }
    let pad = optional(arguments, 3).map_or(Ok(Value::Error(ErrorValue::NotAvailable)), single)?;
    let (rows, columns, count) = extent(context, rows, columns)?;
    let mut values = DeferredVec::from(vec![pad; count]);
    for row in 0..view.rows() {
        context.work(u64::from(view.columns()))?;
        for column in 0..view.columns() {
            values[row as usize * columns as usize + column as usize] = view.value(row, column);
        }
    }
    array_operand(rows, columns, values)
}
