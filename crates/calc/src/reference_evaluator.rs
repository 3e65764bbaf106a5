//! A second, simple evaluator for tests: every formula, cell by cell, without graph, runs, compiled
//! programs or dirty ranges.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{Array, CellAddress, ErrorValue, Range, SheetId, Value};
use quadrille_formula::{Host, Template};
use quadrille_functions::{Cancel, EvaluationContext};
use quadrille_workbook::{Input, Workbook};

use crate::affected_formulas::AffectedFormulas;
use crate::evaluation_pass::is_needed_only_for_spill;
use crate::evaluator::{self, CalculationState, Outcome, PassContext, Stop};
use crate::hidden_rows::{Filters, HiddenRows, NoFilters, is_subtotal};
use crate::pivots::Pivots;
use crate::value_access::blank_as_zero;

type CellKey = (SheetId, CellAddress);

/// Evaluates every formula of the workbook and returns the values of all cells that are not blank.
/// Arrays spill as with [`Calculation`](crate::Calculation).
pub fn evaluate_from_scratch(
    workbook: &Workbook,
    time_and_seed: EvaluationContext,
) -> BTreeMap<(SheetId, CellAddress), Value> {
    evaluate_from_scratch_with(workbook, time_and_seed, &NoFilters)
}

/// As [`evaluate_from_scratch`] for a workbook with filters.
pub fn evaluate_from_scratch_with(
    workbook: &Workbook,
    time_and_seed: EvaluationContext,
    filters: &'static dyn Filters,
) -> BTreeMap<(SheetId, CellAddress), Value> {
    let mut formulas: BTreeMap<CellKey, Template> = BTreeMap::new();
    let mut inputs: BTreeSet<CellKey> = BTreeSet::new();
    let mut blank = workbook.clone();
    for sheet in workbook.sheets() {
        let cleared = blank.sheet_mut(sheet.id()).expect("the clone has the same sheets");
        cleared.clear_spilled(Range::whole_sheet());
        for (cell, input) in sheet.inputs_in(Range::whole_sheet()) {
            inputs.insert((sheet.id(), cell));
            if let Input::Formula(template) = input {
                cleared.set_computed(cell, Value::Blank);
                formulas.insert((sheet.id(), cell), template);
            }
        }
    }
    // Each round evaluates everything, given the areas and the blocked arrays of the round before.
    let mut areas: BTreeMap<CellKey, Range> = BTreeMap::new();
    let mut spilled: BTreeMap<CellKey, Value> = BTreeMap::new();
    let mut blocked: BTreeSet<CellKey> = BTreeSet::new();
    // Arrays that need cells which they fill.
    let mut circular_arrays: BTreeSet<CellKey> = BTreeSet::new();
    for _ in 0..64 {
        let state = State {
            waiting: RefCell::new(formulas.keys().copied().collect()),
            areas: &areas,
            formulas: &formulas,
        };
        let round =
            Round::evaluate(&blank, state, &spilled, &blocked, &mut circular_arrays, time_and_seed, filters);
        let placement = round.place_arrays(&inputs);
        if placement.areas == areas && placement.spilled == spilled && placement.blocked == blocked {
            return all_values(&blank, &formulas, placement.values, spilled);
        }
        (areas, spilled, blocked) = (placement.areas, placement.spilled, placement.blocked);
    }
    all_values(&blank, &formulas, BTreeMap::new(), spilled)
}

fn all_values(
    workbook: &Workbook,
    formulas: &BTreeMap<CellKey, Template>,
    mut values: BTreeMap<CellKey, Value>,
    spilled: BTreeMap<CellKey, Value>,
) -> BTreeMap<CellKey, Value> {
    for sheet in workbook.sheets() {
        for (cell, _) in sheet.inputs_in(Range::whole_sheet()) {
            if !formulas.contains_key(&(sheet.id(), cell)) {
                values.insert((sheet.id(), cell), sheet.value(cell));
            }
        }
    }
    values.extend(spilled);
    values.retain(|_, value| !value.is_blank());
    values
}

const CIRCULAR: Outcome = Outcome::Value(Value::Error(ErrorValue::Circular));

/// One evaluation of all formulas for given spill areas.
struct Round {
    outcomes: BTreeMap<CellKey, Outcome>,
}

/// Cells that are not evaluated yet, and the current spill areas.
struct State<'a> {
    waiting: RefCell<BTreeSet<CellKey>>,
    areas: &'a BTreeMap<CellKey, Range>,
    formulas: &'a BTreeMap<CellKey, Template>,
}

impl State<'_> {
    /// The next cell to evaluate, column by column as in the engine.
    fn next_needed(&self, sheet: SheetId, range: Range) -> Option<CellAddress> {
        let waiting = self.waiting.borrow();
        let inside = waiting.iter().filter(|(at, cell)| *at == sheet && range.contains(*cell));
        let direct = inside.map(|(_, cell)| *cell).min_by_key(|cell| (cell.column, cell.row));
        direct.or_else(|| {
            let mut intersecting =
                self.areas.iter().filter(|((at, _), area)| *at == sheet && area.intersects(range));
            intersecting.find(|(anchor, _)| waiting.contains(anchor)).map(|((_, anchor), _)| *anchor)
        })
    }
}

impl CalculationState for State<'_> {
    fn is_ready(&self, sheet: SheetId, range: Range) -> bool {
        self.next_needed(sheet, range).is_none()
    }

    fn spill_area(&self, sheet: SheetId, cell: CellAddress) -> Option<Range> {
        self.areas.get(&(sheet, cell)).copied()
    }

    fn subtotals_in(&self, sheet: SheetId, range: Range) -> Vec<Range> {
        let inside = self.formulas.iter().filter(|((at, cell), _)| *at == sheet && range.contains(*cell));
        let subtotals = inside.filter(|(_, template)| is_subtotal(template));
        let mut cells: Vec<CellAddress> = subtotals.map(|((_, cell), _)| *cell).collect();
        cells.sort_by_key(|cell| (cell.column, cell.row));
        cells.into_iter().map(Range::cell).collect()
    }

    fn affected_by(&self, _cells: &[(SheetId, CellAddress)]) -> AffectedFormulas {
        let mut affected = AffectedFormulas::default();
        for (sheet, cell) in self.formulas.keys() {
            let row = cell.row.get();
            affected.add(*sheet, cell.column.get(), (row, row), |_, _| {});
        }
        for ((sheet, anchor), area) in self.areas {
            affected.arrays.push((*sheet, *anchor, *area));
        }
        affected
    }
}

impl Round {
    fn evaluate(
        blank: &Workbook,
        state: State<'_>,
        spilled: &BTreeMap<CellKey, Value>,
        blocked: &BTreeSet<CellKey>,
        circular_arrays: &mut BTreeSet<CellKey>,
        time_and_seed: EvaluationContext,
        filters: &'static dyn Filters,
    ) -> Round {
        let formulas = state.formulas;
        let mut workbook = blank.clone();
        for ((sheet, cell), value) in spilled {
            let sheet = workbook.sheet_mut(*sheet).expect("arrays spill into sheets that exist");
            sheet.mark_spilled(Range::cell(*cell), CellAddress::clamped(u32::MAX, u32::MAX));
            sheet.set_computed(*cell, value.clone());
        }
        let mut outcomes = BTreeMap::new();
        let mut finish = |workbook: &mut Workbook, key: CellKey, outcome: Outcome| {
            let shown_value = match &outcome {
                Outcome::Value(value) => value.clone(),
                Outcome::Array(_) if blocked.contains(&key) => Value::Error(ErrorValue::Spill),
                Outcome::Array(array) => blank_as_zero(array.values()[0].clone()),
            };
            let sheet = workbook.sheet_mut(key.0).expect("formulas stand in sheets that exist");
            sheet.set_computed(key.1, shown_value);
            state.waiting.borrow_mut().remove(&key);
            outcomes.insert(key, outcome);
        };
        for start in formulas.keys() {
            let mut path: Vec<(CellKey, Option<(SheetId, Range)>)> = vec![(*start, None)];
            if !state.waiting.borrow().contains(start) {
                continue;
            }
            while let Some((key, waiting)) = path.last_mut() {
                if let Some((sheet, range)) = *waiting {
                    match state.next_needed(sheet, range) {
                        None => *waiting = None,
                        Some(cell) => match path.iter().position(|(key, _)| *key == (sheet, cell)) {
                            None => path.push(((sheet, cell), None)),
                            Some(start) => {
                                let cycle = path.split_off(start);
                                for (index, (key, _)) in cycle.iter().enumerate() {
                                    let (_, reader) = cycle[(index + cycle.len() - 1) % cycle.len()];
                                    if is_needed_only_for_spill(reader, key.0, key.1) {
                                        circular_arrays.insert(*key);
                                    }
                                }
                                for (key, _) in cycle {
                                    finish(&mut workbook, key, CIRCULAR);
                                }
                            }
                        },
                    }
                    continue;
                }
                if circular_arrays.contains(key) {
                    let key = *key;
                    path.pop();
                    finish(&mut workbook, key, CIRCULAR);
                    continue;
                }
                let host = Host { sheet: key.0, cell: key.1 };
                // Filter results are not cached.
                let hidden = HiddenRows::of(filters, &workbook);
                let pass_context = PassContext {
                    workbook: &workbook,
                    state: &state,
                    time_and_seed,
                    dates: workbook.date_system(),
                    cancel: &Cancel::NEVER,
                    result_cache: None,
                    partials: None,
                    indexes: None,
                    hidden: &hidden,
                    pivots: &Pivots::default(),
                };
                let (outcome, _) = evaluator::evaluate(pass_context, host, &formulas[key]);
                match outcome {
                    Err(Stop::Need(sheet, range)) => *waiting = Some((sheet, range)),
                    Err(Stop::Cancelled) => unreachable!("nobody can request it"),
                    Ok(outcome) => {
                        let key = *key;
                        path.pop();
                        finish(&mut workbook, key, outcome);
                    }
                }
            }
        }
        Round { outcomes }
    }

    /// Assigns cells to arrays; earlier formulas go first.
    fn place_arrays(self, inputs: &BTreeSet<CellKey>) -> Placement {
        let mut placement = Placement::default();
        for (key, outcome) in self.outcomes {
            let array = match outcome {
                Outcome::Value(value) => {
                    placement.values.insert(key, value);
                    continue;
                }
                Outcome::Array(array) => array,
            };
            match free_area(key, &array, inputs, &placement.areas) {
                None => {
                    placement.values.insert(key, Value::Error(ErrorValue::Spill));
                    placement.blocked.insert(key);
                }
                Some(area) => {
                    for (cell, value) in area.cells().zip(array.into_values()) {
                        let target =
                            if cell == key.1 { &mut placement.values } else { &mut placement.spilled };
                        target.insert((key.0, cell), blank_as_zero(value));
                    }
                    placement.areas.insert(key, area);
                }
            }
        }
        placement
    }
}

/// The arrays of a round with their cells.
#[derive(Default)]
struct Placement {
    areas: BTreeMap<CellKey, Range>,
    /// Values of filled cells, without the formulas' own cells.
    spilled: BTreeMap<CellKey, Value>,
    blocked: BTreeSet<CellKey>,
    /// Values of the formulas' own cells.
    values: BTreeMap<CellKey, Value>,
}

fn free_area(
    (sheet, anchor): CellKey,
    array: &Array,
    inputs: &BTreeSet<CellKey>,
    areas: &BTreeMap<CellKey, Range>,
) -> Option<Range> {
    let (top, left) = (anchor.row.get(), anchor.column.get());
    let area = Range::from_indices(top, left, top + array.rows() - 1, left + array.columns() - 1)?;
    let is_input = |cell: &CellAddress| *cell != anchor && inputs.contains(&(sheet, *cell));
    let is_taken = areas.iter().any(|((at, _), other)| *at == sheet && other.intersects(area));
    (!is_taken && !area.cells().any(|cell| is_input(&cell))).then_some(area)
}
