//! Lookups, compiled: a run of them is a loop over what is looked up, with one index for all.
//!
//! Recognised are VLOOKUP, MATCH, XLOOKUP, XMATCH and INDEX of MATCH, for a cell in a fixed range of one column, also
//! inside IFERROR or IFNA with a constant. Cells whose lookup is anything special (wildcards, an error, a blank that
//! is looked for) are left to the evaluator. Both give the same values.

use quadrille_cell::{ColumnIndex, ErrorValue, ROWS_MAX, SheetId, Value};
use quadrille_formula::{Area, CellReference, Coordinate, Expression, Reference, SheetReference, Template};
use quadrille_functions::ValueRef;
use quadrille_workbook::{Column, Slice};

use crate::evaluator::{mixed_value, shown};
use crate::index::Indexes;
use crate::program::Place;

#[derive(Clone, Debug)]
pub(crate) struct LookupRun {
    pub wanted_sheet: Option<SheetId>,
    pub wanted: CellReference,
    pub search: Search,
    pub keys: Line,
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

/// Fixed rows of one column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    pub sheet: Option<SheetId>,
    pub column: Coordinate,
    pub first: u32,
    pub last: u32,
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

impl LookupRun {
    pub fn compile(template: &Template) -> Option<LookupRun> {
        LookupRun::from_expression(template.expression())
    }

    fn from_expression(expression: &Expression) -> Option<LookupRun> {
        let Expression::Call { function, arguments } = expression else { return None };
        match (&**function, &arguments[..]) {
            ("IFERROR" | "IFNA", [lookup, otherwise]) => {
                let run = LookupRun::from_expression(lookup).filter(|run| run.on_error.is_none())?;
                let on_error =
                    OnError { only_not_available: &**function == "IFNA", value: constant(otherwise)? };
                Some(LookupRun { on_error: Some(on_error), ..run })
            }
            ("VLOOKUP", [wanted, table, column, rest @ ..]) if rest.len() <= 1 => {
                let (keys, columns) = lines(table)?;
                let offset = place_number(column).filter(|place| *place <= columns)? - 1;
                let search = if is_true(rest.first(), true)? { Search::Sorted } else { Search::Equal };
                let results = Line { column: shifted(keys.column, offset)?, ..keys };
                LookupRun::new(wanted, search, keys, Yields::Beside(results))
            }
            ("MATCH", _) => LookupRun::from_match(arguments),
            ("XMATCH", [wanted, keys]) => {
                LookupRun::new(wanted, Search::Same, one_line(keys)?, Yields::Place)
            }
            ("INDEX", [results, Expression::Call { function, arguments }]) if &**function == "MATCH" => {
                let place = LookupRun::from_match(arguments)?;
                Some(LookupRun { yields: Yields::Beside(one_line(results)?), ..place })
            }
            ("XLOOKUP", [wanted, keys, results, rest @ ..]) if rest.len() <= 1 => {
                let (keys, results) = (one_line(keys)?, one_line(results)?);
                if results.last - results.first != keys.last - keys.first || keys.first == keys.last {
                    return None;
                }
                let if_not_found = match rest.first() {
                    None | Some(Expression::Missing) => None,
                    Some(otherwise) => Some(constant(otherwise)?),
                };
                let run = LookupRun::new(wanted, Search::Same, keys, Yields::Beside(results))?;
                Some(LookupRun { if_not_found, ..run })
            }
            _ => None,
        }
    }

    fn from_match(arguments: &[Expression]) -> Option<LookupRun> {
        let [wanted, keys, rest @ ..] = arguments else { return None };
        let search = match rest {
            [] | [Expression::Number(1.0)] => Search::Sorted,
            [Expression::Number(0.0) | Expression::Missing] => Search::Equal,
            _ => return None,
        };
        LookupRun::new(wanted, search, one_line(keys)?, Yields::Place)
    }

    fn new(wanted: &Expression, search: Search, keys: Line, yields: Yields) -> Option<LookupRun> {
        let Expression::Reference(Reference { sheet, area: Area::Cell(wanted) }) = wanted else {
            return None;
        };
        let Coordinate::Relative(_) = wanted.row else { return None };
        let wanted_sheet = own_sheet(sheet.as_ref())?;
        Some(LookupRun {
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

    /// Sheet and column of the keys for a run in `column`.
    pub fn keys_from(&self, sheet: SheetId, column: u32) -> Option<(SheetId, u32)> {
        Some((self.keys.sheet.unwrap_or(sheet), column_number(self.keys.column, column)?.get()))
    }

    /// The rows of keys that a change of one cell concerns: itself as a key, and the key beside it as a result.
    pub fn keys_concerned(
        &self,
        sheet: SheetId,
        host: (SheetId, u32),
        column: u32,
        row: u32,
    ) -> [Option<u32>; 2] {
        let meets = |line: &Line| {
            line.sheet.unwrap_or(host.0) == sheet && line.column.resolve(host.1) == i64::from(column)
        };
        let as_key = meets(&self.keys).then_some(row);
        let as_result = match &self.yields {
            Yields::Beside(results) if meets(results) => {
                row.checked_sub(results.first).and_then(|offset| self.keys.first.checked_add(offset))
            }
            _ => None,
        };
        [as_key, as_result].map(|row| row.filter(|row| (self.keys.first..=self.keys.last).contains(row)))
    }

    /// The results of the rows `first..first + count`; those left to the evaluator are `None`. `None` when there is no
    /// index to look into.
    pub fn run(
        &self,
        place: Place<'_>,
        indexes: &Indexes,
        first: u32,
        count: u32,
    ) -> Option<Vec<Option<Value>>> {
        let keys_sheet = place.workbook.sheet(self.keys.sheet.unwrap_or(place.sheet))?;
        let keys_column = column_number(self.keys.column, place.column)?;
        let rows = (self.keys.first, self.keys.last);
        let beside = match &self.yields {
            Yields::Place => None,
            Yields::Beside(line) => {
                let sheet = place.workbook.sheet(line.sheet.unwrap_or(place.sheet))?;
                Some((line, sheet.column(column_number(line.column, place.column)?)))
            }
        };
        let wanted_sheet = place.workbook.sheet(self.wanted_sheet.unwrap_or(place.sheet))?;
        let wanted_column = wanted_sheet.column(column_number(self.wanted.column, place.column)?);
        let top = u32::try_from(self.wanted.row.resolve(first)).ok()?;
        if top + count > ROWS_MAX {
            return None;
        }
        let index = match self.search {
            Search::Sorted => indexes.rising(keys_sheet, keys_column.get(), rows)?,
            _ => indexes.by_value(keys_sheet, keys_column.get(), rows, count)?,
        };
        let mut results = Vec::with_capacity(count as usize);
        each_value(wanted_column, top, count, |wanted| {
            let found = match (self.search, wanted) {
                (_, ValueRef::Error(error)) => Some(Err(error)),
                (Search::Same, ValueRef::Blank) => None,
                (Search::Sorted, ValueRef::Number(number)) => {
                    Some(Ok(index.last_row_up_to(number, rows.0, rows.1)))
                }
                (Search::Sorted, ValueRef::Blank) => Some(Ok(index.last_row_up_to(0.0, rows.0, rows.1))),
                (Search::Sorted, _) => None,
                (Search::Equal, ValueRef::Text(text)) if text.contains(['*', '?', '~']) => None,
                (Search::Equal, ValueRef::Blank) => {
                    Some(Ok(Some(index.values().rows_among(ValueRef::Number(0.0), rows).first().copied())))
                }
                (_, value) => Some(Ok(Some(index.values().rows_among(value, rows).first().copied()))),
            };
            results.push(match found {
                // What is left to the evaluator, or keys that turn out not to rise.
                None | Some(Ok(None)) => None,
                Some(Err(error)) => Some(self.finish(Value::Error(error))),
                Some(Ok(Some(None))) => Some(self.finish(match &self.if_not_found {
                    Some(value) => value.clone(),
                    None => Value::Error(ErrorValue::NotAvailable),
                })),
                Some(Ok(Some(Some(row)))) => {
                    let offset = row - self.keys.first;
                    Some(self.finish(match beside {
                        None => Value::Number(f64::from(offset) + 1.0),
                        Some((line, _)) if offset > line.last - line.first => {
                            Value::Error(ErrorValue::Reference)
                        }
                        Some((line, column)) => {
                            column.map_or(Value::Blank, |column| column.value(line.first + offset))
                        }
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
fn place_number(expression: &Expression) -> Option<u32> {
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
fn lines(expression: &Expression) -> Option<(Line, u32)> {
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
    Some((Line { sheet, column, first: rows.0, last: rows.1 }, count))
}

fn one_line(expression: &Expression) -> Option<Line> {
    lines(expression).filter(|(line, count)| *count == 1 && line.first < line.last).map(|(line, _)| line)
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
