//! Structured references in files: as `.xlsx` cells contain them, or as plain references.

use quadrille_cell::ErrorValue;
use quadrille_formula::{
    Area, BinaryOperator, Expression, Reference, TableRows, Template, map_operands, structured_name,
    structured_parts, structured_reference_in_file,
};
use quadrille_workbook::Workbook;

/// The formula with structured references in the syntax of `.xlsx` files (rule F22); `None` if it
/// has none that differ. A column name with a quotation mark or a parenthesis becomes a plain
/// reference.
pub(crate) fn with_references_of_files(template: &Template, workbook: &Workbook) -> Option<Template> {
    mapped(template, workbook, &|tables, first, last| {
        let (table, rows, column) = parts(first)?;
        let mut columns: Vec<String> = column.into_iter().collect();
        if let Some(last) = last {
            let (other, other_rows, column) = parts(last)?;
            if columns.is_empty() || !other.eq_ignore_ascii_case(table) || other_rows != rows {
                return None;
            }
            columns.push(column?);
        }
        // `[y]` can be a parameter of LAMBDA.
        let is_written = !table.is_empty() && (first.contains('[') || is_table(tables, first));
        if !is_written {
            return None;
        }
        // `rust_xlsxwriter` looks for functions and texts within column names.
        if columns.iter().any(|column| column.contains(['"', '('])) {
            return plain_reference(tables, first, last);
        }
        Some(Expression::Name(structured_reference_in_file(table, rows, &columns).into()))
    })
}

/// The formula with plain references instead of structured ones, for the places and the formats
/// that have none; `None` if it has none. A reference to a missing table or column becomes
/// `#NAME?`, its value.
pub(crate) fn with_plain_references(template: &Template, workbook: &Workbook) -> Option<Template> {
    mapped(template, workbook, &plain_reference)
}

/// The plain reference of a name, or of the range between two; `None` for other names.
fn plain_reference(tables: &Workbook, first: &str, last: Option<&str>) -> Option<Expression> {
    let Some(last) = last else {
        return match structured_parts(first) {
            Some(("", ..)) => None,
            Some(_) => Some(plain(tables, first).unwrap_or(Expression::Error(ErrorValue::Name))),
            None => is_table(tables, first).then(|| plain(tables, first)).flatten(),
        };
    };
    structured_parts(first).and(structured_parts(last))?;
    match (plain(tables, first)?, plain(tables, last)?) {
        (Expression::Reference(first), Expression::Reference(last)) if first.sheet == last.sheet => {
            let area = Area::Cells(corners(first.area)?.0, corners(last.area)?.1);
            Some(Expression::Reference(Reference { sheet: first.sheet, area }))
        }
        _ => None,
    }
}

/// Names and ranges between two names are replaced by what `replacement` returns.
type Replacement<'a> = &'a dyn Fn(&Workbook, &str, Option<&str>) -> Option<Expression>;

fn mapped(template: &Template, workbook: &Workbook, replacement: Replacement) -> Option<Template> {
    map(template.expression(), workbook, replacement, false).map(Template::new)
}

fn map(
    expression: &Expression,
    workbook: &Workbook,
    replacement: Replacement,
    is_binding: bool,
) -> Option<Expression> {
    match expression {
        // A parameter of LET or LAMBDA can have the name of a table.
        Expression::Name(name) if is_binding && !name.contains('[') => None,
        Expression::Name(name) => replacement(workbook, name, None),
        Expression::Binary(BinaryOperator::Range, first, last)
            if let (Expression::Name(first), Expression::Name(last)) = (&**first, &**last)
                && let Some(range) = replacement(workbook, first, Some(last)) =>
        {
            Some(range)
        }
        Expression::Call { function, .. } => {
            let is_binding = is_binding || matches!(&**function, "LET" | "LAMBDA");
            map_operands(expression, &mut |operand| map(operand, workbook, replacement, is_binding))
        }
        _ => map_operands(expression, &mut |operand| map(operand, workbook, replacement, is_binding)),
    }
}

/// The parts of a structured name; a bare name is a table with its data.
fn parts(name: &str) -> Option<(&str, TableRows, Option<String>)> {
    if name.contains('[') { structured_parts(name) } else { Some((name, TableRows::Data, None)) }
}

/// Whether a name without brackets is that of a table.
fn is_table(workbook: &Workbook, name: &str) -> bool {
    !name.contains('[') && workbook.name(&structured_name(name, TableRows::This, None)).is_some()
}

/// The reference of a structured name.
fn plain(workbook: &Workbook, name: &str) -> Option<Expression> {
    let definition = workbook.name(name)?.expression();
    matches!(definition, Expression::Reference(_)).then(|| definition.clone())
}

fn corners(area: Area) -> Option<(quadrille_formula::CellReference, quadrille_formula::CellReference)> {
    match area {
        Area::Cell(cell) => Some((cell, cell)),
        Area::Cells(first, last) => Some((first, last)),
        Area::Rows(..) | Area::Columns(..) => None,
    }
}
