//! Lookups, compiled: a run of them is a loop over what is looked up, with one index for all.
//!
//! Recognised are VLOOKUP, HLOOKUP, MATCH, XLOOKUP, XMATCH and INDEX of MATCH, for a cell in a fixed range of one column or
//! row (of a row only exactly), also inside IFERROR or IFNA with a constant. Cells whose lookup is anything special (wildcards, an error, a blank that
//! is looked for) are left to the evaluator. Both give the same values.

use std::cell::Ref;

use quadrille_cell::{COLUMNS_MAX, CellAddress, ColumnIndex, ErrorValue, ROWS_MAX, SheetId, Value};
use quadrille_formula::{Area, CellReference, Coordinate, Expression, Reference, SheetReference, Template};
use quadrille_functions::{Along, ValueRef};
use quadrille_workbook::{Column, Sheet, Slice};

use crate::arithmetic_program;
use crate::evaluator::{mixed_value, shown};
use crate::index::{self, Indexes, RowIndex, RowsByValue, may_stand_for_many};

#[derive(Clone, Debug)]
pub(crate) struct CompiledLookup {
    pub wanted_sheet: Option<SheetId>,
    pub wanted: CellReference,
    pub search: Search,
    keys: Line,
    yields: Yields,
    /// What XLOOKUP yields instead of `#N/A`.
    if_not_found: Option<Value>,
    on_error: Option<OnError>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Search {
    /// The first equal key. A text may have wildcards, and a blank counts as zero.
    Equal,
    /// The first equal key. A text is what it is, and a blank is looked for as such.
    Same,
    /// The last key not above, of keys that rise.
    Sorted,
}

/// Fixed rows of one column, or fixed columns of one row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    sheet: Option<SheetId>,
    place: Place,
    first: u32,
    last: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Column(Coordinate),
    Row(u32),
}

impl Line {
    /// Where the line is for a run in `column`.
    fn along(&self, column: u32) -> Option<Along> {
        match self.place {
            Place::Column(place) => Some(Along::Column(column_number(place, column)?.get())),
            Place::Row(row) => Some(Along::Row(row)),
        }
    }

    /// As many columns to the right, or rows below.
    fn beside(self, offset: u32) -> Option<Line> {
        let place = match self.place {
            Place::Column(column) => Place::Column(shifted(column, offset)?),
            Place::Row(row) => Place::Row(row.checked_add(offset)?),
        };
        Some(Line { place, ..self })
    }

    fn is_row(&self) -> bool {
        matches!(self.place, Place::Row(_))
    }
}

/// Which cell of a line is at a place along it.
pub(crate) fn cell_along(line: Along, place: u32) -> CellAddress {
    match line {
        Along::Column(column) => CellAddress::clamped(place, column),
        Along::Row(row) => CellAddress::clamped(row, place),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Yields {
    /// The key's place, counted from one.
    Place,
    /// The cell beside the key in this line, which begins beside the first key and may be shorter than the keys.
    Beside(Line),
}

#[derive(Clone, PartialEq, Debug)]
struct OnError {
    /// IFNA.
    only_not_available: bool,
    value: Value,
}

impl CompiledLookup {
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
            (name @ ("VLOOKUP" | "HLOOKUP"), [wanted, table, line, rest @ ..]) if rest.len() <= 1 => {
                let (keys, lines) = if name == "VLOOKUP" { columns_of(table)? } else { rows_of(table)? };
                let offset = position_number(line).filter(|place| *place <= lines)? - 1;
                let search = if is_true(rest.first(), true)? { Search::Sorted } else { Search::Equal };
                CompiledLookup::new(wanted, search, keys, Yields::Beside(keys.beside(offset)?))
            }
            ("MATCH", _) => CompiledLookup::from_match(arguments),
            ("XMATCH", [wanted, keys]) => {
                CompiledLookup::new(wanted, Search::Same, one_line(keys)?, Yields::Place)
            }
            ("INDEX", [results, Expression::Call { function, arguments }]) if &**function == "MATCH" => {
                let place = CompiledLookup::from_match(arguments)?;
                let results = one_line(results).filter(|line| line.is_row() == place.keys.is_row())?;
                Some(CompiledLookup { yields: Yields::Beside(results), ..place })
            }
            ("XLOOKUP", [wanted, keys, results, rest @ ..]) if rest.len() <= 1 => {
                let (keys, results) = (one_line(keys)?, one_line(results)?);
                let is_alike = results.is_row() == keys.is_row()
                    && results.last - results.first == keys.last - keys.first;
                if !is_alike || keys.first == keys.last {
                    return None;
                }
                let if_not_found = match rest.first() {
                    None | Some(Expression::Missing) => None,
                    Some(otherwise) => Some(constant(otherwise)?),
                };
                let run = CompiledLookup::new(wanted, Search::Same, keys, Yields::Beside(results))?;
                Some(CompiledLookup { if_not_found, ..run })
            }
            _ => None,
        }
    }

    fn from_match(arguments: &[Expression]) -> Option<CompiledLookup> {
        let [wanted, keys, rest @ ..] = arguments else { return None };
        let search = match rest {
            [] | [Expression::Number(1.0)] => Search::Sorted,
            [Expression::Number(0.0) | Expression::Missing] => Search::Equal,
            _ => return None,
        };
        CompiledLookup::new(wanted, search, one_line(keys)?, Yields::Place)
    }

    fn new(wanted: &Expression, search: Search, keys: Line, yields: Yields) -> Option<CompiledLookup> {
        let Expression::Reference(Reference { sheet, area: Area::Cell(wanted) }) = wanted else {
            return None;
        };
        let Coordinate::Relative(_) = wanted.row else { return None };
        // Nobody notes where the numbers of a row rise.
        if search == Search::Sorted && keys.is_row() {
            return None;
        }
        let wanted_sheet = own_sheet(sheet.as_ref())?;
        Some(CompiledLookup {
            wanted_sheet,
            wanted: *wanted,
            search,
            keys,
            yields,
            if_not_found: None,
            on_error: None,
        })
    }

    /// Sheet and column of the cells looked up for a run in `column`, and how many rows below their formula they are.
    pub fn wanted_from(&self, sheet: SheetId, column: u32) -> Option<(SheetId, u32, i64)> {
        let column = column_number(self.wanted.column, column)?;
        Some((self.wanted_sheet.unwrap_or(sheet), column.get(), self.wanted.row.resolve(0)))
    }

    pub fn is_along_row(&self) -> bool {
        self.keys.is_row()
    }

    /// Sheet and line of the keys for a run in `column`.
    pub fn keys_from(&self, sheet: SheetId, column: u32) -> Option<(SheetId, Along)> {
        Some((self.keys.sheet.unwrap_or(sheet), self.keys.along(column)?))
    }

    /// The places of keys that a change of one cell concerns: itself as a key, and the key beside it as a result.
    pub fn affected_keys(&self, sheet: SheetId, host: (SheetId, u32), cell: CellAddress) -> [Option<u32>; 2] {
        let (row, column) = (cell.row.get(), cell.column.get());
        let place_in = |line: &Line| match line.along(host.1)? {
            _ if line.sheet.unwrap_or(host.0) != sheet => None,
            Along::Column(place) => (place == column).then_some(row),
            Along::Row(place) => (place == row).then_some(column),
        };
        let as_key = place_in(&self.keys);
        let as_result = match &self.yields {
            Yields::Beside(results) => place_in(results)
                .and_then(|place| place.checked_sub(results.first))
                .and_then(|offset| self.keys.first.checked_add(offset)),
            Yields::Place => None,
        };
        [as_key, as_result].map(|key| key.filter(|key| (self.keys.first..=self.keys.last).contains(key)))
    }

    /// The results of the rows `first..first + count`; those left to the evaluator are `None`. `None` when there is no
    /// index to look into.
    pub fn run(
        &self,
        place: arithmetic_program::HostPosition<'_>,
        indexes: &Indexes,
        first: u32,
        count: u32,
    ) -> Option<Vec<Option<Value>>> {
        let keys_sheet = place.workbook.sheet(self.keys.sheet.unwrap_or(place.sheet))?;
        let keys_line = self.keys.along(place.column)?;
        let among = (self.keys.first, self.keys.last);
        let beside = match &self.yields {
            Yields::Place => None,
            Yields::Beside(line) => {
                let sheet = place.workbook.sheet(line.sheet.unwrap_or(place.sheet))?;
                Some((line, Results::new(sheet, line.along(place.column)?)))
            }
        };
        let wanted_sheet = place.workbook.sheet(self.wanted_sheet.unwrap_or(place.sheet))?;
        let wanted_column = wanted_sheet.column(column_number(self.wanted.column, place.column)?);
        let top = u32::try_from(self.wanted.row.resolve(first)).ok()?;
        if top + count > ROWS_MAX {
            return None;
        }
        let index = match (self.search, keys_line) {
            (Search::Sorted, Along::Column(column)) => {
                Index::Column(indexes.rising(keys_sheet, column, among)?)
            }
            (Search::Sorted, Along::Row(_)) => return None,
            (_, Along::Column(column)) => Index::Column(indexes.by_value(keys_sheet, column, among, count)?),
            (_, Along::Row(row)) => Index::Row(indexes.row_by_value(keys_sheet, row, among, count)?),
        };
        let last_up_to = |number: f64| match &index {
            Index::Column(index) => index.last_row_up_to(number, among.0, among.1),
            Index::Row(_) => None,
        };
        let first_of = |value: ValueRef<'_>| index.values().rows_among(value, among).first().copied();
        let mut results = Vec::with_capacity(count as usize);
        each_value(wanted_column, top, count, |wanted| {
            let found = match (self.search, wanted) {
                (_, ValueRef::Error(error)) => Some(Err(error)),
                (Search::Same, ValueRef::Blank) => None,
                (Search::Sorted, ValueRef::Number(number)) => Some(Ok(last_up_to(number))),
                (Search::Sorted, ValueRef::Blank) => Some(Ok(last_up_to(0.0))),
                (Search::Sorted, _) => None,
                (Search::Equal, ValueRef::Text(text)) if may_stand_for_many(text) => None,
                (Search::Equal, ValueRef::Blank) => Some(Ok(Some(first_of(ValueRef::Number(0.0))))),
                (_, value) => Some(Ok(Some(first_of(value)))),
            };
            results.push(match found {
                // What is left to the evaluator, or keys that turn out not to rise.
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
            (_, value) => shown(value),
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

/// The line that results are taken from.
enum Results<'a> {
    Column(Option<&'a Column>),
    Row(&'a Sheet, u32),
}

impl<'a> Results<'a> {
    fn new(sheet: &'a Sheet, line: Along) -> Results<'a> {
        match line {
            Along::Column(column) => Results::Column(sheet.column(ColumnIndex::clamped(column))),
            Along::Row(row) => Results::Row(sheet, row),
        }
    }

    fn value(&self, place: u32) -> Value {
        match self {
            Results::Column(column) => column.map_or(Value::Blank, |column| column.value(place)),
            Results::Row(sheet, row) => sheet.value(cell_along(Along::Row(*row), place)),
        }
    }
}

/// Visits the values of `count` rows from `top` on, blanks included.
fn each_value(column: Option<&Column>, top: u32, count: u32, mut visit: impl FnMut(ValueRef<'_>)) {
    let mut next = top;
    for (row, slice) in column.into_iter().flat_map(|column| column.slices(top, top + count - 1)) {
        (next..row).for_each(|_| visit(ValueRef::Blank));
        match slice {
            Slice::Numbers(numbers) => numbers.iter().for_each(|number| visit(ValueRef::Number(*number))),
            Slice::Mixed(mixed) => (0..mixed.len()).for_each(|index| visit(mixed_value(&mixed, index))),
        }
        next = row + slice.len() as u32;
    }
    (next..top + count).for_each(|_| visit(ValueRef::Blank));
}

/// A value that does not depend on anything. What IF functions yield for a missing argument is zero.
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

/// Left out it is `default`, left empty it is FALSE.
fn is_true(argument: Option<&Expression>, default: bool) -> Option<bool> {
    match argument {
        None => Some(default),
        Some(Expression::Missing) => Some(false),
        Some(Expression::Boolean(boolean)) => Some(*boolean),
        Some(Expression::Number(number)) => Some(*number != 0.0),
        Some(_) => None,
    }
}

/// A whole number from one on.
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

/// The first column of a fixed range, and how many it has.
fn columns_of(expression: &Expression) -> Option<(Line, u32)> {
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
    // Which column is the first must not depend on the host.
    let (column, count) = match columns {
        (Coordinate::Absolute(a), Coordinate::Absolute(b)) => {
            (Coordinate::Absolute(a.min(b)), a.abs_diff(b) + 1)
        }
        (Coordinate::Relative(a), Coordinate::Relative(b)) => {
            (Coordinate::Relative(a.min(b)), a.abs_diff(b) + 1)
        }
        _ => return None,
    };
    Some((Line { sheet, place: Place::Column(column), first: rows.0, last: rows.1 }, count))
}

/// The first row of a range that is the same for every host, and how many it has.
fn rows_of(expression: &Expression) -> Option<(Line, u32)> {
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
    let line = Line { sheet, place: Place::Row(a.min(b)), first: left.min(right), last: left.max(right) };
    Some((line, a.abs_diff(b) + 1))
}

fn one_line(expression: &Expression) -> Option<Line> {
    let is_one = |(line, count): &(Line, u32)| *count == 1 && line.first < line.last;
    let (line, _) = columns_of(expression).filter(is_one).or_else(|| rows_of(expression).filter(is_one))?;
    Some(line)
}

/// The sheet named, `None` inside for the host's own; nothing for references over several sheets or to none.
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
