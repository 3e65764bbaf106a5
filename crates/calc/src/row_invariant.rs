//! Row-invariant runs: no part of the formula follows the row, so it is evaluated once for all
//! rows.

use quadrille_formula::{Area, Coordinate, Expression, Template, UnaryOperator};

use crate::template_analysis::TemplateAnalysis;

/// Whether the formula has the same result in each row of a column, given its analysis.
pub(crate) fn is_row_invariant(template: &Template, analysis: &TemplateAnalysis) -> bool {
    if analysis.volatile || analysis.dynamic || analysis.positional || analysis.uses_names {
        return false;
    }
    let mut is_same = true;
    quadrille_formula::visit(template.expression(), &mut |node| match node {
        Expression::Reference(reference) => {
            let is_absolute = |row: Coordinate| matches!(row, Coordinate::Absolute(_));
            is_same &= match reference.area {
                Area::Cell(cell) => is_absolute(cell.row),
                Area::Cells(first, last) => is_absolute(first.row) && is_absolute(last.row),
                Area::Rows(first, last) => is_absolute(first) && is_absolute(last),
                Area::Columns(..) => true,
            };
        }
        // These resolve relative to the host's row.
        Expression::Unary(UnaryOperator::ImplicitIntersection | UnaryOperator::Spill, _) => is_same = false,
        _ => {}
    });
    is_same
}
