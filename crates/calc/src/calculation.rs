//! The calculation of one workbook: what is out of date, and bringing it up to date.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use quadrille_cell::{
    CellAddress, DateSystem, ErrorValue, Range, SheetId, StructuralEdit, Value, defer_drop, give_back,
};
use quadrille_functions::{Budget, Cancel, EvaluationContext};
use quadrille_workbook::Workbook;

use crate::affected_ranges::affected_ranges;
use crate::circular_references::{CircularReference, CircularReferences, Iteration};
use crate::evaluation_pass::EvaluationPass;
use crate::evaluation_stack::Frame;
use crate::formula_batch::NodeFormulas;
use crate::graph::{Graph, NodeId};
use crate::hidden_rows::{Filters, HiddenRows, NoFilters, StaleFilters};
use crate::index::Indexes;
use crate::lookup_dependents::affected_lookups;
use crate::partial_aggregates::PartialAggregates;
use crate::result_cache::ResultCache;
use crate::schedule::{Component, Seed, order, schedule};
use crate::spill::{Spill, Spills};
use crate::template_analysis::TemplateAnalysis;

/// Knows which formulas depend on which cells and which are out of date. Lives beside a workbook, never inside: it
/// can be made anew at any time, and then everything is out of date.
#[derive(Debug)]
pub struct Calculation {
    pub(crate) graph: Graph,
    pub(crate) spills: Spills,
    /// Cells whose inputs changed, not yet looked at.
    pending: Vec<(SheetId, Range)>,
    /// Cells whose values changed by spilling, whose dependents are to be evaluated next.
    pub(crate) seeds: Vec<Seed>,
    /// Formulas whose arrays were found to need cells that they fill: circular for the rest of this evaluation,
    /// or they would come and go for ever.
    pub(crate) own_victims: BTreeSet<(SheetId, CellAddress)>,
    /// Cells on circular references, as far as they are known.
    pub(crate) circular_references: CircularReferences,
    /// How circular references are calculated; `None` when they are errors.
    pub(crate) iteration: Option<Iteration>,
    /// Cells found to be on circular references in this evaluation, which are then calculated from assumed values.
    pub(crate) assumed: BTreeSet<(SheetId, CellAddress)>,
    /// Those of them that have not been calculated from what is assumed.
    pub(crate) assumed_anew: Vec<(SheetId, CellAddress)>,
    /// Cells on whose way the budget of the last evaluation ended.
    pub(crate) suspended: Vec<Frame>,
    /// The graph no longer shows the workbook's runs.
    stale: Stale,
    /// The sheets there were, each with its instance.
    sheets: BTreeMap<SheetId, u64>,
    time_and_seed: Option<EvaluationContext>,
    /// Everything was calculated for dates that count so.
    pub(crate) dates: DateSystem,
    pub(crate) indexes: Indexes,
    pub(crate) partials: PartialAggregates,
    pub(crate) hidden: HiddenRows,
    /// First and last of rows that may be hidden or shown now, not yet looked at.
    pub(crate) pending_rows: Vec<(SheetId, u32, u32)>,
    pub(crate) stale_filters: StaleFilters,
    /// The last evaluation ended, and nothing but inputs has changed since.
    is_settled: bool,
    /// The last evaluation ran out of its budget with everything dirty that depends on what is.
    is_spread: bool,
    /// What it had yet to do then, in order; nothing where that has to be found anew.
    rest: VecDeque<Component>,
    /// How often this evaluation has calculated all that was dirty.
    passes: usize,
    /// The fewest cells that a slice of it has left while arrays moved.
    fewest_left: u64,
    /// How many slices since then have left as many or more.
    slices_stuck: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Stale {
    everything: bool,
    /// Rows or columns moved; values did not change by that alone.
    structure: bool,
    names: bool,
    sheets: bool,
}

/// What an evaluation did.
#[derive(Clone, Debug, Default)]
pub struct Evaluated {
    /// Cells whose shown value may have changed.
    pub changed: Vec<(SheetId, Range)>,
    /// Whether everything is up to date; otherwise evaluate again to go on.
    pub finished: bool,
}

/// Rounds of spilling after which arrays that keep moving one another are given up as circular.
const PASSES_MAX: usize = 64;
/// When so many slices have come no further, each next one is twice as long, until one comes to an end.
const SLICES_STUCK_MAX: u32 = 16;

impl Calculation {
    /// Everything is out of date.
    pub fn new(workbook: &Workbook) -> Calculation {
        Calculation {
            graph: Graph::default(),
            spills: Spills::default(),
            pending: Vec::new(),
            seeds: Vec::new(),
            own_victims: BTreeSet::new(),
            circular_references: CircularReferences::default(),
            iteration: None,
            assumed: BTreeSet::new(),
            assumed_anew: Vec::new(),
            suspended: Vec::new(),
            stale: Stale { everything: true, ..Stale::default() },
            sheets: BTreeMap::new(),
            time_and_seed: None,
            dates: workbook.date_system(),
            indexes: Indexes::default(),
            partials: PartialAggregates::default(),
            hidden: HiddenRows::new(&NoFilters),
            pending_rows: Vec::new(),
            stale_filters: StaleFilters::All,
            is_settled: false,
            is_spread: false,
            rest: VecDeque::new(),
            passes: 0,
            fewest_left: u64::MAX,
            slices_stuck: 0,
        }
    }

    /// In a workbook with filters.
    pub fn with_filters(self, filters: &'static dyn Filters) -> Calculation {
        Calculation { hidden: HiddenRows::new(filters), ..self }
    }

    /// The inputs of the range's cells may have changed. The workbook is looked at when evaluating.
    pub fn inputs_changed(&mut self, _workbook: &Workbook, sheet: SheetId, range: Range) {
        // Cells typed or pasted one after the other, downwards.
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
        self.pending.push((sheet, range));
    }

    /// Rows or columns came or went, and templates have been rewritten accordingly. Edits must be told in the order
    /// in which they were made, and after the inputs that changed before them.
    pub fn restructured(&mut self, _workbook: &Workbook, edit: &StructuralEdit) {
        self.indexes.unsettle_everything();
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
        // What is dirty is told by place, since the nodes will be made anew.
        let mut dirty = self.graph.take_dirty();
        moved(&mut dirty);
        self.pending.append(&mut dirty);
        self.circular_references.restructure(edit);
        self.rows_moved(edit);
        for concerned in self.spills.restructure(edit) {
            self.pending.push((edit.sheet, concerned));
        }
        for lines in affected_ranges(edit) {
            self.pending.push((edit.sheet, lines));
        }
    }

    /// A defined name came, went or changed.
    pub fn names_changed(&mut self, _workbook: &Workbook) {
        self.stale.names = true;
    }

    /// Sheets came, went, or changed place or name.
    pub fn sheets_changed(&mut self, _workbook: &Workbook) {
        self.indexes.unsettle_everything();
        self.partials.clear();
        self.is_settled = false;
        self.stale.sheets = true;
        self.stale_filters = StaleFilters::All;
    }

    /// The circular reference that a cell is on, if it was on one when it was last calculated.
    pub fn circular_reference(&self, sheet: SheetId, cell: CellAddress) -> Option<&CircularReference> {
        self.circular_references.get(sheet, cell)
    }

    /// Cells on circular references, sheet by sheet and row by row.
    pub fn circular_cells(&self) -> impl Iterator<Item = (SheetId, CellAddress)> {
        self.circular_references.cells()
    }

    /// The workbook's settings may have changed.
    pub fn settings_changed(&mut self, workbook: &Workbook) {
        if Iteration::of(workbook) != self.iteration {
            self.pending
                .extend(self.circular_references.cells().map(|(sheet, cell)| (sheet, Range::cell(cell))));
        }
        if workbook.date_system() != self.dates {
            // Rare, and any text in a formula may be a date.
            self.dates = workbook.date_system();
            self.stale.everything = true;
            self.stale_filters = StaleFilters::All;
        }
    }

    /// Whether every value is up to date, for the stamp of the last evaluation.
    pub fn is_clean(&self) -> bool {
        let Stale { everything, structure, names, sheets } = self.stale;
        let nothing_stale = !(everything || structure || names || sheets);
        nothing_stale
            && !self.is_hiding_new()
            && self.pending.is_empty()
            && self.seeds.is_empty()
            && self.graph.is_clean()
    }

    /// Whether some formula depends on time or chance, so that a new stamp alone gives it a new value.
    pub fn is_volatile(&self) -> bool {
        self.stale.everything || !self.graph.volatile.is_empty()
    }

    /// Brings values up to date, as far as the budget goes.
    pub fn evaluate(
        &mut self,
        workbook: &mut Workbook,
        time_and_seed: EvaluationContext,
        budget: &mut Budget,
    ) -> Evaluated {
        // What another evaluation on this thread left when it was ended.
        while give_back() && !budget.cancel.is_requested() {}
        let evaluated = self.resume(workbook, time_and_seed, budget);
        defer_drop(false);
        evaluated
    }

    fn resume(
        &mut self,
        workbook: &mut Workbook,
        time_and_seed: EvaluationContext,
        budget: &mut Budget,
    ) -> Evaluated {
        let mut evaluated = Evaluated::default();
        self.indexes.cancel = budget.cancel.clone();
        self.indexes.move_on();
        self.indexes.unsettle(&self.pending);
        for (sheet, range) in &self.pending {
            self.partials.changed(*sheet, *range);
            self.hidden.changed(*sheet, *range);
        }
        let is_edited = !self.pending.is_empty() || self.is_stale();
        let is_new_work = is_edited || !self.seeds.is_empty() || self.is_hiding_new();
        if is_edited || self.time_and_seed != Some(time_and_seed) {
            self.passes = 0;
            (self.fewest_left, self.slices_stuck) = (u64::MAX, 0);
        }
        if !self.catch_up(workbook, &mut evaluated, &budget.cancel) {
            self.is_settled = false;
            self.note_changes(&evaluated);
            return evaluated;
        }
        self.is_settled = false;
        // Dirt that spread again would go round a circular reference and dirty what the slices before have calculated of it.
        let mut goes_on = self.is_spread && self.time_and_seed == Some(time_and_seed) && !is_new_work;
        self.is_spread = false;
        let mut rest = std::mem::take(&mut self.rest);
        if self.time_and_seed != Some(time_and_seed) || is_new_work {
            if self.time_and_seed != Some(time_and_seed) {
                self.mark_volatile();
            }
            self.mark_unknown();
            self.time_and_seed = Some(time_and_seed);
            self.own_victims.clear();
            self.assumed.clear();
            self.suspended.clear();
        }
        let doublings = self.slices_stuck.saturating_sub(SLICES_STUCK_MAX).min(u64::BITS - 1);
        budget.steps_left = budget.steps_left.saturating_mul(1 << doublings);
        let mut is_first = true;
        while !self.seeds.is_empty() || !self.graph.is_clean() || !self.assumed_anew.is_empty() {
            if self.passes == PASSES_MAX {
                self.give_up(workbook, &mut evaluated);
                break;
            }
            if !std::mem::take(&mut is_first) {
                self.mark_unknown();
            }
            let seeds = std::mem::take(&mut self.seeds);
            self.start_assuming();
            let mut schedule = match std::mem::take(&mut goes_on) {
                true if !rest.is_empty() => std::mem::take(&mut rest),
                true => order(&mut self.graph, &self.spills),
                false => schedule(&mut self.graph, &self.spills, &seeds),
            };
            if self.mark_cycles_dirty() {
                schedule = crate::schedule::schedule(&mut self.graph, &self.spills, &[]);
            }
            self.forget_cycles();
            let memo = ResultCache::default();
            let evaluated = &mut evaluated;
            let told = 0;
            let mut pass =
                EvaluationPass { calculation: self, workbook, time_and_seed, budget, evaluated, memo, told };
            let suspended = std::mem::take(&mut pass.calculation.suspended);
            let is_done = (suspended.is_empty() || pass.resume(suspended))
                && pass.cycles_first(&mut schedule)
                && pass.components(&mut schedule);
            if !is_done {
                self.note_changes(evaluated);
                self.is_spread = self.assumed_anew.is_empty() && self.seeds.is_empty();
                // Assumed circular references are taken out of the schedule before they are done.
                if self.is_spread && self.assumed.is_empty() {
                    self.rest = schedule;
                }
                if !self.is_spread {
                    self.check_progress();
                }
                if !self.assumed_anew.is_empty() {
                    // Circular references that are wanted come first.
                    self.suspended.clear();
                }
                self.start_assuming();
                return std::mem::take(evaluated);
            }
            self.passes += 1;
        }
        evaluated.finished = true;
        self.passes = 0;
        self.note_changes(&evaluated);
        self.indexes.settle(workbook);
        self.is_settled = true;
        evaluated
    }

    /// Circular references that are wanted are calculated together or not at all: how often one goes round depends on when the
    /// others have settled. Marks all of them dirty when one is, or is no more; says whether that was news.
    fn mark_cycles_dirty(&mut self) -> bool {
        let is_one_gone = self.circular_references.take_removed();
        if self.iteration.is_none() || self.circular_references.is_empty() || !self.assumed.is_empty() {
            return false;
        }
        let cells: Vec<(SheetId, CellAddress)> = self.circular_references.cells().collect();
        let dirty = |(sheet, cell): &(SheetId, CellAddress)| {
            self.graph.first_dirty(*sheet, Range::cell(*cell)).is_some()
        };
        let count = cells.iter().filter(|cell| dirty(cell)).count();
        if (count == 0 && !is_one_gone) || count == cells.len() {
            return false;
        }
        for (sheet, cell) in cells {
            if let Some(id) = self.graph.node_at(sheet, cell) {
                self.graph.mark_dirty(id, cell.row.get(), cell.row.get(), |_, _| {});
            }
        }
        true
    }

    /// Cells whose values are assumed from now on are to be calculated from them.
    fn start_assuming(&mut self) {
        let mut anew = std::mem::take(&mut self.assumed_anew);
        if !anew.is_empty() {
            anew.extend(self.circular_references.cells());
        }
        for (sheet, cell) in anew {
            if let Some(id) = self.graph.node_at(sheet, cell) {
                self.graph.mark_dirty(id, cell.row.get(), cell.row.get(), |_, _| {});
            }
        }
    }

    /// Arrays that move one another dirty what earlier slices have calculated. Each slice may come no further than the last
    /// one, and none to the end at which they are given up.
    fn check_progress(&mut self) {
        let left = self.graph.dirty_cells();
        if left < self.fewest_left {
            (self.fewest_left, self.slices_stuck) = (left, 0);
        } else {
            self.slices_stuck += 1;
        }
    }

    /// Circular references are found anew when their cells are calculated.
    fn forget_cycles(&mut self) {
        // Those whose values are assumed have been found in this evaluation, and will not be again.
        if self.circular_references.is_empty() || !self.assumed.is_empty() {
            return;
        }
        for id in self.graph.dirty_nodes() {
            let node = self.graph.node(id);
            for (first, last) in node.dirty.iter() {
                let rows = Range::from_indices(first, node.column, last, node.column);
                self.circular_references.forget(node.sheet, rows.expect("runs lie within the sheet"));
            }
        }
    }

    /// What is kept across evaluations hears of computed values.
    fn note_changes(&mut self, evaluated: &Evaluated) {
        self.indexes.unsettle(&evaluated.changed);
        for (sheet, range) in &evaluated.changed {
            self.partials.changed(*sheet, *range);
            self.hidden.changed(*sheet, *range);
        }
    }

    fn is_stale(&self) -> bool {
        let Stale { everything, structure, names, sheets } = self.stale;
        everything || structure || names || sheets
    }

    /// Makes the graph show the workbook's formulas again and marks what changed; `false` when it was cancelled and has to go on.
    fn catch_up(&mut self, workbook: &mut Workbook, evaluated: &mut Evaluated, cancel: &Cancel) -> bool {
        self.iteration = Iteration::of(workbook);
        let stale = std::mem::take(&mut self.stale);
        if stale.everything {
            self.start_over(workbook);
        } else {
            if stale.structure {
                self.rebuild(workbook);
            }
            if stale.names || stale.sheets {
                self.graph.forget_dynamic_reads();
            }
            if stale.sheets {
                self.compare_sheets(workbook, evaluated);
            }
            if stale.names {
                self.replan(workbook, evaluated, |node| node.plan.uses_names);
            }
        }
        let mut pending = std::mem::take(&mut self.pending);
        pending.reverse();
        while let Some((sheet, range)) = pending.pop() {
            if !self.graph.sync(workbook, sheet, range, cancel) {
                pending.push((sheet, range));
                pending.reverse();
                self.pending = pending;
                return false;
            }
            self.look_at(workbook, sheet, range, evaluated);
        }
        self.refresh_hidden_rows(workbook);
        true
    }

    fn start_over(&mut self, workbook: &mut Workbook) {
        self.graph.clear();
        self.indexes.unsettle_everything();
        self.partials.clear();
        self.is_settled = false;
        self.spills = Spills::default();
        self.circular_references = CircularReferences::default();
        self.seeds.clear();
        self.pending.clear();
        self.sheets = instances(workbook);
        let sheets: Vec<SheetId> = self.sheets.keys().copied().collect();
        for sheet in sheets {
            // What had spilled will spill again.
            if let Some(sheet) = workbook.sheet_mut(sheet) {
                sheet.clear_spilled(Range::whole_sheet());
            }
            self.pending.push((sheet, Range::whole_sheet()));
        }
    }

    fn rebuild(&mut self, workbook: &Workbook) {
        self.graph.clear();
        for sheet in workbook.sheets() {
            self.graph.sync(workbook, sheet.id(), Range::whole_sheet(), &Cancel::NEVER);
        }
        // Chance depends on the place too.
        let depends_on_place = |id: &NodeId| {
            let plan = &self.graph.node(*id).plan;
            plan.positional || plan.volatile || plan.dynamic
        };
        let placed: Vec<NodeId> = self.graph.ids().filter(depends_on_place).collect();
        for id in placed {
            self.graph.mark_all_dirty(id);
        }
    }

    fn compare_sheets(&mut self, workbook: &mut Workbook, evaluated: &mut Evaluated) {
        let now = instances(workbook);
        let before = std::mem::replace(&mut self.sheets, now.clone());
        self.circular_references.keep_sheets(|sheet| now.contains_key(&sheet));
        let ids = before.keys().chain(now.keys());
        let mut different: Vec<SheetId> = ids.filter(|id| before.get(id) != now.get(id)).copied().collect();
        different.sort();
        different.dedup();
        for sheet in &different {
            self.spills.take_sheet(*sheet);
            self.graph.sync(workbook, *sheet, Range::whole_sheet(), &Cancel::NEVER);
            if now.contains_key(sheet) {
                self.pending.push((*sheet, Range::whole_sheet()));
            }
        }
        self.replan(workbook, evaluated, |node| {
            node.plan.spans_sheets
                || node.plan.positional
                || node.plan.sheets.iter().any(|sheet| different.contains(sheet))
        });
    }

    /// Makes nodes anew whose dependencies follow from more than their template.
    fn replan(
        &mut self,
        workbook: &mut Workbook,
        evaluated: &mut Evaluated,
        concerned: impl Fn(&crate::graph::Node) -> bool,
    ) {
        let ids: Vec<NodeId> = self.graph.ids().filter(|id| concerned(self.graph.node(*id))).collect();
        for id in ids {
            let node = self.graph.remove(id);
            let rows = (node.first, node.last);
            // Whatever its formulas mean now, their arrays are not what filled the cells: what reads those must not look
            // as if it depended on them.
            let area = Range::from_indices(rows.0, node.column, rows.1, node.column);
            let anchors = self.spills.anchors_in(node.sheet, area.expect("runs lie within the sheet"));
            for (anchor, spill) in anchors {
                self.spills.remove(node.sheet, anchor);
                if spill.placed {
                    self.clear_cells(workbook, node.sheet, spill.wanted, evaluated);
                }
            }
            let plan = TemplateAnalysis::new(node.formulas.example(), node.sheet, node.column, workbook);
            let stretch = NodeFormulas { first: rows.0, last: rows.1, formulas: node.formulas, plan };
            let id = self.graph.insert(node.sheet, node.column, stretch);
            self.graph.mark_all_dirty(id);
        }
    }

    /// Inputs of the range changed: formulas in it and all that read it are dirty, arrays meeting it spill anew.
    fn look_at(&mut self, workbook: &mut Workbook, sheet: SheetId, range: Range, evaluated: &mut Evaluated) {
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        let columns: Vec<u32> = self.graph.columns_in(sheet, range).collect();
        for column in columns {
            let nodes: Vec<NodeId> = self.graph.nodes_in(sheet, column, top, bottom).collect();
            for id in nodes {
                self.graph.mark_dirty(id, top, bottom, |_, _| {});
            }
        }
        let dealt_with = match self.is_settled {
            true => affected_lookups(&mut self.graph, &self.indexes, workbook, sheet, range),
            false => Vec::new(),
        };
        if !self.circular_references.is_empty() {
            self.circular_references.edited(sheet, range);
        }
        self.seeds.push(Seed { sheet, range, dealt_with });
        if self.spills.is_empty() {
            return;
        }
        let meeting: Vec<(CellAddress, Spill)> = self.spills.meeting(sheet, range).collect();
        for (anchor, spill) in meeting {
            match self.graph.node_at(sheet, anchor).filter(|_| !range.contains(anchor)) {
                Some(id) => self.graph.mark_dirty(id, anchor.row.get(), anchor.row.get(), |_, _| {}),
                // Whatever stands there now, it is not what filled the area.
                None => {
                    self.spills.remove(sheet, anchor);
                    if spill.placed {
                        self.clear_cells(workbook, sheet, spill.wanted, evaluated);
                    }
                }
            }
        }
    }

    fn mark_volatile(&mut self) {
        let volatile: Vec<NodeId> = self.graph.volatile.iter().copied().collect();
        for id in volatile {
            self.graph.mark_all_dirty(id);
        }
    }

    /// Of these only evaluation can tell whether they read what has changed.
    fn mark_unknown(&mut self) {
        for id in self.graph.dynamic_unknown() {
            self.graph.mark_all_dirty(id);
        }
    }

    /// Takes spilled values away and lets those arrays try again that wanted the cells.
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
            .meeting(sheet, area)
            .filter(|(_, spill)| !spill.placed)
            .map(|(anchor, _)| anchor)
            .collect();
        for anchor in waiting {
            if let Some(id) = self.graph.node_at(sheet, anchor) {
                self.graph.mark_dirty(id, anchor.row.get(), anchor.row.get(), |_, _| {});
            }
        }
    }

    /// Arrays that move one another for ever are circular.
    fn give_up(&mut self, workbook: &mut Workbook, evaluated: &mut Evaluated) {
        self.seeds.clear();
        self.graph.forget_dynamic_reads();
        for (sheet, range) in self.graph.take_dirty() {
            for cell in range.cells() {
                if let Some(spill) = self.spills.remove(sheet, cell).filter(|spill| spill.placed) {
                    self.clear_cells(workbook, sheet, spill.wanted, evaluated);
                }
                write(workbook, sheet, cell, Value::Error(ErrorValue::Circular), evaluated);
            }
        }
        // Vacated cells make their readers dirty again; those were dirty, and are circular now.
        self.graph.take_dirty();
        self.seeds.clear();
    }
}

fn instances(workbook: &Workbook) -> BTreeMap<SheetId, u64> {
    let mut instances = BTreeMap::new();
    for sheet in workbook.sheets() {
        instances.insert(sheet.id(), sheet.instance());
    }
    instances
}

/// Writes a computed value; `false` when the cell had it already.
pub(crate) fn write(
    workbook: &mut Workbook,
    sheet: SheetId,
    cell: CellAddress,
    value: Value,
    evaluated: &mut Evaluated,
) -> bool {
    let Some(found) = workbook.sheet(sheet) else { return false };
    if found.value(cell) == value {
        return false;
    }
    workbook.sheet_mut(sheet).expect("it was found above").set_computed(cell, value);
    report(evaluated, sheet, Range::cell(cell));
    true
}

/// Adds to the changed cells, joining what lies below one another.
pub(crate) fn report(evaluated: &mut Evaluated, sheet: SheetId, range: Range) {
    if let Some((last_sheet, last)) = evaluated.changed.last_mut()
        && *last_sheet == sheet
        && last.first().column == range.first().column
        && last.last().column == range.last().column
    {
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        let (last_top, last_bottom) = (last.first().row.get(), last.last().row.get());
        if top <= last_bottom + 1 && last_top <= bottom + 1 {
            *last = last.union(range);
            return;
        }
    }
    evaluated.changed.push((sheet, range));
}
