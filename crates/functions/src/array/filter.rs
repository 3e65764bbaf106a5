//! FILTER and UNIQUE. Described in Excel's help.

use quadrille_cell::{ErrorValue, Value};

use super::columns::{CodePurpose, ColumnCopy, codes, first_equal_rows, rows_of};
use crate::arguments::{
    OperandResult, array_operand, charge_view, for_each_cell, optional, optional_boolean, view,
};
use crate::cancel::Cancel;
use crate::cancel::Exhausted;
use crate::coerce::boolean;
use crate::context::CallContext;
use crate::function::Function;
use crate::lookup::xlookup::subrange;
use crate::operands::{Operand, RangeView, ValueRef};

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

fn filter(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (source, include) = (view(&arguments[0])?, view(&arguments[1])?);
    charge_view(context, include)?;
    if include.columns() == 1 && include.rows() == source.rows() {
        let selected = included_rows(&context.budget.cancel, include)?;
        return match selected.is_empty() {
            true => if_empty(context, arguments),
            false => rows_of(context, source, selected.into_iter()),
        };
    }
    if include.rows() == 1 && include.columns() == source.columns() {
        let mut selected = Vec::new();
        for column in 0..include.columns() {
            if boolean(&include.value(0, column))? {
                selected.push(column);
            }
        }
        return match selected.is_empty() {
            true => if_empty(context, arguments),
            false => columns_of(context, source, &selected),
        };
    }
    Err(ErrorValue::Value)
}

fn if_empty(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    match optional(arguments, 2) {
        Some(argument) => {
            let last = view(argument).map(|view| (view.rows() - 1, view.columns() - 1))?;
            subrange(context, argument, (0, 0), last)
        }
        None => Err(ErrorValue::Calculation),
    }
}

fn included_rows(cancel: &Cancel, include: &dyn RangeView) -> Result<Vec<u32>, ErrorValue> {
    let mut selected = Vec::new();
    for_each_cell(cancel, include, 0, &mut |row, value| {
        let is_included = match value {
            ValueRef::Boolean(boolean) => boolean,
            ValueRef::Number(number) => number != 0.0,
            other => crate::coerce::boolean(&other.to_value())?,
        };
        if is_included {
            selected.push(row);
        }
        Ok(())
    })?;
    Ok(selected)
}

fn columns_of(context: &mut CallContext, source: &dyn RangeView, columns: &[u32]) -> OperandResult {
    charge_view(context, source)?;
    let (height, width, count) =
        super::shape::extent(context, i64::from(source.rows()), columns.len() as i64)?;
    let mut values = vec![Value::Blank; count];
    for (target, column) in columns.iter().enumerate() {
        for_each_cell(&context.budget.cancel, source, *column, &mut |row, value| {
            values[row as usize * width as usize + target] = value.to_value();
            Ok(())
        })?;
    }
    array_operand(height, width, values)
}

fn unique(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let source = view(&arguments[0])?;
    charge_view(context, source)?;
    // Blank cells get codes too.
    context.budget.charge(u64::from(source.rows()) * u64::from(source.columns()))?;
    let by_column = optional_boolean(arguments, 1, false)?;
    let exactly_once = optional_boolean(arguments, 2, false)?;
    let firsts = match by_column {
        true => first_equal_columns(&context.budget.cancel, source)?,
        false => first_equal_source_rows(&context.budget.cancel, source)?,
    };
    let mut counts = vec![0u32; firsts.len()];
    for first in &firsts {
        counts[*first as usize] += 1;
    }
    let is_selected = |index: &u32| match counts[*index as usize] {
        0 => false,
        count => !exactly_once || count == 1,
    };
    let selected: Vec<u32> = (0..counts.len() as u32).filter(is_selected).collect();
    match by_column {
        _ if selected.is_empty() => Err(ErrorValue::Calculation),
        false => rows_of(context, source, selected.into_iter()),
        true => columns_of(context, source, &selected),
    }
}

fn first_equal_source_rows(cancel: &Cancel, source: &dyn RangeView) -> Result<Vec<u32>, Exhausted> {
    let column_codes = |column| ColumnCopy::new(cancel, source, column)?.codes(cancel, CodePurpose::Equality);
    first_equal_rows(cancel, (0..source.columns()).map(column_codes), source.rows())
}

fn first_equal_columns(cancel: &Cancel, source: &dyn RangeView) -> Result<Vec<u32>, Exhausted> {
    let columns = source.columns();
    let row_codes = |row| {
        let values: Vec<Value> = (0..columns).map(|column| source.value(row, column)).collect();
        codes(cancel, values.iter().map(ValueRef::from), CodePurpose::Equality)
    };
    first_equal_rows(cancel, (0..source.rows()).map(row_codes), columns)
}
