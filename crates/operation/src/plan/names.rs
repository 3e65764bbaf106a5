//! Defined names.

use std::sync::Arc;

use quadrille_cell::{CellAddress, SheetId};
use quadrille_formula::{
    Area, CellReference, Coordinate, Expression, Host, Reference, SheetReference, Template, parse,
};
use quadrille_workbook::Sheet;

use super::{Plan, Planner};
use crate::{CommandError, Operation, validate_name};

impl Planner<'_> {
    pub fn define_name(&self, name: &str, definition: Option<&str>, sheet: &Sheet) -> Plan {
        let name = name.trim();
        let Some(text) = definition else {
            if self.workbook.name(name).is_none() {
                return Err(CommandError::UnknownName { name: name.to_owned() });
            }
            return Ok(vec![Operation::DefineName { name: Arc::from(name), definition: None }]);
        };
        validate_name(name, &self.limits)?;
        let host = Host { sheet: sheet.id(), cell: CellAddress::default() };
        let template = parse(text.strip_prefix('=').unwrap_or(text), host, self.workbook);
        let definition = Template::new(absolute(template.expression(), sheet.id()));
        Ok(vec![Operation::DefineName { name: Arc::from(name), definition: Some(definition) }])
    }
}

/// The expression with every reference bound to its sheet and cell: a name means the same wherever it is used.
fn absolute(expression: &Expression, sheet: SheetId) -> Expression {
    let inner = |expression: &Expression| absolute(expression, sheet);
    let boxed = |expression: &Expression| Box::new(absolute(expression, sheet));
    match expression {
        Expression::Reference(reference) => Expression::Reference(Reference {
            sheet: reference.sheet.clone().or(Some(SheetReference::Sheet(sheet))),
            area: absolute_area(&reference.area),
        }),
        Expression::Call { function, arguments } => {
            Expression::Call { function: function.clone(), arguments: arguments.iter().map(inner).collect() }
        }
        Expression::Apply { callee, arguments } => {
            Expression::Apply { callee: boxed(callee), arguments: arguments.iter().map(inner).collect() }
        }
        Expression::Unary(operator, operand) => Expression::Unary(*operator, boxed(operand)),
        Expression::Binary(operator, left, right) => Expression::Binary(*operator, boxed(left), boxed(right)),
        Expression::Parenthesised(operand) => Expression::Parenthesised(boxed(operand)),
        Expression::Array(rows) => {
            Expression::Array(rows.iter().map(|row| row.iter().map(inner).collect()).collect())
        }
        Expression::Number(_)
        | Expression::Text(_)
        | Expression::Boolean(_)
        | Expression::Error(_)
        | Expression::Missing
        | Expression::Name(_)
        | Expression::Invalid(_) => expression.clone(),
    }
}

fn absolute_area(area: &Area) -> Area {
    let cell = |reference: &CellReference| CellReference {
        row: absolute_coordinate(reference.row),
        column: absolute_coordinate(reference.column),
    };
    match area {
        Area::Cell(reference) => Area::Cell(cell(reference)),
        Area::Cells(first, last) => Area::Cells(cell(first), cell(last)),
        Area::Rows(first, last) => Area::Rows(absolute_coordinate(*first), absolute_coordinate(*last)),
        Area::Columns(first, last) => Area::Columns(absolute_coordinate(*first), absolute_coordinate(*last)),
    }
}

/// As read at A1, where an offset is an index.
fn absolute_coordinate(coordinate: Coordinate) -> Coordinate {
    match coordinate {
        Coordinate::Relative(offset) => u32::try_from(offset).map_or(coordinate, Coordinate::Absolute),
        Coordinate::Absolute(_) => coordinate,
    }
}
