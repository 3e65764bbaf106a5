//! Sorting: numbers before text before truth values before errors, blanks last; equal rows stay in their order.

use std::borrow::Cow;
use std::cmp::Ordering;

use quadrille_cell::{ErrorValue, Value};

use super::shape::extent;
use crate::arguments::{
    WholeOutcome, array_operand, charge_view, for_each_cell, given, given_boolean, values_by_row, view,
};
use crate::coerce::integer;
use crate::compare::fold_case;
use crate::context::CallContext;
use crate::operand::{Operand, RangeView, ValueRef};
use crate::registry::Function;

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

/// What a cell sorts by.
enum Key<'a> {
    Number(f64),
    Text(Cow<'a, str>),
    Boolean(bool),
    Error,
    Blank,
}

impl Key<'_> {
    fn new(value: ValueRef<'_>) -> Key<'static> {
        match value {
            ValueRef::Number(number) => Key::Number(number),
            ValueRef::Text(text) => Key::Text(Cow::Owned(fold_case(text).into_owned())),
            ValueRef::Boolean(boolean) => Key::Boolean(boolean),
            ValueRef::Error(_) => Key::Error,
            ValueRef::Blank => Key::Blank,
        }
    }

    fn kind(&self) -> u8 {
        match self {
            Key::Number(_) => 0,
            Key::Text(_) => 1,
            Key::Boolean(_) => 2,
            Key::Error => 3,
            Key::Blank => 4,
        }
    }

    /// Descending order turns everything round but blanks, which stay last.
    fn compare(&self, other: &Key<'_>, is_descending: bool) -> Ordering {
        let order = match (self, other) {
            (Key::Blank, _) | (_, Key::Blank) => return self.kind().cmp(&other.kind()),
            (Key::Number(a), Key::Number(b)) => a.total_cmp(b),
            (Key::Text(a), Key::Text(b)) => a.cmp(b),
            (Key::Boolean(a), Key::Boolean(b)) => a.cmp(b),
            (Key::Error, Key::Error) => Ordering::Equal,
            _ => self.kind().cmp(&other.kind()),
        };
        if is_descending { order.reverse() } else { order }
    }
}

/// One of the columns sorted by.
struct KeyColumn {
    keys: Vec<Key<'static>>,
    is_descending: bool,
}

/// The order of so many rows by several columns of keys.
fn order(context: &mut CallContext, columns: &[KeyColumn], count: u32) -> Result<Vec<u32>, ErrorValue> {
    // Comparisons are about n log n; sixteen is enough for a million.
    context.budget.charge(u64::from(count) * 16)?;
    let mut order: Vec<u32> = (0..count).collect();
    order.sort_by(|a, b| {
        columns
            .iter()
            .map(|column| column.keys[*a as usize].compare(&column.keys[*b as usize], column.is_descending))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    });
    Ok(order)
}

fn column_keys(view: &dyn RangeView, column: u32) -> Vec<Key<'static>> {
    let mut keys = Vec::with_capacity(view.rows() as usize);
    let _ = for_each_cell(view, column, &mut |_, value| {
        keys.push(Key::new(value));
        Ok(())
    });
    keys.resize_with(view.rows() as usize, || Key::Blank);
    keys
}

fn row_keys(view: &dyn RangeView, row: u32) -> Vec<Key<'static>> {
    (0..view.columns()).map(|column| Key::new(ValueRef::from(&view.value(row, column)))).collect()
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
    let (rows, columns, count) = extent(context, i64::from(view.rows()), i64::from(view.columns()))?;
    if by_column {
        let mut values = Vec::with_capacity(count);
        for row in 0..rows {
            values.extend(order.iter().map(|column| view.value(row, *column)));
        }
        return array_operand(rows, columns, values);
    }
    let mut place = vec![0u32; rows as usize];
    for (target, source) in order.iter().enumerate() {
        place[*source as usize] = target as u32;
    }
    let mut values = vec![Value::Blank; count];
    for column in 0..columns {
        for_each_cell(view, column, &mut |row, value| {
            values[place[row as usize] as usize * columns as usize + column as usize] = value.to_value();
            Ok(())
        })?;
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
    let mut columns = Vec::new();
    for (place, index) in indices.iter().enumerate() {
        let index = integer(index)?;
        if !(1..=i64::from(width)).contains(&index) {
            return Err(ErrorValue::Value);
        }
        let index = index as u32 - 1;
        let keys = if by_column { row_keys(source, index) } else { column_keys(source, index) };
        let order = orders.get(place).or(orders.last()).ok_or(ErrorValue::Value)?;
        columns.push(KeyColumn { keys, is_descending: is_descending(order)? });
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
        let keys = if is_column { row_keys(by, 0) } else { column_keys(by, 0) };
        columns.push(KeyColumn { keys, is_descending });
    }
    let by_column = by_column.ok_or(ErrorValue::Value)?;
    let count = if by_column { source.columns() } else { source.rows() };
    let order = order(context, &columns, count)?;
    permuted(context, source, &order, by_column)
}
