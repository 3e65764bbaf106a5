//! The number format implied by a typed formula: a date format if its result is a date, otherwise
//! the format of the cells that it refers to.

use std::sync::Arc;

use quadrille_cell::CellAddress;
use quadrille_formula::{BinaryOperator, Expression, Reference, SheetReference, Template, resolve_area};
use quadrille_workbook::{Sheet, Workbook};

const DATE: &str = "yyyy-mm-dd";
const DATE_AND_TIME: &str = "yyyy-mm-dd hh:mm";
const TIME: &str = "hh:mm:ss";

/// Returns the number format for a cell without one; `None` leaves it without.
pub(super) fn number_format(
    template: &Template,
    workbook: &Workbook,
    sheet: &Sheet,
    cell: CellAddress,
) -> Option<Arc<str>> {
    of_expression(template.expression(), &Context { workbook, sheet, cell })
}

struct Context<'a> {
    workbook: &'a Workbook,
    sheet: &'a Sheet,
    cell: CellAddress,
}

fn of_expression(expression: &Expression, context: &Context) -> Option<Arc<str>> {
    match expression {
        Expression::Reference(reference) => of_reference(reference, context),
        Expression::Parenthesised(inner) | Expression::Unary(_, inner) => of_expression(inner, context),
        Expression::Binary(BinaryOperator::Add, left, right) => {
            of_expression(left, context).or_else(|| of_expression(right, context))
        }
        // A difference of dates is a number of days.
        Expression::Binary(BinaryOperator::Subtract, left, right) => {
            let format = of_expression(left, context);
            format.filter(|_| of_expression(right, context).is_none())
        }
        Expression::Call { function, arguments } => of_call(function, arguments, context),
        Expression::Number(_)
        | Expression::Text(_)
        | Expression::Boolean(_)
        | Expression::Error(_)
        | Expression::Missing
        | Expression::Name(_)
        | Expression::Apply { .. }
        | Expression::Binary(..)
        | Expression::Array(_)
        | Expression::Invalid(_) => None,
    }
}

fn of_call(function: &str, arguments: &[Expression], context: &Context) -> Option<Arc<str>> {
    match function {
        "TODAY" | "DATE" | "DATEVALUE" | "EDATE" | "EOMONTH" | "WORKDAY" | "WORKDAY.INTL" => {
            Some(DATE.into())
        }
        "NOW" => Some(DATE_AND_TIME.into()),
        "TIME" | "TIMEVALUE" => Some(TIME.into()),
        "SUM" | "AVERAGE" | "MIN" | "MAX" | "MEDIAN" | "ABS" | "ROUND" | "ROUNDUP" | "ROUNDDOWN" => {
            of_expression(arguments.first()?, context)
        }
        "IF" => of_expression(arguments.get(1)?, context),
        _ => None,
    }
}

/// Returns the format of the first cell that the reference covers.
fn of_reference(reference: &Reference, context: &Context) -> Option<Arc<str>> {
    let sheet = match &reference.sheet {
        None => context.sheet,
        Some(SheetReference::Sheet(id)) => context.workbook.sheet(*id)?,
        Some(SheetReference::Sheets(..) | SheetReference::Unknown(_)) => return None,
    };
    let range = resolve_area(&reference.area, context.cell)?;
    sheet.format(range.first()).number_format.clone().filter(|code| &**code != "@")
}
