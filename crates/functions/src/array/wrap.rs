//! WRAPROWS, WRAPCOLS, TRIMRANGE (Excel's help), FLATTEN and COUNTUNIQUE (Google Sheets' help).

use std::collections::BTreeSet;

use quadrille_cell::{ErrorValue, Value};

use super::shape::{extent, select};
use crate::arguments::{
    OperandResult, array_operand, charge_view, optional, optional_integer, single, values_by_row, view,
};
use crate::compare::fold_case;
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole(
        "WRAPROWS",
        "vector, count, [pad_with]",
        "A vector broken into rows of so many values.",
        |context, arguments| wrap(context, arguments, true),
    )
    .excel_only()
    .examples(&[
        ("=TEXTJOIN(\",\",TRUE,WRAPROWS({1,2,3,4,5},2,\"-\"))", "1,2,3,4,5,-"),
        ("=ROWS(WRAPROWS({1,2,3,4,5},2))", "3"),
        ("=WRAPROWS({1,2},0)", "#NUM!"),
        ("=WRAPROWS({1,2;3,4},2)", "#VALUE!"),
    ]),
    Function::whole(
        "WRAPCOLS",
        "vector, count, [pad_with]",
        "A vector broken into columns of so many values.",
        |context, arguments| wrap(context, arguments, false),
    )
    .excel_only()
    .examples(&[("=TEXTJOIN(\",\",TRUE,WRAPCOLS({1,2,3,4,5},2,\"-\"))", "1,3,5,2,4,-")]),
    Function::whole(
        "TRIMRANGE",
        "range, [rows], [columns]",
        "A range without blank rows and columns at its start (1), its end (2) or both (3).",
        trim_range,
    )
    .excel_only()
    .examples(&[("=ROWS(TRIMRANGE(A1:A5))", "#REF!"), ("=COLUMNS(TRIMRANGE({1,2}))", "2")]),
    Function::whole("FLATTEN", "array1, [array2], …", "All values in one column.", flatten)
        .described_in("Google Sheets")
        .examples(&[("=TEXTJOIN(\",\",TRUE,FLATTEN({1,2;3,4},5))", "1,2,3,4,5")]),
    Function::whole(
        "COUNTUNIQUE",
        "value1, [value2], …",
        "How many different values there are.",
        count_unique,
    )
    .described_in("Google Sheets")
    .examples(&[("=COUNTUNIQUE({1,2,2;\"a\",\"A\",1})", "3")]),
];

fn wrap(context: &mut CallContext, arguments: &[Operand], by_rows: bool) -> OperandResult {
    let source = view(&arguments[0])?;
    let count = optional_integer(arguments, 1, 0)?;
    let pad = match optional(arguments, 2) {
        Some(pad) => single(pad)?,
        None => Value::Error(ErrorValue::NotAvailable),
    };
    let (rows, columns) = (source.rows(), source.columns());
    if rows > 1 && columns > 1 {
        return Err(ErrorValue::Value);
    }
    if count < 1 {
        return Err(ErrorValue::Number);
    }
    let length = i64::from(rows.max(columns));
    let (along, across) = (count.min(length), (length + count - 1) / count);
    let (height, width, size) =
        if by_rows { extent(context, across, along)? } else { extent(context, along, across)? };
    let mut values = Vec::with_capacity(size);
    for row in 0..height {
        for column in 0..width {
            context.work(1)?;
            let index = if by_rows { row * width + column } else { column * height + row };
            values.push(match i64::from(index) < length {
                false => pad.clone(),
                true if rows > 1 => source.value(index, 0),
                true => source.value(0, index),
            });
        }
    }
    array_operand(height, width, values)
}

fn trim_range(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let source = view(&arguments[0])?;
    charge_view(context, source)?;
    let (trim_rows, trim_columns) = (optional_integer(arguments, 1, 3)?, optional_integer(arguments, 2, 3)?);
    if !(0..=3).contains(&trim_rows) || !(0..=3).contains(&trim_columns) {
        return Err(ErrorValue::Value);
    }
    let mut filled: Option<[u32; 4]> = None;
    for row in 0..source.used_rows() {
        context.work(u64::from(source.columns()))?;
        for column in 0..source.columns() {
            if !source.value(row, column).is_blank() {
                let [top, left, bottom, right] = filled.unwrap_or([row, column, row, column]);
                filled = Some([top.min(row), left.min(column), bottom.max(row), right.max(column)]);
            }
        }
    }
    let Some([top, left, bottom, right]) = filled else { return Err(ErrorValue::Reference) };
    let cut = |trim: i64, first: u32, last: u32, length: u32| {
        let start = if trim & 1 == 1 { first } else { 0 };
        let end = if trim & 2 == 2 { last + 1 } else { length };
        (start..end).collect::<Vec<u32>>()
    };
    let rows = cut(trim_rows, top, bottom, source.rows());
    select(context, source, &rows, &cut(trim_columns, left, right, source.columns()))
}

fn flatten(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let mut values = Vec::new();
    for argument in arguments {
        values.extend(values_by_row(context, argument)?);
    }
    let (rows, columns, _) = extent(context, values.len() as i64, 1)?;
    array_operand(rows, columns, values)
}

fn count_unique(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let mut distinct = BTreeSet::new();
    for argument in arguments {
        for value in values_by_row(context, argument)? {
            context.work(8)?;
            // A type tag, and the content of numbers and Booleans or of text.
            let key = match &value {
                Value::Blank => continue,
                Value::Number(number) => (0, number.to_bits(), String::new()),
                Value::Boolean(boolean) => (1, u64::from(*boolean), String::new()),
                Value::Text(text) => (2, 0, fold_case(text).into_owned()),
                Value::Error(error) => return Err(*error),
            };
            distinct.insert(key);
        }
    }
    Ok((distinct.len() as f64).into())
}
