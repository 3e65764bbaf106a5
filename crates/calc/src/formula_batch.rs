//! Formula batches: adjacent formulas that differ but read cells in the same pattern share one
//! node.
//!
//! ```text
//!    A2  =A1+1   ┐                         C1  =A1*17  ┐
//!    A3  =A2*2   │ each reads the cell     C2  =A2*4   │ each reads the cell
//!    A4  =A3-5   │ above itself            C3  =A3*90  │ two columns to the left
//!    A5  =A4+1   ┘                         C4  =A4*1   ┘
//! ```
//! The graph stores the dependencies once for the batch, as for a run. Only evaluation looks at the
//! formulas one by one.

use std::sync::Arc;

use quadrille_formula::{BinaryOperator, Expression, Template, UnaryOperator};

use crate::arithmetic::arithmetic;
use crate::arithmetic_program::{ArithmeticProgram, HostPosition};
use crate::template_analysis::TemplateAnalysis;

/// Longer batches make replacing one formula expensive; shorter ones save less.
pub(crate) const ROWS_MAX: usize = 128;

/// Formulas with the current analysis that are remembered while batches are formed.
const SAME_ANALYSIS_MAX: usize = 8;

/// The formulas of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Formulas {
    /// A run: the same template in all rows.
    Run(Template),
    /// A batch: one template per row.
    Batch(Arc<[Template]>),
}

impl Formulas {
    /// The formula `offset` rows below the node's first row.
    pub fn at(&self, offset: u32) -> &Template {
        match self {
            Formulas::Run(template) => template,
            Formulas::Batch(templates) => &templates[offset as usize],
        }
    }

    /// A formula that stands for all formulas of the node in the graph.
    pub fn example(&self) -> &Template {
        self.at(0)
    }
}

/// Formulas that form one node, with their common analysis.
pub(crate) struct NodeFormulas {
    pub first: u32,
    pub last: u32,
    pub formulas: Formulas,
    /// Whether the node is a pivot table, whose formula is its source.
    pub is_pivot: bool,
    pub analysis: TemplateAnalysis,
}

/// Groups the runs of a column, in row order, into nodes: adjacent single formulas with the same
/// analysis become batches, other runs become nodes of their own. `analysis` analyses a template.
pub(crate) fn group_into_nodes<'a>(
    runs: impl Iterator<Item = (u32, u32, &'a Template)>,
    mut analysis: impl FnMut(&Template) -> TemplateAnalysis,
    column: u32,
) -> Vec<NodeFormulas> {
    let mut nodes: Vec<NodeFormulas> = Vec::new();
    let mut runs = runs.peekable();
    // Formulas with the last analysis. Alternating formulas share their trees, so a pointer
    // comparison usually suffices.
    let mut alike: Vec<&Template> = Vec::new();
    while let Some((first, last, template)) = runs.next() {
        let is_known = first == last && alike.iter().any(|existing| existing.is_same(template));
        let analysis = match nodes.last().filter(|_| is_known) {
            Some(before) => before.analysis.clone(),
            None => {
                alike.clear();
                analysis(template)
            }
        };
        let mut members = vec![template.clone()];
        if first == last && analysis.is_plain() {
            if !is_known {
                alike.push(template);
            }
            let mut is_alike = |template: &'a Template| {
                if alike.iter().any(|existing| existing.is_same(template)) {
                    return true;
                }
                let is_alike = analysis.is_plan_of(template, column);
                if is_alike && alike.len() < SAME_ANALYSIS_MAX {
                    alike.push(template);
                }
                is_alike
            };
            while members.len() < ROWS_MAX
                && let Some((_, _, template)) = runs.next_if(|(next, end, template)| {
                    *next == first + members.len() as u32 && next == end && is_alike(template)
                })
            {
                members.push(template.clone());
            }
        }
        let (last, formulas) = match members.len() {
            1 => (last, Formulas::Run(template.clone())),
            count => (first + count as u32 - 1, Formulas::Batch(members.into())),
        };
        nodes.push(NodeFormulas { first, last, formulas, is_pivot: false, analysis });
    }
    nodes
}

/// Evaluates the formulas of a batch from row `first` on, downwards or upwards; each sees the
/// results before it. Stops before the first formula that is not arithmetic or whose result is not
/// a number. Returns the results in order of evaluation.
pub(crate) fn run(host: HostPosition<'_>, templates: &[Template], first: u32, upwards: bool) -> Vec<f64> {
    let mut batch =
        BatchEvaluation { host, results: Vec::with_capacity(templates.len()), from: first, upwards };
    if upwards {
        batch.from = first + templates.len() as u32 - 1;
    }
    for turn in 0..templates.len() {
        let offset = if upwards { templates.len() - 1 - turn } else { turn };
        let expression = templates[offset].expression();
        // A bare reference may yield a text or a truth value.
        if !matches!(inner(expression), Expression::Binary(..) | Expression::Unary(..)) {
            break;
        }
        match batch.result(expression, first + offset as u32) {
            Some(number) => batch.results.push(number + 0.0),
            None => break,
        }
    }
    batch.results
}

fn inner(mut expression: &Expression) -> &Expression {
    while let Expression::Parenthesised(within) = expression {
        expression = within;
    }
    expression
}

/// Results that are not written to the sheet yet.
struct BatchEvaluation<'a> {
    host: HostPosition<'a>,
    results: Vec<f64>,
    /// Row of the first result.
    from: u32,
    upwards: bool,
}

impl BatchEvaluation<'_> {
    /// Deeper formulas are left to the evaluator.
    const DEPTH_MAX: u32 = 32;

    /// The result of the formula in a row, if it is arithmetic over numbers and single cells.
    fn result(&self, expression: &Expression, row: u32) -> Option<f64> {
        use BinaryOperator::{Add, Subtract};
        let Expression::Binary(operator @ (Add | Subtract), left, right) = expression else {
            return self.number(expression, row, 0);
        };
        let (left, right) = (self.number(left, row, 1)?, self.number(right, row, 1)?);
        Some(quadrille_vector_math::snap_to_zero(left, right, arithmetic(*operator, left, right).ok()?))
    }

    /// The value of a subexpression.
    fn number(&self, expression: &Expression, row: u32, depth: u32) -> Option<f64> {
        if depth == Self::DEPTH_MAX {
            return None;
        }
        match expression {
            Expression::Number(number) => Some(*number),
            Expression::Reference(reference) => {
                let load = ArithmeticProgram::load(reference)?;
                let (sheet, at, column) = load.cell(self.host, row)?;
                if column == self.host.column && sheet == self.host.sheet {
                    let turn =
                        if self.upwards { i64::from(self.from) - at } else { at - i64::from(self.from) };
                    if let Some(result) = usize::try_from(turn).ok().and_then(|turn| self.results.get(turn)) {
                        return Some(*result);
                    }
                }
                self.host.number(sheet, at, column)
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
