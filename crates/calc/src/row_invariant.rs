//! Runs whose formulas all give the same value, because nothing in them follows the row: it is calculated once.

use quadrille_formula::{Area, Coordinate, Expression, Template, UnaryOperator};

use crate::template_analysis::TemplateAnalysis;

/// Whether the formula gives the same in each row of a column. `plan` is the formula's.
pub(crate) fn is_row_invariant(template: &Template, plan: &TemplateAnalysis) -> bool {
    if plan.volatile || plan.dynamic || plan.positional || plan.uses_names {
        return false;
    }
    let mut is_same = true;
    quadrille_formula::visit(template.expression(), &mut |node| match node {
        Expression::Reference(reference) => {
            let is_fixed = |row: Coordinate| matches!(row, Coordinate::Absolute(_));
            is_same &= match reference.area {
                Area::Cell(cell) => is_fixed(cell.row),
                Area::Cells(first, last) => is_fixed(first.row) && is_fixed(last.row),
                Area::Rows(first, last) => is_fixed(first) && is_fixed(last),
                Area::Columns(..) => true,
            };
        }
        // What is met in the host's own row.
        Expression::Unary(UnaryOperator::ImplicitIntersection | UnaryOperator::Spill, _) => is_same = false,
        _ => {}
    });
    is_same
}
