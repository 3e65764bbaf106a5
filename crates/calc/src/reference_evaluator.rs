//! The same results without graph, runs, programs and dirty ranges: every formula evaluated cell by cell, from nothing.
//! Slow and simple; tests compare the real thing with it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{Array, CellAddress, ErrorValue, Range, SheetId, Value};
use quadrille_formula::{Host, Template};
use quadrille_functions::{Cancel, EvaluationContext};
use quadrille_workbook::{Input, Workbook};

use crate::evaluation_pass::is_needed_for_its_array;
use crate::evaluator::{self, Outcome, PassContext, Stop, Surroundings, shown};
use crate::hidden_rows::{Filters, HiddenRows, NoFilters, is_subtotal};

type CellKey = (SheetId, CellAddress);

/// The value of every cell that is not blank. Arrays spill as [`Calculation`](crate::Calculation) lets them.
pub fn evaluate_plainly(
    workbook: &Workbook,
    time_and_seed: EvaluationContext,
) -> BTreeMap<(SheetId, CellAddress), Value> {
    evaluate_plainly_with(workbook, time_and_seed, &NoFilters)
}

/// As [`evaluate_plainly`], of a workbook with filters.
pub fn evaluate_plainly_with(
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
    // Each round starts from nothing but knows where arrays spilled in the round before, and which could not.
    let mut areas: BTreeMap<CellKey, Range> = BTreeMap::new();
    let mut spilled: BTreeMap<CellKey, Value> = BTreeMap::new();
    let mut blocked: BTreeSet<CellKey> = BTreeSet::new();
    // Arrays that need cells which they fill.
    let mut own_victims: BTreeSet<CellKey> = BTreeSet::new();
    for _ in 0..64 {
        let state = State {
            waiting: RefCell::new(formulas.keys().copied().collect()),
            areas: &areas,
            formulas: &formulas,
        };
        let round =
            Round::evaluate(&blank, state, &spilled, &blocked, &mut own_victims, time_and_seed, filters);
        let placed = round.place_arrays(&inputs);
        if placed.areas == areas && placed.spilled == spilled && placed.blocked == blocked {
            return all_values(&blank, &formulas, placed.values, spilled);
        }
        (areas, spilled, blocked) = (placed.areas, placed.spilled, placed.blocked);
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

/// One evaluation of all formulas with arrays where they are.
struct Round {
    outcomes: BTreeMap<CellKey, Outcome>,
}

/// Cells not evaluated yet, and where arrays are.
struct State<'a> {
    waiting: RefCell<BTreeSet<CellKey>>,
    areas: &'a BTreeMap<CellKey, Range>,
    formulas: &'a BTreeMap<CellKey, Template>,
}

impl State<'_> {
    /// In the order of columns, as the engine looks for them.
    fn next_needed(&self, sheet: SheetId, range: Range) -> Option<CellAddress> {
        let waiting = self.waiting.borrow();
        let inside = waiting.iter().filter(|(at, cell)| *at == sheet && range.contains(*cell));
        let direct = inside.map(|(_, cell)| *cell).min_by_key(|cell| (cell.column, cell.row));
        direct.or_else(|| {
            let mut meeting =
                self.areas.iter().filter(|((at, _), area)| *at == sheet && area.intersects(range));
            meeting.find(|(anchor, _)| waiting.contains(anchor)).map(|((_, anchor), _)| *anchor)
        })
    }
}

impl Surroundings for State<'_> {
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
}

impl Round {
    fn evaluate(
        blank: &Workbook,
        state: State<'_>,
        spilled: &BTreeMap<CellKey, Value>,
        blocked: &BTreeSet<CellKey>,
        own_victims: &mut BTreeSet<CellKey>,
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
        let mut finish = |workbook: &mut Workbook, place: CellKey, outcome: Outcome| {
            let shown_value = match &outcome {
                Outcome::Value(value) => value.clone(),
                Outcome::Array(_) if blocked.contains(&place) => Value::Error(ErrorValue::Spill),
                Outcome::Array(array) => shown(array.values()[0].clone()),
            };
            let sheet = workbook.sheet_mut(place.0).expect("formulas stand in sheets that exist");
            sheet.set_computed(place.1, shown_value);
            state.waiting.borrow_mut().remove(&place);
            outcomes.insert(place, outcome);
        };
        for start in formulas.keys() {
            let mut path: Vec<(CellKey, Option<(SheetId, Range)>)> = vec![(*start, None)];
            if !state.waiting.borrow().contains(start) {
                continue;
            }
            while let Some((place, waiting)) = path.last_mut() {
                if let Some((sheet, range)) = *waiting {
                    match state.next_needed(sheet, range) {
                        None => *waiting = None,
                        Some(cell) => match path.iter().position(|(place, _)| *place == (sheet, cell)) {
                            None => path.push(((sheet, cell), None)),
                            Some(start) => {
                                let cycle = path.split_off(start);
                                for (index, (place, _)) in cycle.iter().enumerate() {
                                    let (_, reader) = cycle[(index + cycle.len() - 1) % cycle.len()];
                                    if is_needed_for_its_array(reader, place.0, place.1) {
                                        own_victims.insert(*place);
                                    }
                                }
                                for (place, _) in cycle {
                                    finish(&mut workbook, place, CIRCULAR);
                                }
                            }
                        },
                    }
                    continue;
                }
                if own_victims.contains(place) {
                    let place = *place;
                    path.pop();
                    finish(&mut workbook, place, CIRCULAR);
                    continue;
                }
                let host = Host { sheet: place.0, cell: place.1 };
                // Nothing is kept of what filters hide.
                let hidden = HiddenRows::of(filters, &workbook);
                let setting = PassContext {
                    workbook: &workbook,
                    surroundings: &state,
                    time_and_seed,
                    dates: workbook.date_system(),
                    cancel: &Cancel::NEVER,
                    memo: None,
                    partials: None,
                    indexes: None,
                    hidden: &hidden,
                };
                let (outcome, _) = evaluator::evaluate(setting, host, &formulas[place]);
                match outcome {
                    Err(Stop::Need(sheet, range)) => *waiting = Some((sheet, range)),
                    Err(Stop::Cancelled) => unreachable!("nobody can request it"),
                    Ok(outcome) => {
                        let place = *place;
                        path.pop();
                        finish(&mut workbook, place, outcome);
                    }
                }
            }
        }
        Round { outcomes }
    }

    /// Gives arrays their cells, those of earlier formulas first.
    fn place_arrays(self, inputs: &BTreeSet<CellKey>) -> Placed {
        let mut placed = Placed::default();
        for (place, outcome) in self.outcomes {
            let array = match outcome {
                Outcome::Value(value) => {
                    placed.values.insert(place, value);
                    continue;
                }
                Outcome::Array(array) => array,
            };
            match free_area(place, &array, inputs, &placed.areas) {
                None => {
                    placed.values.insert(place, Value::Error(ErrorValue::Spill));
                    placed.blocked.insert(place);
                }
                Some(area) => {
                    for (cell, value) in area.cells().zip(array.into_values()) {
                        let target = if cell == place.1 { &mut placed.values } else { &mut placed.spilled };
                        target.insert((place.0, cell), shown(value));
                    }
                    placed.areas.insert(place, area);
                }
            }
        }
        placed
    }
}

/// What came of the arrays of a round.
#[derive(Default)]
struct Placed {
    areas: BTreeMap<CellKey, Range>,
    /// What the areas hold, the formulas' own cells left out.
    spilled: BTreeMap<CellKey, Value>,
    blocked: BTreeSet<CellKey>,
    /// What the formulas' cells show.
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
