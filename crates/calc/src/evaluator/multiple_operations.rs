//! MULTIPLE.OPERATIONS: the result that a formula would have with other values in one or two cells,
//! as in what-if data tables.
//!
//! The formulas between the replaced cells and the formula are evaluated again in a copy of the
//! workbook, which shares everything else with it, in the order in which they need one another.

use quadrille_cell::{Array, CellAddress, ErrorValue, Range, SheetId, Value};
use quadrille_formula::{Expression, Host};
use quadrille_workbook::{ImportSource, Workbook};

use super::item::{Areas, Evaluation, Item, Outcome, Stop, Values};
use super::{CalculationState, Evaluator, PassContext};
use crate::affected_formulas::AffectedFormulas;
use crate::value_access::blank_as_zero;

/// Calls within formulas that a call evaluates again. Each level uses some stack, and may
/// double the number of evaluated formulas.
const NESTED_MAX: u32 = 4;

/// A formula that is being evaluated, and the range that it waits for.
struct Frame {
    sheet: SheetId,
    cell: CellAddress,
    waiting: Option<(SheetId, Range)>,
}

/// The state of the copy.
struct Replaced<'a> {
    /// The state of the workbook that was copied.
    below: &'a dyn CalculationState,
    /// The cells with other values.
    cells: &'a [(SheetId, CellAddress)],
    /// Formulas that have no value in the copy yet.
    waiting: AffectedFormulas,
    /// Arrays with other areas than below.
    areas: Vec<(SheetId, CellAddress, Option<Range>)>,
    depth: u32,
}

impl CalculationState for Replaced<'_> {
    fn is_ready(&self, sheet: SheetId, range: Range) -> bool {
        self.below.is_ready(sheet, range) && self.waiting.first_in(sheet, range).is_none()
    }

    fn note_reference(&self, sheet: SheetId, range: Range) {
        self.below.note_reference(sheet, range);
    }

    fn note_import(&self, source: ImportSource) {
        self.below.note_import(source);
    }

    fn spill_area(&self, sheet: SheetId, cell: CellAddress) -> Option<Range> {
        let own = self.areas.iter().find(|(at, anchor, _)| (*at, *anchor) == (sheet, cell));
        own.map_or_else(|| self.below.spill_area(sheet, cell), |(_, _, area)| *area)
    }

    fn subtotals_in(&self, sheet: SheetId, range: Range) -> Vec<Range> {
        self.below.subtotals_in(sheet, range)
    }

    fn affected_by(&self, cells: &[(SheetId, CellAddress)]) -> AffectedFormulas {
        let mut affected = self.below.affected_by(cells);
        // These have their values from this call, whatever a call within it replaces.
        for (sheet, cell) in self.cells {
            affected.remove(*sheet, *cell);
        }
        affected
    }

    fn replacement_depth(&self) -> u32 {
        self.depth
    }
}

impl<'a> Evaluator<'a, '_> {
    /// MULTIPLE.OPERATIONS(formula, input, replacement, [input, replacement]).
    pub(super) fn call_multiple_operations(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        if !matches!(arguments.len(), 3 | 5) {
            return Ok(ErrorValue::Value.into());
        }
        let formula = match self.cell_argument(&arguments[0])? {
            Ok(cell) => cell,
            Err(error) => return Ok(error.into()),
        };
        let mut replacements = Vec::new();
        for pair in arguments[1..].chunks(2) {
            let cell = match self.cell_argument(&pair[0])? {
                Ok(cell) => cell,
                Err(error) => return Ok(error.into()),
            };
            let item = self.evaluate(&pair[1])?;
            match self.values(item)? {
                Values::One(value) => replacements.push((cell, value)),
                Values::Array(_) => return Ok(ErrorValue::Value.into()),
            }
        }
        // Everything that the formula needs has its value then.
        self.cell_value(formula.0, Range::cell(formula.1))?;
        let value = self.value_with_replacements(formula, replacements)?;
        Ok(Item::Value(value))
    }

    fn cell_argument(
        &mut self,
        argument: &'a Expression,
    ) -> Evaluation<Result<(SheetId, CellAddress), ErrorValue>> {
        Ok(match self.evaluate(argument)? {
            Item::Reference(Areas::One(sheet, range)) if range.cell_count() == 1 => {
                Ok((sheet, range.first()))
            }
            Item::Value(Value::Error(error)) => Err(error),
            _ => Err(ErrorValue::Value),
        })
    }

    fn value_with_replacements(
        &mut self,
        (sheet, cell): (SheetId, CellAddress),
        replacements: Vec<((SheetId, CellAddress), Value)>,
    ) -> Evaluation<Value> {
        const CALCULATION: Value = Value::Error(ErrorValue::Calculation);
        let below = self.pass.state;
        let depth = below.replacement_depth() + 1;
        if depth > NESTED_MAX {
            return Ok(CALCULATION);
        }
        let cells: Vec<_> = replacements.iter().map(|(cell, _)| *cell).collect();
        let waiting = below.affected_by(&cells);
        if self.context.budget.charge(waiting.steps).is_err() {
            return Ok(CALCULATION);
        }
        let mut state = Replaced { below, cells: &cells, waiting, areas: Vec::new(), depth };
        let mut workbook = self.pass.workbook.clone();
        for ((sheet, cell), value) in replacements {
            state.waiting.remove(sheet, cell);
            set_value(&mut workbook, sheet, cell, value);
        }
        let mut path: Vec<Frame> = Vec::new();
        loop {
            let needed = path.last().map_or(Some((sheet, Range::cell(cell))), |frame| frame.waiting);
            if let Some((sheet, range)) = needed {
                match state.waiting.first_in(sheet, range) {
                    None => match path.last_mut() {
                        Some(frame) => frame.waiting = None,
                        None => break,
                    },
                    // What is circular without the replacements stays so: where a circle is entered
                    // would decide which of its formulas have another result.
                    Some(cell) if is_circular(&workbook, sheet, cell) => state.waiting.remove(sheet, cell),
                    Some(cell) => {
                        match path.iter().position(|frame| (frame.sheet, frame.cell) == (sheet, cell)) {
                            None => path.push(Frame { sheet, cell, waiting: None }),
                            Some(start) => {
                                for Frame { sheet, cell, .. } in path.drain(start..) {
                                    let circular = Value::Error(ErrorValue::Circular);
                                    state.finish(&mut workbook, sheet, cell, Outcome::Value(circular));
                                }
                            }
                        }
                    }
                }
                continue;
            }
            let Some(frame) = path.last_mut() else { break };
            let (sheet, cell) = (frame.sheet, frame.cell);
            let Some(template) = workbook.sheet(sheet).and_then(|sheet| sheet.formula(cell)) else {
                state.waiting.remove(sheet, cell);
                path.pop();
                continue;
            };
            let outer: PassContext<'_> = self.pass;
            // What is cached was calculated from other values.
            let pass = PassContext {
                workbook: &workbook,
                state: &state,
                result_cache: None,
                partials: None,
                indexes: None,
                ..outer
            };
            let (outcome, steps) = super::evaluate(pass, Host { sheet, cell }, template);
            if self.context.budget.charge(steps).is_err() {
                return Ok(CALCULATION);
            }
            match outcome {
                Err(Stop::Need(sheet, range)) if below.is_ready(sheet, range) => {
                    frame.waiting = Some((sheet, range));
                }
                Err(stop) => return Err(stop),
                Ok(outcome) => {
                    path.pop();
                    state.finish(&mut workbook, sheet, cell, outcome);
                }
            }
        }
        Ok(workbook.sheet(sheet).map_or(Value::Blank, |sheet| sheet.value(cell)))
    }
}

impl Replaced<'_> {
    /// Stores the result of a formula in the copy.
    fn finish(&mut self, workbook: &mut Workbook, sheet: SheetId, cell: CellAddress, outcome: Outcome) {
        self.waiting.remove(sheet, cell);
        if let Some(area) = self.spill_area(sheet, cell) {
            for cell in area.cells() {
                set_value(workbook, sheet, cell, Value::Blank);
            }
            self.areas.push((sheet, cell, None));
        }
        match outcome {
            Outcome::Value(value) => set_value(workbook, sheet, cell, value),
            Outcome::Array(array) => match free_area(workbook, sheet, cell, &array) {
                None => set_value(workbook, sheet, cell, Value::Error(ErrorValue::Spill)),
                Some(area) => {
                    for (cell, value) in area.cells().zip(array.into_values()) {
                        set_value(workbook, sheet, cell, blank_as_zero(value));
                    }
                    self.areas.retain(|(at, anchor, _)| (*at, *anchor) != (sheet, cell));
                    self.areas.push((sheet, cell, Some(area)));
                }
            },
        }
    }
}

/// The cells of an array if nothing has been entered there.
fn free_area(workbook: &Workbook, sheet: SheetId, anchor: CellAddress, array: &Array) -> Option<Range> {
    let (top, left) = (anchor.row.get(), anchor.column.get());
    let area = Range::from_indices(top, left, top + array.rows() - 1, left + array.columns() - 1)?;
    let mut inputs = workbook.sheet(sheet)?.inputs_in(area);
    inputs.all(|(cell, _)| cell == anchor).then_some(area)
}

fn is_circular(workbook: &Workbook, sheet: SheetId, cell: CellAddress) -> bool {
    workbook.sheet(sheet).is_some_and(|sheet| sheet.value(cell) == Value::Error(ErrorValue::Circular))
}

fn set_value(workbook: &mut Workbook, sheet: SheetId, cell: CellAddress, value: Value) {
    if let Some(sheet) = workbook.sheet_mut(sheet) {
        sheet.set_computed_values(cell.column, cell.row.get(), &[value]);
    }
}
