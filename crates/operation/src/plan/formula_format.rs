//! The number format implied by a formula when it is entered: the currency, percentage, date or time
//! of what it is calculated from, or that of its function
//! (docs/decisions/0028-formulas-get-a-format-when-entered.md).

mod derived;
mod functions;
mod operators;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Range};
use quadrille_formula::{Expression, Reference, SheetReference, Template, UnaryOperator, resolve_area};
use quadrille_number_format::Locale;
use quadrille_workbook::{Sheet, Workbook};

use derived::Derived;

/// Expressions that are visited, at most: a formula that is longer than anybody writes stays without a
/// format.
const EXPRESSIONS_MAX: u32 = 2_000;
/// A name counts as this many expressions, so that names of names end soon.
const NAME_COST: u32 = 100;
/// Runs of equal formats, or columns, that are searched for the first format of a range.
const RUNS_MAX: usize = 64;

/// Formats implied by other cells of the same command, by column, then by row.
#[derive(Default)]
pub struct ImpliedFormats(BTreeMap<(u32, u32), Arc<str>>);

impl ImpliedFormats {
    /// Sets the format of a cell.
    pub fn insert(&mut self, cell: CellAddress, code: Arc<str>) {
        self.0.insert((cell.column.get(), cell.row.get()), code);
    }

    /// Whether no cell has a format.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first format of a range.
    fn first_in(&self, range: Range) -> Option<&Arc<str>> {
        let (first, last) = (range.first(), range.last());
        (first.column.get()..=last.column.get()).take(RUNS_MAX).find_map(|column| {
            let cells = (column, first.row.get())..=(column, last.row.get());
            self.0.range(cells).next().map(|(_, code)| code)
        })
    }
}

/// Where a formula is entered.
#[derive(Clone, Copy)]
pub struct FormulaCell<'a> {
    pub workbook: &'a Workbook,
    pub sheet: &'a Sheet,
    pub cell: CellAddress,
    /// Its currency is that of functions such as PMT.
    pub locale: Locale,
    /// Formats of other cells on the same sheet that the command will set.
    pub implied: Option<&'a ImpliedFormats>,
}

/// Returns the number format for a cell without one; `None` leaves it without.
pub fn formula_number_format(template: &Template, entered: &FormulaCell<'_>) -> Option<Arc<str>> {
    let derivation = Derivation { entered, expressions_left: Cell::new(EXPRESSIONS_MAX) };
    derivation.expression(template.expression()).map(|format| format.code)
}

struct Derivation<'a> {
    entered: &'a FormulaCell<'a>,
    expressions_left: Cell<u32>,
}

impl Derivation<'_> {
    fn expression(&self, expression: &Expression) -> Option<Derived> {
        let cost = if matches!(expression, Expression::Name(_)) { NAME_COST } else { 1 };
        self.expressions_left.set(self.expressions_left.get().checked_sub(cost)?);
        match expression {
            Expression::Reference(reference) => self.first_format(self.range_of(reference)?),
            Expression::Name(name) => {
                let definition = self.entered.workbook.resolve_name(self.entered.sheet.id(), name)?;
                self.expression(definition.expression())
            }
            Expression::Parenthesised(inner) => self.expression(inner),
            Expression::Unary(UnaryOperator::Percent, inner) => {
                let format = self.expression(inner).filter(Derived::is_currency);
                Some(format.unwrap_or_else(Derived::percent))
            }
            Expression::Unary(_, inner) => self.expression(inner),
            Expression::Binary(operator, left, right) => {
                operators::binary(*operator, || self.expression(left), || self.expression(right))
            }
            Expression::Call { function, arguments } => self.call(function, arguments),
            Expression::Number(_)
            | Expression::Text(_)
            | Expression::Boolean(_)
            | Expression::Error(_)
            | Expression::Missing
            | Expression::Apply { .. }
            | Expression::Array(_)
            | Expression::Invalid(_) => None,
        }
    }

    /// The sheet and cells of a reference.
    fn range_of(&self, reference: &Reference) -> Option<(&Sheet, Range)> {
        let FormulaCell { workbook, sheet, cell, .. } = *self.entered;
        let sheet = match &reference.sheet {
            None => sheet,
            Some(SheetReference::Sheet(id)) => workbook.sheet(*id)?,
            Some(SheetReference::Sheets(..) | SheetReference::Unknown(_)) => return None,
        };
        Some((sheet, resolve_area(&reference.area, cell)?))
    }

    /// The format of the first cell of a range that has one: the header of a column has none.
    fn first_format(&self, (sheet, range): (&Sheet, Range)) -> Option<Derived> {
        let formats = sheet.format_runs(range).take(RUNS_MAX);
        let own = formats.filter_map(|(_, format)| format.number_format.as_ref()).find_map(Derived::of);
        own.or_else(|| {
            let implied = self.entered.implied.filter(|_| sheet.id() == self.entered.sheet.id())?;
            Derived::of(implied.first_in(range)?)
        })
    }
}
