//! Answers of the analysis tools: goal seek, what-if analysis, and the evaluation of a
//! formula step by step.

use quadrille_cell::Value;
use quadrille_document::{FormulaEvaluation, GoalSeek, GoalSeekError};
use quadrille_operation::ItemValue;
use quadrille_workbook::Literal;
use serde::Serialize;
use ts_rs::TS;

use crate::messages::FoundCell;

/// The result of a goal seek, or the reason why it is not possible.
#[derive(Clone, Debug, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct GoalSeekResult {
    /// `formula`, `goal`, `changing`, `number` or `size`, as `GoalSeekError` names them; `null`
    /// with a result.
    pub problem: Option<String>,
    /// The value for the changing cell.
    pub value: f64,
    /// Whether the goal is reached; otherwise `value` is the best one found.
    pub is_reached: bool,
    /// Displayed texts of the changing cell and of the formula with `value`.
    pub changing_text: String,
    pub result_text: String,
}

/// A formula after some steps of its evaluation.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct EvaluatedFormula {
    /// The texts before, of and after the part that is evaluated next, without `=`; the second one
    /// is the result when `is_finished`.
    pub texts: [String; 3],
    pub is_finished: bool,
    /// A limit ended the evaluation.
    pub is_cut_short: bool,
    /// The cell with a formula that the part refers to.
    pub precedent: Option<FoundCell>,
}

/// A result of what-if analysis.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export)]
pub struct WhatIfValue {
    /// `null` unless the cell has a number.
    pub number: Option<f64>,
    /// The displayed text.
    pub text: String,
}

impl From<(Value, String)> for WhatIfValue {
    fn from((value, text): (Value, String)) -> WhatIfValue {
        let number = match value {
            Value::Number(number) => Some(number),
            _ => None,
        };
        WhatIfValue { number, text }
    }
}

/// The content of a cell in a trial.
pub fn literal(value: &ItemValue) -> Option<Literal> {
    Some(match value {
        ItemValue::Number(number) => Literal::Number(quadrille_cell::canonical_number(*number)?),
        ItemValue::Text(text) => Literal::Text(text.as_str().into()),
        ItemValue::Boolean(boolean) => Literal::Boolean(*boolean),
        ItemValue::None(()) | ItemValue::List(_) | ItemValue::Record(_) => return None,
    })
}

/// A typed value as JSON; an error is its text.
pub fn typed(value: Value) -> ItemValue {
    match value {
        Value::Number(number) => ItemValue::Number(number),
        Value::Boolean(boolean) => ItemValue::Boolean(boolean),
        Value::Text(text) => ItemValue::Text(text.to_string()),
        Value::Error(error) => ItemValue::Text(error.text().to_owned()),
        Value::Blank => ItemValue::Text(String::new()),
    }
}

impl From<FormulaEvaluation> for EvaluatedFormula {
    fn from(evaluation: FormulaEvaluation) -> EvaluatedFormula {
        let FormulaEvaluation { texts, is_finished, is_cut_short, precedent } = evaluation;
        let precedent = precedent.map(|(sheet, cell)| FoundCell {
            sheet: sheet.0,
            row: cell.row.get(),
            column: cell.column.get(),
        });
        EvaluatedFormula { texts, is_finished, is_cut_short, precedent }
    }
}

impl From<Result<GoalSeek, GoalSeekError>> for GoalSeekResult {
    fn from(found: Result<GoalSeek, GoalSeekError>) -> GoalSeekResult {
        match found {
            Ok(GoalSeek { value, is_reached, changing_text, result_text }) => {
                GoalSeekResult { problem: None, value, is_reached, changing_text, result_text }
            }
            Err(error) => {
                let problem = match error {
                    GoalSeekError::NoFormula => "formula",
                    GoalSeekError::BadGoal => "goal",
                    GoalSeekError::BadChangingCell => "changing",
                    GoalSeekError::NoNumber => "number",
                    GoalSeekError::TooLarge => "size",
                };
                GoalSeekResult { problem: Some(problem.to_owned()), ..GoalSeekResult::default() }
            }
        }
    }
}
