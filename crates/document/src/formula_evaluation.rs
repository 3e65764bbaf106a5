//! A formula that is evaluated step by step, as texts in the user's language.

use quadrille_calc::FormulaStep;
use quadrille_cell::{CellAddress, SheetId};
use quadrille_formula::{Expression, Host, Notation, localized, print_around};
use quadrille_operation::separators;

use crate::Document;

/// A formula in which some parts have been replaced by their results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormulaEvaluation {
    /// The texts before, of and after the part that is evaluated next. When nothing is left, the
    /// second one is the result.
    pub texts: [String; 3],
    /// Whether nothing is left to evaluate.
    pub is_finished: bool,
    /// Whether a limit ended the evaluation.
    pub is_cut_short: bool,
    /// The cell with a formula that the part refers to.
    pub precedent: Option<(SheetId, CellAddress)>,
}

impl Document {
    /// Evaluates `count` parts of the formula in a cell, in the order of the calculation; `None` if
    /// the cell has no formula.
    pub fn evaluate_formula(
        &self,
        sheet: SheetId,
        cell: CellAddress,
        count: u32,
    ) -> Option<FormulaEvaluation> {
        let template = self.workbook().sheet(sheet)?.formula(cell)?;
        let host = Host { sheet, cell };
        let FormulaStep { expression, next, precedent, is_cut_short } =
            self.calculation().formula_step(self.workbook(), self.local_context(), host, template, count);
        let part = next.as_deref().map_or(&expression, |path| expression.operand_at(path));
        let notation = if self.is_r1c1 { Notation::R1C1 } else { Notation::A1 };
        let texts = print_around(notation, &expression, part, host, self.workbook());
        let is_text = |expression: &Expression| matches!(expression, Expression::Text(_));
        Some(FormulaEvaluation {
            texts: texts.map(|text| match next.is_none() && is_text(&expression) {
                true => text,
                false => localized(&text, separators(self.locale), &self.names).into_owned(),
            }),
            is_finished: next.is_none(),
            is_cut_short,
            precedent,
        })
    }
}
