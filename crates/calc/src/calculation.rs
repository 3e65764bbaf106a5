//! The calculation state of one workbook: the dependency graph, the dirty cells and everything that
//! is cached between evaluations. `evaluate.rs` evaluates, `graph_update.rs` updates the graph.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use quadrille_cell::{CellAddress, DateSystem, Range, SheetId, StructuralEdit};
use quadrille_functions::EvaluationContext;
use quadrille_workbook::{ItemId, Workbook};

use crate::affected_ranges::affected_ranges;
use crate::circular_references::{CircularReference, CircularReferences, Iteration};
use crate::evaluated::Evaluated;
use crate::evaluation_stack::Frame;
use crate::graph::Graph;
use crate::hidden_rows::{Filters, HiddenRows, NoFilters, StaleFilters};
use crate::index::Indexes;
use crate::partial_aggregates::PartialAggregates;
use crate::pivots::Pivots;
use crate::schedule::{Component, Seed};
use crate::spill::Spills;

/// Changed ranges that are kept for the next evaluation. If there are more, it evaluates every formula.
const PENDING_RANGES_MAX: usize = 1 << 18;

/// Tracks which formulas depend on which cells and which values are out of date.
///
/// A calculation lives beside a workbook, never inside it. It can be discarded and rebuilt at any
/// time; a new one treats every formula as dirty.
#[derive(Debug)]
pub struct Calculation {
    pub(crate) graph: Graph,
    pub(crate) spills: Spills,
    /// Ranges whose inputs changed and that the next evaluation has yet to process.
    pub(crate) pending: Vec<(SheetId, Range)>,
    /// Ranges whose values changed because arrays spilled; their dependents are evaluated next.
    pub(crate) seeds: Vec<Seed>,
    /// Formulas whose arrays need cells that they fill themselves. They are `#CIRC!` for the rest
    /// of this evaluation, otherwise they would spill and retract for ever.
    pub(crate) circular_arrays: BTreeSet<(SheetId, CellAddress)>,
    /// Cells on the circular references found so far.
    pub(crate) circular_references: CircularReferences,
    /// Settings of iterative calculation; `None` when circular references are errors.
    pub(crate) iteration: Option<Iteration>,
    /// Cells found on circular references during this evaluation. Iterative calculation evaluates
    /// them from assumed values.
    pub(crate) assumed: BTreeSet<(SheetId, CellAddress)>,
    /// Cells of `assumed` that have not been evaluated from assumed values yet.
    pub(crate) newly_assumed: Vec<(SheetId, CellAddress)>,
    /// The evaluation stack at the moment when the last evaluation spent its budget.
    pub(crate) suspended: Vec<Frame>,
    /// Parts of the graph that no longer match the workbook.
    pub(crate) stale: Stale,
    /// Sheets at the last evaluation, each with its instance number.
    pub(crate) sheets: BTreeMap<SheetId, u64>,
    pub(crate) time_and_seed: Option<EvaluationContext>,
    /// Date system with which the values were calculated.
    pub(crate) dates: DateSystem,
    pub(crate) indexes: Indexes,
    pub(crate) partials: PartialAggregates,
    pub(crate) hidden: HiddenRows,
    pub(crate) pivots: Pivots,
    /// Imports whose data has changed and that the next evaluation has yet to process.
    pub(crate) changed_imports: BTreeSet<ItemId>,
    /// Rows `first..=last` that may have been hidden or unhidden and are not processed yet.
    pub(crate) pending_rows: Vec<(SheetId, u32, u32)>,
    pub(crate) stale_filters: StaleFilters,
    /// The last evaluation finished, and only inputs have changed since.
    pub(crate) is_settled: bool,
    /// The last evaluation spent its budget after marking all dependents of dirty cells dirty.
    pub(crate) is_propagated: bool,
    /// Components that were left in the schedule then, in order; empty when the schedule has to be
    /// computed again.
    pub(crate) remaining: VecDeque<Component>,
    /// Passes over all dirty cells that this evaluation has completed.
    pub(crate) passes: usize,
    /// Fewest dirty cells left by any slice of this evaluation in which arrays still moved.
    pub(crate) fewest_left: u64,
    /// Slices since then that left as many dirty cells or more.
    pub(crate) slices_stuck: u32,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stale {
    pub(crate) everything: bool,
    /// Rows or columns moved. The move alone changes no value.
    pub(crate) structure: bool,
    pub(crate) names: bool,
    pub(crate) sheets: bool,
}

impl Calculation {
    /// Creates a calculation in which every formula of the workbook is dirty.
    pub fn new(workbook: &Workbook) -> Calculation {
        Calculation {
            graph: Graph::default(),
            spills: Spills::default(),
            pending: Vec::new(),
            seeds: Vec::new(),
            circular_arrays: BTreeSet::new(),
            circular_references: CircularReferences::default(),
            iteration: None,
            assumed: BTreeSet::new(),
            newly_assumed: Vec::new(),
            suspended: Vec::new(),
            stale: Stale { everything: true, ..Stale::default() },
            sheets: BTreeMap::new(),
            time_and_seed: None,
            dates: workbook.date_system(),
            indexes: Indexes::default(),
            partials: PartialAggregates::default(),
            hidden: HiddenRows::new(&NoFilters),
            pivots: Pivots::default(),
            changed_imports: BTreeSet::new(),
            pending_rows: Vec::new(),
            stale_filters: StaleFilters::All,
            is_settled: false,
            is_propagated: false,
            remaining: VecDeque::new(),
            passes: 0,
            fewest_left: u64::MAX,
            slices_stuck: 0,
        }
    }

    /// Sets the source of the filters that hide rows from SUBTOTAL and AGGREGATE.
    pub fn with_filters(self, filters: &'static dyn Filters) -> Calculation {
        Calculation { hidden: HiddenRows::new(filters), ..self }
    }

    /// Notes that the inputs of the range may have changed. The next evaluation reads the workbook.
    pub fn inputs_changed(&mut self, _workbook: &Workbook, sheet: SheetId, range: Range) {
        if self.stale.everything {
            return;
        }
        // Joins cells that are typed or pasted downwards, one after the other.
        if let Some((last_sheet, last)) = self.pending.last_mut()
            && *last_sheet == sheet
            && last.first().column == range.first().column
            && last.last().column == range.last().column
            && last.first().row <= range.first().row
            && range.first().row.get() <= last.last().row.get() + 1
        {
            *last = last.union(range);
            return;
        }
        self.note_pending(sheet, range);
    }

    /// Adds a range to those that the next evaluation processes, unless it processes every cell anyway. A
    /// server's copy of a workbook may never be evaluated, however long it is edited.
    fn note_pending(&mut self, sheet: SheetId, range: Range) {
        if self.pending.len() >= PENDING_RANGES_MAX {
            self.pending = Vec::new();
            self.stale.everything = true;
            self.stale_filters = StaleFilters::All;
        }
        if !self.stale.everything {
            self.pending.push((sheet, range));
        }
    }

    /// Notes that rows or columns were inserted, deleted or moved, after the workbook's templates
    /// have been rewritten. Structural edits must be reported in the order in which they were made,
    /// and after the input changes that preceded them.
    pub fn restructured(&mut self, _workbook: &Workbook, edit: &StructuralEdit) {
        self.indexes.invalidate();
        self.partials.clear();
        self.is_settled = false;
        self.stale.structure = true;
        let moved = |cells: &mut Vec<(SheetId, Range)>| {
            cells.retain_mut(|(sheet, range)| {
                if *sheet != edit.sheet {
                    return true;
                }
                match edit.map_range(*range) {
                    Some(mapped) => *range = mapped,
                    None => return false,
                }
                true
            });
        };
        moved(&mut self.pending);
        let mut seeds =
            std::mem::take(&mut self.seeds).into_iter().map(|seed| (seed.sheet, seed.range)).collect();
        moved(&mut seeds);
        self.seeds = seeds.into_iter().map(|(sheet, range)| Seed::new(sheet, range)).collect();
        // The nodes will be rebuilt, so dirty rows are kept as cell ranges.
        let mut dirty = self.graph.take_dirty();
        moved(&mut dirty);
        self.circular_references.restructure(edit);
        self.hidden_rows_restructured(edit);
        for (sheet, range) in dirty {
            self.note_pending(sheet, range);
        }
        for range in self.spills.restructure(edit).into_iter().chain(affected_ranges(edit)) {
            self.note_pending(edit.sheet, range);
        }
    }

    /// Notes that defined names were added, changed or removed.
    pub fn names_changed(&mut self, _workbook: &Workbook) {
        self.stale.names = true;
    }

    /// Notes that sheets were added, removed, renamed or moved.
    pub fn sheets_changed(&mut self, _workbook: &Workbook) {
        self.indexes.invalidate();
        self.partials.clear();
        self.is_settled = false;
        self.stale.sheets = true;
        self.stale_filters = StaleFilters::All;
    }

    /// Returns the circular reference that the cell was on when it was last evaluated.
    pub fn circular_reference(&self, sheet: SheetId, cell: CellAddress) -> Option<&CircularReference> {
        self.circular_references.get(sheet, cell)
    }

    /// Returns the cells on circular references, by sheet and then row by row.
    pub fn circular_cells(&self) -> impl Iterator<Item = (SheetId, CellAddress)> {
        self.circular_references.cells()
    }

    /// Notes that settings of the workbook may have changed: iterative calculation, date system.
    pub fn settings_changed(&mut self, workbook: &Workbook) {
        if Iteration::of(workbook) != self.iteration {
            self.pending
                .extend(self.circular_references.cells().map(|(sheet, cell)| (sheet, Range::cell(cell))));
        }
        if workbook.date_system() != self.dates {
            // A rare change, and any text in a formula may be a date.
            self.dates = workbook.date_system();
            self.stale.everything = true;
            self.stale_filters = StaleFilters::All;
        }
    }

    /// Whether every value is up to date with respect to the evaluation context of the last
    /// evaluation.
    pub fn is_clean(&self) -> bool {
        let Stale { everything, structure, names, sheets } = self.stale;
        let nothing_stale = !(everything || structure || names || sheets);
        nothing_stale
            && !self.has_pending_hidden_rows()
            && self.pivots.is_current()
            && self.changed_imports.is_empty()
            && self.pending.is_empty()
            && self.seeds.is_empty()
            && self.graph.is_clean()
    }

    /// Whether some formula depends on the time or on random numbers, so that a new evaluation
    /// context alone changes its value.
    pub fn is_volatile(&self) -> bool {
        self.stale.everything || !self.graph.volatile.is_empty()
    }

    /// Whether the graph has to be updated for more than changed inputs.
    pub(crate) fn is_stale(&self) -> bool {
        let Stale { everything, structure, names, sheets } = self.stale;
        everything || structure || names || sheets
    }

    /// Clears spilled values of an area and marks the blocked arrays that requested its cells
    /// dirty.
    pub(crate) fn clear_cells(
        &mut self,
        workbook: &mut Workbook,
        sheet: SheetId,
        area: Range,
        evaluated: &mut Evaluated,
    ) {
        if let Some(sheet) = workbook.sheet_mut(sheet) {
            sheet.clear_spilled(area);
        }
        evaluated.changed.push((sheet, area));
        self.seeds.push(Seed::new(sheet, area));
        let waiting: Vec<CellAddress> = self
            .spills
            .intersecting(sheet, area)
            .filter(|(_, spill)| !spill.is_placed)
            .map(|(anchor, _)| anchor)
            .collect();
        for anchor in waiting {
            if let Some(id) = self.graph.node_at(sheet, anchor) {
                self.graph.mark_dirty(id, anchor.row.get(), anchor.row.get(), |_, _| {});
            }
        }
    }
}
