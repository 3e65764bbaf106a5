//! How a typed formula wants to be shown: as a date when it makes one, otherwise as what it refers to is.

use std::sync::Arc;

use quadrille_cell::CellAddress;
use quadrille_formula::{BinaryOperator, Expression, Reference, SheetReference, Template, resolve_area};
use quadrille_workbook::{Sheet, Workbook};

const DATE: &str = "yyyy-mm-dd";
const DATE_AND_TIME: &str = "yyyy-mm-dd hh:mm";
const TIME: &str = "hh:mm:ss";

/// The number format for a cell that has none; `None` leaves it so.
pub(super) fn number_format(
    template: &Template,
    workbook: &Workbook,
    sheet: &Sheet,
    cell: CellAddress,
) -> Option<Arc<str>> {
    of_expression(template.expression(), &Place { workbook, sheet, cell })
}

struct Place<'a> {
    workbook: &'a Workbook,
    sheet: &'a Sheet,
    cell: CellAddress,
}

fn of_expression(expression: &Expression, place: &Place) -> Option<Arc<str>> {
    match expression {
        Expression::Reference(reference) => of_reference(reference, place),
        Expression::Parenthesised(inner) | Expression::Unary(_, inner) => of_expression(inner, place),
        Expression::Binary(BinaryOperator::Add, left, right) => {
            of_expression(left, place).or_else(|| of_expression(right, place))
        }
        // A difference of dates is a number of days.
        Expression::Binary(BinaryOperator::Subtract, left, right) => {
            let format = of_expression(left, place);
            format.filter(|_| of_expression(right, place).is_none())
        }
        Expression::Call { function, arguments } => of_call(function, arguments, place),
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

fn of_call(function: &str, arguments: &[Expression], place: &Place) -> Option<Arc<str>> {
    match function {
        "TODAY" | "DATE" | "DATEVALUE" | "EDATE" | "EOMONTH" | "WORKDAY" | "WORKDAY.INTL" => {
            Some(DATE.into())
        }
        "NOW" => Some(DATE_AND_TIME.into()),
        "TIME" | "TIMEVALUE" => Some(TIME.into()),
        "SUM" | "AVERAGE" | "MIN" | "MAX" | "MEDIAN" | "ABS" | "ROUND" | "ROUNDUP" | "ROUNDDOWN" => {
            of_expression(arguments.first()?, place)
        }
        "IF" => of_expression(arguments.get(1)?, place),
        _ => None,
    }
}

/// That of the first cell referred to.
fn of_reference(reference: &Reference, place: &Place) -> Option<Arc<str>> {
    let sheet = match &reference.sheet {
        None => place.sheet,
        Some(SheetReference::Sheet(id)) => place.workbook.sheet(*id)?,
        Some(SheetReference::Sheets(..) | SheetReference::Unknown(_)) => return None,
    };
    let range = resolve_area(&reference.area, place.cell)?;
    sheet.format(range.first()).number_format.clone().filter(|code| &**code != "@")
}
