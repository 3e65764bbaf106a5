//! VLOOKUP, HLOOKUP, LOOKUP and MATCH. Described in ECMA-376 part 1, 18.17.7, and Excel's help.

use quadrille_cell::{ErrorValue, Value};

use super::find::{LookupTarget, Vector};
use crate::arguments::{OperandResult, optional, optional_boolean, optional_integer, single, view};
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole(
        "VLOOKUP",
        "value, table, column, [approximate]",
        "Finds a value in the first column and yields another cell of its row.",
        vertical,
    )
    .lifts(&[0, 2])
    .examples(&[
        ("=VLOOKUP(2,{1,\"a\";2,\"b\"},2,FALSE)", "b"),
        ("=VLOOKUP(2.5,{1,\"a\";2,\"b\"},2)", "b"),
        ("=VLOOKUP(3,{1,\"a\";2,\"b\"},2,FALSE)", "#N/A"),
        ("=VLOOKUP(1,{1,\"a\"},3)", "#REF!"),
        ("=VLOOKUP(\"b*\",{\"apple\",1;\"Berry\",2},2,FALSE)", "2"),
    ]),
    Function::whole(
        "HLOOKUP",
        "value, table, row, [approximate]",
        "Finds a value in the first row and yields another cell of its column.",
        horizontal,
    )
    .lifts(&[0, 2])
    .examples(&[("=HLOOKUP(2,{1,2;\"a\",\"b\"},2,FALSE)", "b")]),
    Function::whole(
        "LOOKUP",
        "value, lookup_line, [result_line]",
        "Finds a value in a sorted line and yields the cell beside it.",
        lookup,
    )
    .lifts(&[0])
    .examples(&[("=LOOKUP(2.5,{1,2,3},{\"a\",\"b\",\"c\"})", "b"), ("=LOOKUP(0,{1,2})", "#N/A")]),
    Function::whole(
        "MATCH",
        "value, line, [type]",
        "The place of a value: exactly (0), or in a line sorted up (1) or down (-1).",
        match_function,
    )
    .lifts(&[0])
    .examples(&[
        ("=MATCH(25,{10,20,30})", "2"),
        ("=MATCH(20,{10,20,30},0)", "2"),
        ("=MATCH(\"b?\",{\"a\",\"bc\"},0)", "2"),
        ("=MATCH(25,{30,20,10},-1)", "1"),
        ("=MATCH(5,{10,20})", "#N/A"),
    ]),
];

/// Returns the lookup value; a blank cell is zero.
fn lookup_value(argument: &Operand) -> Result<Value, ErrorValue> {
    match single(argument)? {
        Value::Error(error) => Err(error),
        Value::Blank => Ok(Value::number(0.0)),
        value => Ok(value),
    }
}

fn find(
    context: &mut CallContext,
    vector: Vector<'_>,
    value: &Value,
    approximate: bool,
) -> Result<u32, ErrorValue> {
    let found = match approximate {
        true => vector.find_sorted(context, value, false)?,
        false => vector.find_first(context, &LookupTarget::new(value, true))?,
    };
    found.ok_or(ErrorValue::NotAvailable)
}

fn vertical(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (value, table) = (lookup_value(&arguments[0])?, view(&arguments[1])?);
    let column = column_index(optional_integer(arguments, 2, 0)?, table.columns())?;
    let row = find(
        context,
        Vector::column(table, 0),
        &value,
        optional_boolean(arguments, 3, approximate_by_default(arguments))?,
    )?;
    Ok(Operand::Value(table.value(row, column)))
}

/// Default of the fourth argument: TRUE when omitted, FALSE when empty (`VLOOKUP(a,b,c,)`).
fn approximate_by_default(arguments: &[Operand]) -> bool {
    arguments.len() < 4
}

fn column_index(position: i64, length: u32) -> Result<u32, ErrorValue> {
    match position {
        ..1 => Err(ErrorValue::Value),
        _ if position > i64::from(length) => Err(ErrorValue::Reference),
        _ => Ok(position as u32 - 1),
    }
}

fn horizontal(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (value, table) = (lookup_value(&arguments[0])?, view(&arguments[1])?);
    let row = column_index(optional_integer(arguments, 2, 0)?, table.rows())?;
    let column = find(
        context,
        Vector::row(table, 0),
        &value,
        optional_boolean(arguments, 3, approximate_by_default(arguments))?,
    )?;
    Ok(Operand::Value(table.value(row, column)))
}

fn lookup(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (value, table) = (lookup_value(&arguments[0])?, view(&arguments[1])?);
    // A table is searched along its longer side; the result is from its last row or column.
    let is_wide = table.columns() > table.rows();
    let vector = if is_wide { Vector::row(table, 0) } else { Vector::column(table, 0) };
    let index = find(context, vector, &value, true)?;
    let results = match optional(arguments, 2) {
        Some(results) => Vector::new(view(results)?).ok_or(ErrorValue::NotAvailable)?,
        None if is_wide => Vector::row(table, table.rows() - 1),
        None => Vector::column(table, table.columns() - 1),
    };
    if index >= results.len() {
        Err(ErrorValue::NotAvailable)
    } else {
        Ok(Operand::Value(results.value(index)))
    }
}

fn match_function(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let value = lookup_value(&arguments[0])?;
    let vector = Vector::new(view(&arguments[1])?).ok_or(ErrorValue::NotAvailable)?;
    // Default of the match type: 1 when omitted, 0 when empty.
    let kind = if arguments.len() < 3 { 1 } else { optional_integer(arguments, 2, 0)? };
    let found = match kind.signum() {
        0 => vector.find_first(context, &LookupTarget::new(&value, true))?,
        1 => vector.find_sorted(context, &value, false)?,
        _ => vector.find_sorted(context, &value, true)?.map(|last| first_of_equals(vector, last, &value)),
    };
    Ok(f64::from(found.ok_or(ErrorValue::NotAvailable)? + 1).into())
}

/// Returns the first of equal cells, as Excel does in descending order.
fn first_of_equals(vector: Vector<'_>, last: u32, value: &Value) -> u32 {
    (0..last).rev().take_while(|index| vector.value(*index) == *value).last().unwrap_or(last)
}
