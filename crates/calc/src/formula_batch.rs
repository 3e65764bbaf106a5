//! Neighbouring formulas that differ but read the same way: one node for many.
//!
//! ```text
//!    A2  =A1+1   ┐                         C1  =A1*17  ┐
//!    A3  =A2*2   │ each reads the cell     C2  =A2*4   │ each reads the cell
//!    A4  =A3-5   │ above itself            C3  =A3*90  │ two columns to the left
//!    A5  =A4+1   ┘                         C4  =A4*1   ┘
//! ```
//! What the graph keeps of a formula, what it reads and where, is the same for all of a strip, so a strip is a node
//! like a run is. Only its formulas are looked at one by one when it is evaluated.

use std::sync::Arc;

use quadrille_formula::{BinaryOperator, Expression, Template, UnaryOperator};

use crate::arithmetic_program::{ArithmeticProgram, HostPosition};
use crate::evaluator::arithmetic;
use crate::template_analysis::TemplateAnalysis;

/// Longer strips would make replacing one of their formulas expensive; shorter ones save less.
pub(crate) const ROWS_MAX: usize = 128;

/// How many formulas with one plan are remembered while strips are made.
const ALIKE_MAX: usize = 8;

/// The formulas of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Formulas {
    /// A run: the same for all rows.
    Same(Template),
    /// A strip: one for each row.
    Each(Arc<[Template]>),
}

impl Formulas {
    /// The formula of the row that is `offset` rows below the node's first.
    pub fn at(&self, offset: u32) -> &Template {
        match self {
            Formulas::Same(template) => template,
            Formulas::Each(templates) => &templates[offset as usize],
        }
    }

    /// What all formulas of the node are like, as far as the graph is concerned.
    pub fn example(&self) -> &Template {
        self.at(0)
    }
}

/// A stretch of formulas that become one node.
pub(crate) struct NodeFormulas {
    pub first: u32,
    pub last: u32,
    pub formulas: Formulas,
    pub plan: TemplateAnalysis,
}

/// Makes nodes of runs, which come in row order: strips of neighbouring single formulas, or the run itself. `plan` says
/// what a formula depends on.
pub(crate) fn stretches<'a>(
    runs: impl Iterator<Item = (u32, u32, &'a Template)>,
    mut plan: impl FnMut(&Template) -> TemplateAnalysis,
    column: u32,
) -> Vec<NodeFormulas> {
    let mut stretches: Vec<NodeFormulas> = Vec::new();
    let mut runs = runs.peekable();
    // Formulas that have the last plan. Those of alternating shapes share their trees, so that a glance tells.
    let mut alike: Vec<&Template> = Vec::new();
    while let Some((first, last, template)) = runs.next() {
        let is_known = first == last && alike.iter().any(|known| known.is_same(template));
        let plan = match stretches.last().filter(|_| is_known) {
            Some(before) => before.plan.clone(),
            None => {
                alike.clear();
                plan(template)
            }
        };
        let mut each = vec![template.clone()];
        if first == last && plan.is_plain() {
            if !is_known {
                alike.push(template);
            }
            let mut is_alike = |template: &'a Template| {
                if alike.iter().any(|known| known.is_same(template)) {
                    return true;
                }
                let is_alike = plan.is_plan_of(template, column);
                if is_alike && alike.len() < ALIKE_MAX {
                    alike.push(template);
                }
                is_alike
            };
            while each.len() < ROWS_MAX
                && let Some((_, _, template)) = runs.next_if(|(next, end, template)| {
                    *next == first + each.len() as u32 && next == end && is_alike(template)
                })
            {
                each.push(template.clone());
            }
        }
        let (last, formulas) = match each.len() {
            1 => (last, Formulas::Same(template.clone())),
            count => (first + count as u32 - 1, Formulas::Each(each.into())),
        };
        stretches.push(NodeFormulas { first, last, formulas, plan });
    }
    stretches
}

/// The results of a strip's formulas `templates`, which stand in the rows from `first` on: one after the other, downwards
/// or upwards, each seeing the ones before. Ends before the first that is no arithmetic, or no number. In the order of
/// calculation.
pub(crate) fn run(place: HostPosition<'_>, templates: &[Template], first: u32, upwards: bool) -> Vec<f64> {
    let mut known = Known { place, results: Vec::with_capacity(templates.len()), from: first, upwards };
    if upwards {
        known.from = first + templates.len() as u32 - 1;
    }
    for turn in 0..templates.len() {
        let offset = if upwards { templates.len() - 1 - turn } else { turn };
        let expression = templates[offset].expression();
        // A bare reference may yield a text or a truth value.
        if !matches!(inner(expression), Expression::Binary(..) | Expression::Unary(..)) {
            break;
        }
        match known.result(expression, first + offset as u32) {
            Some(number) => known.results.push(number + 0.0),
            None => break,
        }
    }
    known.results
}

fn inner(mut expression: &Expression) -> &Expression {
    while let Expression::Parenthesised(within) = expression {
        expression = within;
    }
    expression
}

/// Results that are not written yet.
struct Known<'a> {
    place: HostPosition<'a>,
    results: Vec<f64>,
    /// Row of the first result.
    from: u32,
    upwards: bool,
}

impl Known<'_> {
    /// Deeper formulas are left to the evaluator.
    const DEPTH_MAX: u32 = 32;

    /// What the formula in a row shows, if it is arithmetic over numbers and single cells.
    fn result(&self, expression: &Expression, row: u32) -> Option<f64> {
        use BinaryOperator::{Add, Subtract};
        let Expression::Binary(operator @ (Add | Subtract), left, right) = expression else {
            return self.number(expression, row, 0);
        };
        let (left, right) = (self.number(left, row, 1)?, self.number(right, row, 1)?);
        Some(quadrille_vector_math::settled(left, right, arithmetic(*operator, left, right).ok()?))
    }

    /// The value of an expression within a formula.
    fn number(&self, expression: &Expression, row: u32, depth: u32) -> Option<f64> {
        if depth == Self::DEPTH_MAX {
            return None;
        }
        match expression {
            Expression::Number(number) => Some(*number),
            Expression::Reference(reference) => {
                let load = ArithmeticProgram::load(reference)?;
                let (sheet, at, column) = load.cell(self.place, row)?;
                if column == self.place.column && sheet == self.place.sheet {
                    let turn =
                        if self.upwards { i64::from(self.from) - at } else { at - i64::from(self.from) };
                    if let Some(result) = usize::try_from(turn).ok().and_then(|turn| self.results.get(turn)) {
                        return Some(*result);
                    }
                }
                self.place.number(sheet, at, column)
            }
            Expression::Parenthesised(inner) => self.number(inner, row, depth + 1),
            Expression::Unary(UnaryOperator::Minus, operand) => {
                Some(-self.number(operand, row, depth + 1)? + 0.0)
            }
            Expression::Unary(UnaryOperator::Percent, operand) => {
                Some(self.number(operand, row, depth + 1)? / 100.0)
            }
            Expression::Binary(operator, left, right) => {
                let left = self.number(left, row, depth + 1)?;
                let right = self.number(right, row, depth + 1)?;
                arithmetic(*operator, left, right).ok()
            }
            _ => None,
        }
    }
}
