//! Goal seek: the value of a cell with which a formula gives a requested result.

use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_operation::{Operation, Transaction};
use quadrille_workbook::{Field, Input, ItemId, Literal};

use crate::Document;

/// Evaluations and the difference from the goal that counts as reached, unless the settings of
/// iterative calculation say otherwise; Excel's defaults.
const ITERATIONS_MAX: f64 = 100.0;
const CHANGE_MAX: f64 = 0.001;
/// Cells and calls that one search evaluates, at most: a few seconds.
const STEPS_MAX: u64 = 20_000_000;
/// The search goes on to this part of the goal, beyond `CHANGE_MAX`.
const PRECISION: f64 = 1e-12;

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct GoalSeek {
    /// The value for the changing cell.
    pub value: f64,
    /// Whether the formula then gives the goal within the maximum change; otherwise `value` is the
    /// best one found.
    pub is_reached: bool,
    /// Displayed texts of the changing cell and of the formula with `value`.
    pub changing_text: String,
    pub result_text: String,
}

/// The reason why a search is not possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GoalSeekError {
    /// The set cell has no formula.
    NoFormula,
    /// The goal is not a number.
    BadGoal,
    /// The changing cell has a formula, a text, or belongs to an array or a pivot table.
    BadChangingCell,
    /// The formula gives no number with the present values.
    NoNumber,
    /// The workbook takes too long to calculate.
    TooLarge,
}

impl Document {
    /// Searches the value of `changing` with which the formula in `set` gives the goal, which is
    /// text as typed into a cell. Both cells are in the same sheet. Calculates a copy of the
    /// workbook; this document does not change.
    ///
    /// # Errors
    ///
    /// See [`GoalSeekError`].
    pub fn goal_seek(
        &self,
        sheet: SheetId,
        set: CellAddress,
        goal: &str,
        changing: CellAddress,
    ) -> Result<GoalSeek, GoalSeekError> {
        let cells = self.workbook().sheet(sheet).ok_or(GoalSeekError::NoFormula)?;
        if cells.formula(set).is_none() {
            return Err(GoalSeekError::NoFormula);
        }
        let Value::Number(goal) = self.typed_value(goal) else {
            return Err(GoalSeekError::BadGoal);
        };
        let start = match cells.input(changing) {
            Input::Value(Literal::Number(number)) => number,
            Input::Blank if cells.value(changing).is_blank() => 0.0,
            _ => return Err(GoalSeekError::BadChangingCell),
        };
        let settings = self.workbook().items().get(ItemId::SETTINGS);
        let setting = |field, default| settings.and_then(|item| item.number(field)).unwrap_or(default);
        let copy = self.scratch_copy();
        let mut trial = Trial { copy, sheet, set, changing, goal, steps_left: STEPS_MAX };
        let best = trial.search(start, setting(Field::MaxIterations, ITERATIONS_MAX) as u32)?;
        trial.distance(best.value)?;
        let text = |cell| trial.copy.display(sheet, cell).text;
        Ok(GoalSeek {
            value: best.value,
            is_reached: best.distance.abs() <= setting(Field::MaxChange, CHANGE_MAX),
            changing_text: text(changing),
            result_text: text(set),
        })
    }
}

/// A value of the changing cell and the signed distance of the formula's result from the goal.
#[derive(Clone, Copy)]
struct Point {
    value: f64,
    distance: f64,
}

/// The copy in which values are tried.
struct Trial {
    copy: Document,
    sheet: SheetId,
    set: CellAddress,
    changing: CellAddress,
    goal: f64,
    steps_left: u64,
}

impl Trial {
    /// The point at `value`; `None` if the formula gives no number there.
    fn distance(&mut self, value: f64) -> Result<Option<Point>, GoalSeekError> {
        /// Cells and calls between two checks of `STEPS_MAX`.
        const SLICE: u64 = 1_000_000;
        let Some(value) = quadrille_cell::canonical_number(value) else { return Ok(None) };
        let operation = Operation::SetCells {
            sheet: self.sheet,
            range: Range::cell(self.changing),
            inputs: vec![Input::Value(Literal::Number(value))],
        };
        // RAND and NOW keep their values.
        self.copy.apply_at_same_time(&Transaction { operations: vec![operation] });
        while !self.copy.evaluate(SLICE).finished {
            self.steps_left = self.steps_left.checked_sub(SLICE).ok_or(GoalSeekError::TooLarge)?;
        }
        let result = self.copy.workbook().sheet(self.sheet).map(|sheet| sheet.value(self.set));
        Ok(match result {
            Some(Value::Number(result)) => Some(Point { value, distance: result - self.goal }),
            _ => None,
        })
    }

    /// The secant method until two results lie on either side of the goal, then regula falsi with
    /// the Illinois rule, and every third step in the middle.
    fn search(&mut self, start: f64, iterations_max: u32) -> Result<Point, GoalSeekError> {
        let mut last = self.distance(start)?.ok_or(GoalSeekError::NoNumber)?;
        let mut best = last;
        let enough = PRECISION * self.goal.abs().max(1.0);
        let mut step = if start == 0.0 { 0.01 } else { start.abs() * 0.01 };
        // Without a slope, the search goes to both sides of the start, each time further.
        let mut next = start + step;
        let mut bracket: Option<(Point, Point)> = None;
        for iteration in 1..iterations_max {
            if best.distance.abs() <= enough {
                break;
            }
            let Some(point) = self.distance(next)? else {
                // No number there: half the way back.
                next = last.value + (next - last.value) / 2.0;
                if next == last.value {
                    break;
                }
                continue;
            };
            if point.distance.abs() < best.distance.abs() {
                best = point;
            }
            bracket = match bracket {
                None if point.distance.signum() != last.distance.signum() => Some((last, point)),
                None => None,
                Some((left, right)) if point.distance.signum() == right.distance.signum() => {
                    Some((Point { distance: left.distance / 2.0, ..left }, point))
                }
                Some((_, right)) => Some((right, point)),
            };
            next = match bracket {
                Some((left, right)) => {
                    let middle = left.value + (right.value - left.value) / 2.0;
                    let slope = right.distance - left.distance;
                    let secant = right.value - right.distance * (right.value - left.value) / slope;
                    let is_inside =
                        secant > left.value.min(right.value) && secant < left.value.max(right.value);
                    if iteration % 3 != 0 && is_inside { secant } else { middle }
                }
                None => {
                    let slope = (point.distance - last.distance) / (point.value - last.value);
                    let change = -point.distance / slope;
                    if change.is_finite() && change != 0.0 {
                        step = change.abs().min(100.0 * step.max((point.value - last.value).abs()));
                        last = point;
                        point.value + step.copysign(change)
                    } else {
                        step *= 2.0;
                        start + if iteration % 2 == 0 { step } else { -step }
                    }
                }
            };
            if next == point.value {
                break;
            }
        }
        Ok(best)
    }
}
