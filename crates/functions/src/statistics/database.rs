//! Database functions (DSUM, DGET etc.) over a range whose first row contains the column names.
//! Described in ECMA-376 part 1, 18.17.7, and Excel's help.
//!
//! The criteria range has column names with conditions below. All conditions of a row must match,
//! of at least one row. Criteria as formulas over the database are not supported; a name without a
//! column matches no row.

use quadrille_cell::{Array, ErrorValue, Value};

use crate::arguments::{OperandResult, charge_view, optional, single, view};
use crate::coerce::{integer, parse_input, text};
use crate::compare::fold_case;
use crate::context::CallContext;
use crate::criteria::Criterion;
use crate::function::Function;
use crate::operands::{Operand, RangeView, ValueRef};
use crate::statistics::aggregates::aggregate_function;

macro_rules! database {
    ($name:literal, $summary:literal, $over:literal, $result:literal) => {
        Function::whole($name, "database, field, criteria", $summary, |context, arguments| {
            over_rows(context, arguments, $over)
        })
        .examples(&[(
            concat!(
                "=",
                $name,
                "({\"tree\",\"yield\";\"apple\",14;\"pear\",10;\"apple\",6},\"yield\",{\"tree\";\"apple\"})"
            ),
            $result,
        )])
    };
}

pub(crate) const FUNCTIONS: &[Function] = &[
    database!("DSUM", "The sum over the rows that meet the criteria.", "SUM", "20"),
    database!("DAVERAGE", "The mean over the rows that meet the criteria.", "AVERAGE", "10"),
    database!("DMAX", "The largest number in the rows that meet the criteria.", "MAX", "14"),
    database!("DMIN", "The smallest number in the rows that meet the criteria.", "MIN", "6"),
    database!("DPRODUCT", "The product over the rows that meet the criteria.", "PRODUCT", "84"),
    database!(
        "DSTDEV",
        "The deviation of a sample in the rows that meet the criteria.",
        "STDEV.S",
        "5.65685424949238"
    ),
    database!("DSTDEVP", "The deviation of a population in the rows that meet the criteria.", "STDEV.P", "4"),
    database!("DVAR", "The variance of a sample in the rows that meet the criteria.", "VAR.S", "32"),
    database!("DVARP", "The variance of a population in the rows that meet the criteria.", "VAR.P", "16"),
    Function::whole(
        "DCOUNT",
        "database, field, criteria",
        "How many rows that meet the criteria hold a number.",
        |context, arguments| count(context, arguments, "COUNT"),
    )
    .examples(&[
        (
            "=DCOUNT({\"tree\",\"yield\";\"apple\",14;\"pear\",10;\"apple\",\"?\"},2,{\"tree\";\"apple\"})",
            "1",
        ),
        ("=DCOUNT({\"a\";1;2;3},,{\"a\";\">1\"})", "2"),
    ]),
    Function::whole(
        "DCOUNTA",
        "database, field, criteria",
        "How many rows that meet the criteria are not blank.",
        |context, arguments| count(context, arguments, "COUNTA"),
    )
    .examples(&[(
        "=DCOUNTA({\"tree\",\"yield\";\"apple\",14;\"pear\",10;\"apple\",\"?\"},2,{\"tree\";\"apple\"})",
        "2",
    )]),
    Function::whole(
        "DGET",
        "database, field, criteria",
        "The value in the only row that meets the criteria.",
        single_value,
    )
    .examples(&[
        ("=DGET({\"tree\",\"yield\";\"apple\",14;\"pear\",10},\"yield\",{\"tree\";\"pear\"})", "10"),
        ("=DGET({\"a\";1;2},1,{\"a\";\">0\"})", "#NUM!"),
        ("=DGET({\"a\";1;2},1,{\"a\";\">9\"})", "#VALUE!"),
    ]),
];

/// Returns the column with a name.
fn column_named(database: &dyn RangeView, name: &str) -> Option<u32> {
    let name = fold_case(name);
    (0..database.columns()).find(|column| match database.value(0, *column) {
        Value::Text(text) => fold_case(&text) == name,
        Value::Number(number) => quadrille_number_format::general(number, None) == *name,
        _ => false,
    })
}

/// Returns the column of a field argument: a name or a one-based number. Fails with `#VALUE!` for
/// others.
fn field_column(database: &dyn RangeView, field: &Value) -> Result<u32, ErrorValue> {
    let found = match field {
        Value::Text(name) => column_named(database, name),
        _ => u32::try_from(integer(field)? - 1).ok().filter(|column| *column < database.columns()),
    };
    found.ok_or(ErrorValue::Value)
}

/// Parses a condition. Text without a comparison operator matches all texts that start with it.
fn condition(value: &Value) -> Criterion {
    let Value::Text(written) = value else { return Criterion::new(value) };
    let is_plain =
        !written.starts_with(['=', '<', '>']) && matches!(parse_input(written).value, Value::Text(_));
    if is_plain { Criterion::new(&Value::text(format!("{written}*"))) } else { Criterion::new(value) }
}

/// Returns the rows that match the criteria, without the header row.
fn matching_rows(
    context: &mut CallContext,
    database: &dyn RangeView,
    criteria: &dyn RangeView,
) -> Result<Vec<u32>, ErrorValue> {
    charge_view(context, database)?;
    charge_view(context, criteria)?;
    let mut alternatives: Vec<Vec<(u32, Criterion)>> = Vec::new();
    for row in 1..criteria.used_rows() {
        let mut conditions = Vec::new();
        for column in 0..criteria.columns() {
            let value = criteria.value(row, column);
            if value.is_blank() {
                continue;
            }
            // A condition on an unknown column matches no row.
            let name = criteria.value(0, column);
            let named = text(&name).ok().and_then(|name| column_named(database, &name));
            conditions.push((named.unwrap_or(u32::MAX), condition(&value)));
        }
        alternatives.push(conditions);
    }
    let rows = database.used_rows();
    context
        .budget
        .charge(u64::from(rows) * alternatives.iter().map(|all| all.len() as u64 + 1).sum::<u64>())?;
    let is_match = |row: u32, (column, criterion): &(u32, Criterion)| {
        *column != u32::MAX && criterion.matches(ValueRef::from(&database.value(row, *column)))
    };
    let steps = alternatives.iter().map(|all| all.len() as u64 + 1).sum();
    let mut matching = Vec::new();
    for row in 1..rows {
        context.work(steps)?;
        if alternatives.iter().any(|all| all.iter().all(|condition| is_match(row, condition))) {
            matching.push(row);
        }
    }
    Ok(matching)
}

/// Returns the values of the field in the matching rows.
fn matching_values(context: &mut CallContext, arguments: &[Operand]) -> Result<Vec<Value>, ErrorValue> {
    let (database, criteria) = (view(&arguments[0])?, view(&arguments[2])?);
    let column = field_column(database, &single(optional(arguments, 1).ok_or(ErrorValue::Value)?)?)?;
    if database.rows() < 2 {
        return Err(ErrorValue::Value);
    }
    let rows = matching_rows(context, database, criteria)?;
    Ok(rows.into_iter().map(|row| database.value(row, column)).collect())
}

fn over_rows(context: &mut CallContext, arguments: &[Operand], name: &str) -> OperandResult {
    let values = matching_values(context, arguments)?;
    let function = aggregate_function(name);
    // There are no empty arrays; a blank cell has the same result.
    let values = if values.is_empty() { vec![Value::Blank] } else { values };
    let column = Array::new(values.len() as u32, 1, values).ok_or(ErrorValue::Calculation)?;
    Ok(function.call(context, &[Operand::Array(column)]))
}

fn count(context: &mut CallContext, arguments: &[Operand], name: &str) -> OperandResult {
    if optional(arguments, 1).is_some() {
        return over_rows(context, arguments, name);
    }
    let rows = matching_rows(context, view(&arguments[0])?, view(&arguments[2])?)?;
    Ok((rows.len() as f64).into())
}

fn single_value(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let mut values = matching_values(context, arguments)?;
    match (values.pop(), values.is_empty()) {
        (None, _) => Err(ErrorValue::Value),
        (Some(_), false) => Err(ErrorValue::Number),
        (Some(value), true) => Ok(Operand::Value(value)),
    }
}
