//! Formats of results of functions.

use std::ops::RangeInclusive;

use quadrille_cell::{CellAddress, Range};
use quadrille_formula::Expression;
use quadrille_number_format::NumberFormatKind;

use super::derived::Derived;
use super::{Derivation, operators};

impl Derivation<'_> {
    pub(super) fn call(&self, function: &str, arguments: &[Expression]) -> Option<Derived> {
        let argument = |index: usize| self.expression(arguments.get(index)?);
        match function {
            "TODAY" | "DATE" | "DATEVALUE" | "EDATE" | "EOMONTH" | "WORKDAY" | "WORKDAY.INTL" | "COUPNCD"
            | "COUPPCD" | "TO_DATE" => Some(Derived::date()),
            "NOW" => Some(Derived::date_and_time()),
            "TIME" | "TIMEVALUE" => Some(Derived::time()),
            "RATE" | "IRR" | "XIRR" | "MIRR" | "RRI" | "EFFECT" | "NOMINAL" | "TO_PERCENT" => {
                Some(Derived::percent())
            }
            "PMT" | "IPMT" | "PPMT" | "CUMIPMT" | "CUMPRINC" | "PV" | "FV" | "NPV" | "XNPV" | "SLN"
            | "SYD" | "DB" | "DDB" | "VDB" | "TO_DOLLARS" => {
                Some(self.currency(arguments).unwrap_or_else(|| {
                    Derived::new(NumberFormatKind::Currency, self.entered.locale.currency_format())
                }))
            }
            "SUM" => {
                let format = self.first_of(arguments)?;
                // Hours add up to more than a day.
                let is_time = format.kind == NumberFormatKind::Time;
                Some(if is_time { operators::elapsed(&format) } else { format })
            }
            "AVERAGE" | "AVERAGEA" | "MIN" | "MINA" | "MAX" | "MAXA" | "MEDIAN" | "MODE" | "MODE.SNGL" => {
                self.first_of(arguments)
            }
            "PRODUCT" | "SUMPRODUCT" if arguments.len() > 1 => self.currency(arguments),
            "PRODUCT" | "SUMPRODUCT" | "ABS" | "ROUND" | "ROUNDUP" | "ROUNDDOWN" | "INT" | "TRUNC"
            | "MROUND" | "CEILING" | "CEILING.MATH" | "FLOOR" | "FLOOR.MATH" | "LARGE" | "SMALL"
            | "PERCENTILE" | "PERCENTILE.INC" | "PERCENTILE.EXC" | "QUARTILE" | "QUARTILE.INC"
            | "QUARTILE.EXC" | "TRIMMEAN" | "SUMIFS" | "AVERAGEIFS" | "MAXIFS" | "MINIFS" | "OFFSET"
            | "UNIQUE" | "SORT" | "SORTBY" | "FILTER" | "TAKE" | "DROP" | "TRANSPOSE" | "TOCOL" | "TOROW" => {
                argument(0)
            }
            "MULTIPLE.OPERATIONS" => argument(0),
            "SUMIF" | "AVERAGEIF" => argument(if arguments.len() > 2 { 2 } else { 0 }),
            "SUBTOTAL" => self.subtotal(arguments, 1),
            "AGGREGATE" => self.subtotal(arguments, 2),
            "IF" => self.first_of(arguments.get(1..)?),
            "IFERROR" | "IFNA" => self.first_of(arguments),
            "CHOOSE" => self.first_of(arguments.get(1..)?),
            "IFS" => arguments.iter().skip(1).step_by(2).find_map(|value| self.expression(value)),
            "SWITCH" => {
                let values = arguments.get(1..)?;
                let default = (values.len() % 2 == 1).then(|| values.last()).flatten();
                values.iter().skip(1).step_by(2).chain(default).find_map(|value| self.expression(value))
            }
            "LET" => self.expression(arguments.last()?),
            "XLOOKUP" => argument(2).or_else(|| argument(3)),
            "LOOKUP" => self.expression(arguments.get(1..)?.last()?),
            "VLOOKUP" => self.part(arguments.get(1)?, None, arguments.get(2)),
            "HLOOKUP" => self.part(arguments.get(1)?, arguments.get(2), None),
            "INDEX" => match arguments {
                [source, at] => self.vector_element(source, at),
                [source, row, column, ..] => self.part(source, Some(row), Some(column)),
                _ => argument(0),
            },
            _ => None,
        }
    }

    fn first_of(&self, arguments: &[Expression]) -> Option<Derived> {
        arguments.iter().find_map(|argument| self.expression(argument))
    }

    /// The currency of the first amount among the arguments.
    fn currency(&self, arguments: &[Expression]) -> Option<Derived> {
        let mut formats = arguments.iter().filter_map(|argument| self.expression(argument));
        formats.find(Derived::is_currency)
    }

    /// SUBTOTAL and AGGREGATE, except for their counts, deviations and variances.
    fn subtotal(&self, arguments: &[Expression], source: usize) -> Option<Derived> {
        let Some(Expression::Number(function)) = arguments.first() else { return None };
        let is_like_source = matches!(function % 100.0, 1.0 | 4.0 | 5.0 | 9.0 | 12.0..=19.0);
        self.expression(arguments.get(source).filter(|_| is_like_source)?)
    }

    /// One element of a row or a column.
    fn vector_element(&self, source: &Expression, at: &Expression) -> Option<Derived> {
        match source {
            Expression::Reference(reference) if self.range_of(reference)?.1.row_count() == 1 => {
                self.part(source, None, Some(at))
            }
            _ => self.part(source, Some(at), None),
        }
    }

    /// The format of a row and a column of a range, which are counted from 1. Those that are
    /// calculated are taken for any.
    fn part(
        &self,
        source: &Expression,
        row: Option<&Expression>,
        column: Option<&Expression>,
    ) -> Option<Derived> {
        let Expression::Reference(reference) = source else { return self.expression(source) };
        let (sheet, range) = self.range_of(reference)?;
        let (first, last) = (range.first(), range.last());
        let rows = chosen(row, first.row.get()..=last.row.get())?;
        let columns = chosen(column, first.column.get()..=last.column.get())?;
        let corner = |row: &u32, column: &u32| CellAddress::clamped(*row, *column);
        let part = Range::new(corner(rows.start(), columns.start()), corner(rows.end(), columns.end()));
        self.first_format((sheet, part))
    }
}

/// The index within `all` at a constant position; `None` if it lies outside.
fn chosen(position: Option<&Expression>, all: RangeInclusive<u32>) -> Option<RangeInclusive<u32>> {
    match position {
        Some(Expression::Number(number)) if *number >= 1.0 => {
            let index = f64::from(*all.start()) + number.trunc() - 1.0;
            (index <= f64::from(*all.end())).then_some(index as u32..=index as u32)
        }
        _ => Some(all),
    }
}
