//! Rows chosen by a test, and rows that differ.

use std::collections::HashMap;

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{
    WholeOutcome, array_operand, charge_view, column_values, for_each_cell, given, given_boolean, single,
    view,
};
use crate::coerce::boolean;
use crate::compare::fold_case;
use crate::context::CallContext;
use crate::operand::{Operand, RangeView, ValueRef};
use crate::registry::Function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole(
        "FILTER",
        "array, include, [if_empty]",
        "The rows, or columns, for which a test holds.",
        filter,
    )
    .excel_only()
    .examples(&[
        ("=SUM(FILTER({1;2;3},{TRUE;FALSE;TRUE}))", "4"),
        ("=FILTER({1;2},{FALSE;FALSE},\"none\")", "none"),
        ("=FILTER({1;2},{FALSE;FALSE})", "#CALC!"),
    ]),
    Function::whole(
        "UNIQUE",
        "array, [by_column], [exactly_once]",
        "The rows, or columns, without repetitions.",
        unique,
    )
    .excel_only()
    .examples(&[
        ("=TEXTJOIN(\",\",TRUE,UNIQUE({1;2;1;3}))", "1,2,3"),
        ("=TEXTJOIN(\",\",TRUE,UNIQUE({1;2;1;3},FALSE,TRUE))", "2,3"),
        ("=ROWS(UNIQUE({\"a\";\"A\"}))", "1"),
    ]),
];

fn filter(context: &mut CallContext, arguments: &[Operand]) -> WholeOutcome {
    let (source, include) = (view(&arguments[0])?, view(&arguments[1])?);
    charge_view(context, include)?;
    if include.columns() == 1 && include.rows() == source.rows() {
        let chosen = chosen_rows(include)?;
        return match chosen.is_empty() {
            true => if_empty(arguments),
            false => rows_of(context, source, &chosen),
        };
    }
    if include.rows() == 1 && include.columns() == source.columns() {
        let mut chosen = Vec::new();
        for column in 0..include.columns() {
            if boolean(&include.value(0, column))? {
                chosen.push(column);
            }
        }
        return match chosen.is_empty() {
            true => if_empty(arguments),
            false => columns_of(context, source, &chosen),
        };
    }
    Err(ErrorValue::Value)
}

fn if_empty(arguments: &[Operand]) -> WholeOutcome {
    match given(arguments, 2) {
        Some(argument) => single(argument).map(Operand::Value),
        None => Err(ErrorValue::Calculation),
    }
}

fn chosen_rows(include: &dyn RangeView) -> Result<Vec<u32>, ErrorValue> {
    let mut chosen = Vec::new();
    for_each_cell(include, 0, &mut |row, value| {
        let holds = match value {
            ValueRef::Boolean(holds) => holds,
            ValueRef::Number(number) => number != 0.0,
            other => boolean(&other.to_value())?,
        };
        if holds {
            chosen.push(row);
        }
        Ok(())
    })?;
    Ok(chosen)
}

/// Some rows, in rising order, of a rectangle: one pass over each column.
pub(crate) fn rows_of(context: &mut CallContext, source: &dyn RangeView, rows: &[u32]) -> WholeOutcome {
    charge_view(context, source)?;
    let (height, width, count) =
        super::shape::extent(context, rows.len() as i64, i64::from(source.columns()))?;
    let mut values = vec![Value::Blank; count];
    for column in 0..width {
        let mut next = 0;
        for_each_cell(source, column, &mut |row, value| {
            if rows.get(next) == Some(&row) {
                values[next * width as usize + column as usize] = value.to_value();
                next += 1;
            }
            Ok(())
        })?;
    }
    array_operand(height, width, values)
}

fn columns_of(context: &mut CallContext, source: &dyn RangeView, columns: &[u32]) -> WholeOutcome {
    charge_view(context, source)?;
    let (height, width, count) =
        super::shape::extent(context, i64::from(source.rows()), columns.len() as i64)?;
    let mut values = vec![Value::Blank; count];
    for (target, column) in columns.iter().enumerate() {
        for_each_cell(source, *column, &mut |row, value| {
            values[row as usize * width as usize + target] = value.to_value();
            Ok(())
        })?;
    }
    array_operand(height, width, values)
}

/// Appends bytes that are the same for values that count as the same; no value's bytes begin another's.
fn push_key(key: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::Blank => key.push(0),
        ValueRef::Number(number) => {
            key.push(1);
            key.extend_from_slice(&number.to_bits().to_le_bytes());
        }
        ValueRef::Boolean(boolean) => key.extend_from_slice(&[2, u8::from(boolean)]),
        ValueRef::Error(error) => key.extend_from_slice(&[3, error.code()]),
        ValueRef::Text(text) => {
            let folded = fold_case(text);
            key.push(4);
            key.extend_from_slice(&(folded.len() as u32).to_le_bytes());
            key.extend_from_slice(folded.as_bytes());
        }
    }
}

/// For each row the key of all its columns.
fn row_keys(view: &dyn RangeView) -> Result<Vec<Vec<u8>>, ErrorValue> {
    let mut keys = vec![Vec::new(); view.rows() as usize];
    for column in 0..view.columns() {
        let mut next = 0;
        for_each_cell(view, column, &mut |row, value| {
            push_key(&mut keys[row as usize], value);
            next = row as usize + 1;
            Ok(())
        })?;
        for key in &mut keys[next..] {
            push_key(key, ValueRef::Blank);
        }
    }
    Ok(keys)
}

fn unique(context: &mut CallContext, arguments: &[Operand]) -> WholeOutcome {
    let source = view(&arguments[0])?;
    charge_view(context, source)?;
    context.budget.charge(u64::from(source.rows()))?;
    let by_column = given_boolean(arguments, 1, false)?;
    let exactly_once = given_boolean(arguments, 2, false)?;
    let keys = match by_column {
        false => row_keys(source)?,
        true => {
            let mut keys = Vec::new();
            for column in 0..source.columns() {
                let mut key = Vec::new();
                for value in column_values(source, column) {
                    push_key(&mut key, ValueRef::from(&value));
                }
                keys.push(key);
            }
            keys
        }
    };
    // The map is only asked, never walked: its order cannot be seen.
    let mut counts: HashMap<&[u8], (u32, u32)> = HashMap::with_capacity(keys.len());
    for (index, key) in keys.iter().enumerate() {
        counts.entry(key).or_insert((index as u32, 0)).1 += 1;
    }
    let mut chosen: Vec<u32> =
        counts.values().filter(|(_, count)| !exactly_once || *count == 1).map(|(first, _)| *first).collect();
    chosen.sort_unstable();
    match by_column {
        _ if chosen.is_empty() => Err(ErrorValue::Calculation),
        false => rows_of(context, source, &chosen),
        true => columns_of(context, source, &chosen),
    }
}
