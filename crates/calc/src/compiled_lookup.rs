//! Compiled lookups: a run of them is a loop over the lookup values with one index for all.
//!
//! Recognised are VLOOKUP, HLOOKUP, MATCH, XLOOKUP, XMATCH and INDEX of MATCH when the lookup value
//! is a cell and the lookup array is a fixed range of one column, or of one row for exact matches;
//! also inside IFERROR or IFNA with a constant. Wildcards, errors and blank lookup values are left
//! to the evaluator, which gives the same results.

use std::cell::Ref;

use quadrille_cell::{COLUMNS_MAX, CellAddress, ColumnIndex, ErrorValue, ROWS_MAX, SheetId, Value};
use quadrille_formula::{Area, CellReference, Coordinate, Expression, Reference, SheetReference, Template};
use quadrille_functions::{RowOrColumn, ValueRef};
use quadrille_workbook::{Column, Sheet, Slice};

use crate::arithmetic_program;
use crate::index::{self, Indexes, RowIndex, RowsByValue, contains_wildcard};
use crate::value_access::{blank_as_zero, borrowed_value};

#[derive(Clone, Debug)]
pub(crate) struct CompiledLookup {
    pub lookup_sheet: Option<SheetId>,
    pub lookup_value: CellReference,
    pub match_mode: MatchMode,
    keys: LookupArray,
    result: LookupResult,
    /// XLOOKUP's result instead of `#N/A`.
    if_not_found: Option<Value>,
    on_error: Option<OnError>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MatchMode {
    /// The first equal key. Texts may contain wildcards; a blank lookup value counts as zero.
    ExactOrWildcard,
    /// The first equal key. Texts are literal; a blank lookup value matches blanks.
    Exact,
    /// The last key that is not greater, among ascending keys.
    Approximate,
}

/// Fixed rows of one column, or fixed columns of one row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LookupArray {
    sheet: Option<SheetId>,
    axis: Axis,
    first: u32,
    last: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Axis {
    Column(Coordinate),
    Row(u32),
}

impl LookupArray {
    /// The column or row of the array for a run in `column`.
    fn along(&self, column: u32) -> Option<RowOrColumn> {
        match self.axis {
            Axis::Column(coordinate) => Some(RowOrColumn::Column(column_number(coordinate, column)?.get())),
            Axis::Row(row) => Some(RowOrColumn::Row(row)),
        }
    }

    /// The same array `offset` columns to the right, or `offset` rows below when it is a row.
    fn beside(self, offset: u32) -> Option<LookupArray> {
        let axis = match self.axis {
            Axis::Column(column) => Axis::Column(shifted(column, offset)?),
            Axis::Row(row) => Axis::Row(row.checked_add(offset)?),
        };
        Some(LookupArray { axis, ..self })
    }

    fn is_row(&self) -> bool {
        matches!(self.axis, Axis::Row(_))
    }
}

/// The cell at a position along a column or row.
pub(crate) fn cell_at(line: RowOrColumn, position: u32) -> CellAddress {
    match line {
        RowOrColumn::Column(column) => CellAddress::clamped(position, column),
        RowOrColumn::Row(row) => CellAddress::clamped(row, position),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LookupResult {
    /// The position of the key, starting at 1.
    Position,
    /// The cell of this array that corresponds to the key. The array may be shorter than the keys.
    ReturnArray(LookupArray),
}

#[derive(Clone, PartialEq, Debug)]
struct OnError {
    /// Whether the call is IFNA and catches only `#N/A`.
    only_not_available: bool,
    value: Value,
}

impl CompiledLookup {
    /// Compiles a template; `None` when it is no recognised lookup.
    pub fn compile(template: &Template) -> Option<CompiledLookup> {
        CompiledLookup::from_expression(template.expression())
    }

    fn from_expression(expression: &Expression) -> Option<CompiledLookup> {
        let Expression::Call { function, arguments } = expression else { return None };
        match (&**function, &arguments[..]) {
            ("IFERROR" | "IFNA", [lookup, otherwise]) => {
                let run = CompiledLookup::from_expression(lookup).filter(|run| run.on_error.is_none())?;
                let on_error =
                    OnError { only_not_available: &**function == "IFNA", value: constant(otherwise)? };
                Some(CompiledLookup { on_error: Some(on_error), ..run })
            }
            (name @ ("VLOOKUP" | "HLOOKUP"), [lookup_value, table, line, rest @ ..]) if rest.len() <= 1 => {
                let (keys, count) = if name == "VLOOKUP" { columns_of(table)? } else { rows_of(table)? };
                let offset = position_number(line).filter(|position| *position <= count)? - 1;
                let match_mode = if constant_boolean(rest.first(), true)? {
                    MatchMode::Approximate
                } else {
                    MatchMode::ExactOrWildcard
                };
                CompiledLookup::new(
                    lookup_value,
                    match_mode,
                    keys,
                    LookupResult::ReturnArray(keys.beside(offset)?),
                )
            }
            ("MATCH", _) => CompiledLookup::from_match(arguments),
            ("XMATCH", [lookup_value, keys]) => CompiledLookup::new(
                lookup_value,
                MatchMode::Exact,
                one_dimensional(keys)?,
                LookupResult::Position,
            ),
            ("INDEX", [results, Expression::Call { function, arguments }]) if &**function == "MATCH" => {
                let position = CompiledLookup::from_match(arguments)?;
                let results =
                    one_dimensional(results).filter(|line| line.is_row() == position.keys.is_row())?;
                Some(CompiledLookup { result: LookupResult::ReturnArray(results), ..position })
            }
            ("XLOOKUP", [lookup_value, keys, results, rest @ ..]) if rest.len() <= 1 => {
                let (keys, results) = (one_dimensional(keys)?, one_dimensional(results)?);
                let is_alike = results.is_row() == keys.is_row()
                    && results.last - results.first == keys.last - keys.first;
                if !is_alike || keys.first == keys.last {
                    return None;
                }
                let if_not_found = match rest.first() {
                    None | Some(Expression::Missing) => None,
                    Some(otherwise) => Some(constant(otherwise)?),
                };
                let run = CompiledLookup::new(
                    lookup_value,
                    MatchMode::Exact,
                    keys,
                    LookupResult::ReturnArray(results),
                )?;
                Some(CompiledLookup { if_not_found, ..run })
            }
            _ => None,
        }
    }

    fn from_match(arguments: &[Expression]) -> Option<CompiledLookup> {
        let [lookup_value, keys, rest @ ..] = arguments else { return None };
        let match_mode = match rest {
            [] | [Expression::Number(1.0)] => MatchMode::Approximate,
            [Expression::Number(0.0) | Expression::Missing] => MatchMode::ExactOrWildcard,
            _ => return None,
        };
        CompiledLookup::new(lookup_value, match_mode, one_dimensional(keys)?, LookupResult::Position)
    }

    fn new(
        lookup_value: &Expression,
        match_mode: MatchMode,
        keys: LookupArray,
        result: LookupResult,
    ) -> Option<CompiledLookup> {
        let Expression::Reference(Reference { sheet, area: Area::Cell(lookup_value) }) = lookup_value else {
            return None;
        };
        let Coordinate::Relative(_) = lookup_value.row else { return None };
        // Row indexes do not record where numbers ascend.
        if match_mode == MatchMode::Approximate && keys.is_row() {
            return None;
        }
        let lookup_sheet = own_sheet(sheet.as_ref())?;
        Some(CompiledLookup {
            lookup_sheet,
            lookup_value: *lookup_value,
            match_mode,
            keys,
            result,
            if_not_found: None,
            on_error: None,
        })
    }

    /// Sheet and column of the lookup values for a run in `column`, and their row offset from the
    /// formulas.
    pub fn lookup_values_from(&self, sheet: SheetId, column: u32) -> Option<(SheetId, u32, i64)> {
        let column = column_number(self.lookup_value.column, column)?;
        Some((self.lookup_sheet.unwrap_or(sheet), column.get(), self.lookup_value.row.resolve(0)))
    }

    /// Whether the lookup array is a row.
    pub fn is_along_row(&self) -> bool {
        self.keys.is_row()
    }

    /// Sheet and column or row of the keys for a run in `column`.
    pub fn keys_from(&self, sheet: SheetId, column: u32) -> Option<(SheetId, RowOrColumn)> {
        Some((self.keys.sheet.unwrap_or(sheet), self.keys.along(column)?))
    }

    /// Positions of the keys affected by a change of one cell: the cell as a key, and the key whose
    /// result is in the cell.
    pub fn affected_keys(&self, sheet: SheetId, host: (SheetId, u32), cell: CellAddress) -> [Option<u32>; 2] {
        let (row, column) = (cell.row.get(), cell.column.get());
        let position_in = |line: &LookupArray| match line.along(host.1)? {
            _ if line.sheet.unwrap_or(host.0) != sheet => None,
            RowOrColumn::Column(own) => (own == column).then_some(row),
            RowOrColumn::Row(own) => (own == row).then_some(column),
        };
        let as_key = position_in(&self.keys);
        let as_result = match &self.result {
            LookupResult::ReturnArray(results) => position_in(results)
                .and_then(|position| position.checked_sub(results.first))
                .and_then(|offset| self.keys.first.checked_add(offset)),
            LookupResult::Position => None,
        };
        [as_key, as_result].map(|key| key.filter(|key| (self.keys.first..=self.keys.last).contains(key)))
    }

    /// Results of the rows `first..first + count`; `None` for rows that are left to the evaluator.
    /// Returns `None` altogether when there is no index.
    pub fn run(
        &self,
        host: arithmetic_program::HostPosition<'_>,
        indexes: &Indexes,
        first: u32,
        count: u32,
    ) -> Option<Vec<Option<Value>>> {
        let keys_sheet = host.workbook.sheet(self.keys.sheet.unwrap_or(host.sheet))?;
        let keys_line = self.keys.along(host.column)?;
        let among = (self.keys.first, self.keys.last);
        let beside = match &self.result {
            LookupResult::Position => None,
            LookupResult::ReturnArray(line) => {
                let sheet = host.workbook.sheet(line.sheet.unwrap_or(host.sheet))?;
                Some((line, Results::new(sheet, line.along(host.column)?)))
            }
        };
        let lookup_sheet = host.workbook.sheet(self.lookup_sheet.unwrap_or(host.sheet))?;
        let lookup_column = lookup_sheet.column(column_number(self.lookup_value.column, host.column)?);
        let top = u32::try_from(self.lookup_value.row.resolve(first)).ok()?;
        if top + count > ROWS_MAX {
            return None;
        }
        let index = match (self.match_mode, keys_line) {
            (MatchMode::Approximate, RowOrColumn::Column(column)) => {
                Index::Column(indexes.ascending(keys_sheet, column, among)?)
            }
            (MatchMode::Approximate, RowOrColumn::Row(_)) => return None,
            (_, RowOrColumn::Column(column)) => {
                Index::Column(indexes.by_value(keys_sheet, column, among, count)?)
            }
            (_, RowOrColumn::Row(row)) => Index::Row(indexes.row_by_value(keys_sheet, row, among, count)?),
        };
        let last_up_to = |number: f64| match &index {
            Index::Column(index) => index.last_row_up_to(number, among.0, among.1),
            Index::Row(_) => None,
        };
        let first_of = |value: ValueRef<'_>| index.values().rows_in(value, among).first().copied();
        let mut results = Vec::with_capacity(count as usize);
        for_each_value(lookup_column, top, count, |lookup_value| {
            let found = match (self.match_mode, lookup_value) {
                (_, ValueRef::Error(error)) => Some(Err(error)),
                (MatchMode::Exact, ValueRef::Blank) => None,
                (MatchMode::Approximate, ValueRef::Number(number)) => Some(Ok(last_up_to(number))),
                (MatchMode::Approximate, ValueRef::Blank) => Some(Ok(last_up_to(0.0))),
                (MatchMode::Approximate, _) => None,
                (MatchMode::ExactOrWildcard, ValueRef::Text(text)) if contains_wildcard(text) => None,
                (MatchMode::ExactOrWildcard, ValueRef::Blank) => {
                    Some(Ok(Some(first_of(ValueRef::Number(0.0)))))
                }
                (_, value) => Some(Ok(Some(first_of(value)))),
            };
            results.push(match found {
                // Left to the evaluator, or the keys do not ascend.
                None | Some(Ok(None)) => None,
                Some(Err(error)) => Some(self.finish(Value::Error(error))),
                Some(Ok(Some(None))) => Some(self.finish(match &self.if_not_found {
                    Some(value) => value.clone(),
                    None => Value::Error(ErrorValue::NotAvailable),
                })),
                Some(Ok(Some(Some(found)))) => {
                    let offset = found - self.keys.first;
                    Some(self.finish(match &beside {
                        None => Value::Number(f64::from(offset) + 1.0),
                        Some((line, _)) if offset > line.last - line.first => {
                            Value::Error(ErrorValue::Reference)
                        }
                        Some((line, results)) => results.value(line.first + offset),
                    }))
                }
            });
        });
        Some(results)
    }

    fn finish(&self, value: Value) -> Value {
        match (&self.on_error, value) {
            (Some(on_error), Value::Error(error))
                if !on_error.only_not_available || error == ErrorValue::NotAvailable =>
            {
                on_error.value.clone()
            }
            (_, value) => blank_as_zero(value),
        }
    }
}

enum Index<'a> {
    Column(Ref<'a, index::ColumnIndex>),
    Row(Ref<'a, RowIndex>),
}

impl Index<'_> {
    fn values(&self) -> &RowsByValue {
        match self {
            Index::Column(index) => index.values(),
            Index::Row(index) => index.values(),
        }
    }
}

/// The column or row that results are taken from.
enum Results<'a> {
    Column(Option<&'a Column>),
    Row(&'a Sheet, u32),
}

impl<'a> Results<'a> {
    fn new(sheet: &'a Sheet, line: RowOrColumn) -> Results<'a> {
        match line {
            RowOrColumn::Column(column) => Results::Column(sheet.column(ColumnIndex::clamped(column))),
            RowOrColumn::Row(row) => Results::Row(sheet, row),
        }
    }

    fn value(&self, position: u32) -> Value {
        match self {
            Results::Column(column) => column.map_or(Value::Blank, |column| column.value(position)),
            Results::Row(sheet, row) => sheet.value(cell_at(RowOrColumn::Row(*row), position)),
        }
    }
}

/// Visits the values of `count` rows from `top` on, including blanks.
fn for_each_value(column: Option<&Column>, top: u32, count: u32, mut visit: impl FnMut(ValueRef<'_>)) {
    let mut next = top;
    for (row, slice) in column.into_iter().flat_map(|column| column.slices(top, top + count - 1)) {
        (next..row).for_each(|_| visit(ValueRef::Blank));
        match slice {
            Slice::Numbers(numbers) => numbers.iter().for_each(|number| visit(ValueRef::Number(*number))),
            Slice::Mixed(mixed) => (0..mixed.len()).for_each(|index| visit(borrowed_value(&mixed, index))),
        }
        next = row + slice.len() as u32;
    }
    (next..top + count).for_each(|_| visit(ValueRef::Blank));
}

/// A constant; a missing argument of IFERROR or IFNA yields zero.
fn constant(expression: &Expression) -> Option<Value> {
    match expression {
        Expression::Number(number) => Some(Value::Number(*number)),
        Expression::Text(text) => Some(Value::Text(text.clone())),
        Expression::Boolean(boolean) => Some(Value::Boolean(*boolean)),
        Expression::Missing => Some(Value::Number(0.0)),
        Expression::Unary(quadrille_formula::UnaryOperator::Minus, inner) => match **inner {
            Expression::Number(number) => Value::number(-number).into(),
            _ => None,
        },
        _ => None,
    }
}

/// A constant truth value: `default` when the argument is omitted, FALSE when it is empty.
fn constant_boolean(argument: Option<&Expression>, default: bool) -> Option<bool> {
    match argument {
        None => Some(default),
        Some(Expression::Missing) => Some(false),
        Some(Expression::Boolean(boolean)) => Some(*boolean),
        Some(Expression::Number(number)) => Some(*number != 0.0),
        Some(_) => None,
    }
}

/// A whole number from 1 to 16,384.
fn position_number(expression: &Expression) -> Option<u32> {
    match expression {
        Expression::Number(number) if *number >= 1.0 && *number <= 16_384.0 && number.trunc() == *number => {
            Some(*number as u32)
        }
        _ => None,
    }
}

fn shifted(column: Coordinate, offset: u32) -> Option<Coordinate> {
    Some(match column {
        Coordinate::Absolute(index) => Coordinate::Absolute(index.checked_add(offset)?),
        Coordinate::Relative(index) => Coordinate::Relative(index.checked_add(i32::try_from(offset).ok()?)?),
    })
}

/// The first column of a fixed range and its number of columns.
fn columns_of(expression: &Expression) -> Option<(LookupArray, u32)> {
    let Expression::Reference(Reference { sheet, area }) = expression else { return None };
    let sheet = own_sheet(sheet.as_ref())?;
    let (columns, rows) = match *area {
        Area::Cells(a, b) => match (a.row, b.row) {
            (Coordinate::Absolute(first), Coordinate::Absolute(last)) => {
                ((a.column, b.column), (first.min(last), first.max(last)))
            }
            _ => return None,
        },
        Area::Columns(a, b) => ((a, b), (0, ROWS_MAX - 1)),
        Area::Cell(_) | Area::Rows(..) => return None,
    };
    // The host must not decide which column is the first.
    let (column, count) = match columns {
        (Coordinate::Absolute(a), Coordinate::Absolute(b)) => {
            (Coordinate::Absolute(a.min(b)), a.abs_diff(b) + 1)
        }
        (Coordinate::Relative(a), Coordinate::Relative(b)) => {
            (Coordinate::Relative(a.min(b)), a.abs_diff(b) + 1)
        }
        _ => return None,
    };
    Some((LookupArray { sheet, axis: Axis::Column(column), first: rows.0, last: rows.1 }, count))
}

/// The first row of a range that is the same for every host, and its number of rows.
fn rows_of(expression: &Expression) -> Option<(LookupArray, u32)> {
    let Expression::Reference(Reference { sheet, area }) = expression else { return None };
    let sheet = own_sheet(sheet.as_ref())?;
    let all = (Coordinate::Absolute(0), Coordinate::Absolute(COLUMNS_MAX - 1));
    let (columns, rows) = match *area {
        Area::Cells(a, b) => ((a.column, b.column), (a.row, b.row)),
        Area::Rows(a, b) => (all, (a, b)),
        Area::Cell(_) | Area::Columns(..) => return None,
    };
    let (
        (Coordinate::Absolute(left), Coordinate::Absolute(right)),
        (Coordinate::Absolute(a), Coordinate::Absolute(b)),
    ) = (columns, rows)
    else {
        return None;
    };
    let line =
        LookupArray { sheet, axis: Axis::Row(a.min(b)), first: left.min(right), last: left.max(right) };
    Some((line, a.abs_diff(b) + 1))
}

fn one_dimensional(expression: &Expression) -> Option<LookupArray> {
    let is_one = |(line, count): &(LookupArray, u32)| *count == 1 && line.first < line.last;
    let (line, _) = columns_of(expression).filter(is_one).or_else(|| rows_of(expression).filter(is_one))?;
    Some(line)
}

/// The sheet of a reference, `Some(None)` for the host's own; `None` for several or unknown sheets.
fn own_sheet(sheet: Option<&SheetReference>) -> Option<Option<SheetId>> {
    match sheet {
        None => Some(None),
        Some(SheetReference::Sheet(sheet)) => Some(Some(*sheet)),
        Some(_) => None,
    }
}

fn column_number(column: Coordinate, host: u32) -> Option<ColumnIndex> {
    u32::try_from(column.resolve(host)).ok().and_then(ColumnIndex::new)
}
