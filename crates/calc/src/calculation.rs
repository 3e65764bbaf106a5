//! The calculation of one workbook: what is out of date, and bringing it up to date.

use std::collections::{BTreeSet, HashMap};

use quadrille_cell::{Array, CellAddress, ColumnIndex, Dimension, EditKind, ErrorValue, Range, SheetId};
use quadrille_cell::{StructuralEdit, Value};
use quadrille_formula::Host;
use quadrille_functions::{Budget, Stamp};
use quadrille_workbook::{BLOCK_ROWS, Workbook};

use crate::evaluator::{self, Outcome, Setting, Stop, Surroundings};
use crate::graph::{Graph, NodeId};
use crate::program::Place;
use crate::schedule::{Component, cells_of, schedule};
use crate::spill::{Spill, Spills};

/// Knows which formulas depend on which cells and which are out of date. Lives beside a workbook, never inside: it
/// can be made anew at any time, and then everything is out of date.
#[derive(Debug)]
pub struct Calculation {
    graph: Graph,
    spills: Spills,
    /// Cells whose inputs changed, not yet looked at.
    pending: Vec<(SheetId, Range)>,
    /// Cells whose values changed by spilling, whose dependents are to be evaluated next.
    seeds: Vec<(SheetId, Range)>,
    /// Formulas whose arrays were found to need cells that they fill: circular for the rest of this evaluation,
    /// or they would come and go for ever.
    own_victims: BTreeSet<(SheetId, CellAddress)>,
    /// The graph no longer shows the workbook's runs.
    stale: Stale,
    sheets: BTreeSet<SheetId>,
    stamp: Option<Stamp>,
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

impl Calculation {
    /// Everything is out of date.
    pub fn new(_workbook: &Workbook) -> Calculation {
        Calculation {
            graph: Graph::default(),
            spills: Spills::default(),
            pending: Vec::new(),
            seeds: Vec::new(),
            own_victims: BTreeSet::new(),
            stale: Stale { everything: true, ..Stale::default() },
            sheets: BTreeSet::new(),
            stamp: None,
        }
    }

    /// The inputs of the range's cells may have changed. The workbook is looked at when evaluating.
    pub fn inputs_changed(&mut self, _workbook: &Workbook, sheet: SheetId, range: Range) {
        // Cells typed or pasted one after the other, downwards.
        if let Some((last_sheet, last)) = self.pending.last_mut()
            && *last_sheet == sheet
            && let (Range { .. }, below) = (*last, range)
            && last.first().column == below.first().column
            && last.last().column == below.last().column
            && last.first().row <= below.first().row
            && below.first().row.get() <= last.last().row.get() + 1
        {
            *last = last.union(below);
            return;
        }
        self.pending.push((sheet, range));
    }

    /// Rows or columns came or went, and templates have been rewritten accordingly. Edits must be told in the order
    /// in which they were made, and after the inputs that changed before them.
    pub fn restructured(&mut self, _workbook: &Workbook, edit: &StructuralEdit) {
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
        moved(&mut self.seeds);
        // What is dirty is told by place, since the nodes will be made anew.
        let dirty: Vec<NodeId> = self.graph.dirty.iter().copied().collect();
        for id in dirty {
            let node = self.graph.node_mut(id);
            let (sheet, column) = (node.sheet, node.column);
            for (first, last) in node.dirty.take() {
                let range = Range::from_indices(first, column, last, column).expect("runs lie in the sheet");
                let range = if sheet == edit.sheet { edit.map_range(range) } else { Some(range) };
                self.pending.extend(range.map(|range| (sheet, range)));
            }
            self.graph.dirty.remove(&id);
        }
        for concerned in self.spills.restructure(edit) {
            self.pending.push((edit.sheet, concerned));
        }
        for lines in lines_concerned(edit) {
            self.pending.push((edit.sheet, lines));
        }
    }

    /// A defined name came, went or changed.
    pub fn names_changed(&mut self, _workbook: &Workbook) {
        self.stale.names = true;
    }

    /// Sheets came, went, or changed place or name.
    pub fn sheets_changed(&mut self, _workbook: &Workbook) {
        self.stale.sheets = true;
    }

    /// Whether every value is up to date, for the stamp of the last evaluation.
    pub fn is_clean(&self) -> bool {
        let Stale { everything, structure, names, sheets } = self.stale;
        let nothing_stale = !(everything || structure || names || sheets);
        nothing_stale && self.pending.is_empty() && self.seeds.is_empty() && self.graph.dirty.is_empty()
    }

    /// Whether some formula depends on time or chance, so that a new stamp alone gives it a new value.
    pub fn is_volatile(&self) -> bool {
        self.stale.everything || !self.graph.volatile.is_empty()
    }

    /// Brings values up to date, as far as the budget goes.
    pub fn evaluate(&mut self, workbook: &mut Workbook, stamp: Stamp, budget: &mut Budget) -> Evaluated {
        let mut evaluated = Evaluated::default();
        let is_new_work = !self.pending.is_empty() || !self.seeds.is_empty() || self.is_stale();
        self.catch_up(workbook, &mut evaluated);
        if self.stamp != Some(stamp) || is_new_work {
            let only_dynamic = self.stamp == Some(stamp);
            self.mark_volatile(only_dynamic);
            self.stamp = Some(stamp);
            self.own_victims.clear();
        }
        let mut passes = 0;
        while !self.seeds.is_empty() || !self.graph.dirty.is_empty() {
            if passes == PASSES_MAX {
                self.give_up(workbook, &mut evaluated);
                break;
            }
            if passes > 0 {
                // Which of the cells that just changed they read, only evaluation can tell.
                self.mark_volatile(true);
            }
            passes += 1;
            let seeds = std::mem::take(&mut self.seeds);
            let schedule = schedule(&mut self.graph, &self.spills, &seeds);
            let mut run = Run { calculation: self, workbook, stamp, budget, evaluated: &mut evaluated };
            if !schedule.into_iter().all(|component| run.component(component)) {
                return evaluated;
            }
        }
        evaluated.finished = true;
        evaluated
    }

    fn is_stale(&self) -> bool {
        let Stale { everything, structure, names, sheets } = self.stale;
        everything || structure || names || sheets
    }

    /// Makes the graph show the workbook's formulas again and marks what changed.
    fn catch_up(&mut self, workbook: &mut Workbook, evaluated: &mut Evaluated) {
        let stale = std::mem::take(&mut self.stale);
        if stale.everything {
            self.start_over(workbook);
        } else {
            if stale.structure {
                self.rebuild(workbook);
            }
            if stale.sheets {
                self.compare_sheets(workbook);
            }
            if stale.names {
                self.replan(workbook, |node| node.plan.uses_names);
            }
        }
        for (sheet, range) in std::mem::take(&mut self.pending) {
            self.look_at(workbook, sheet, range, evaluated);
        }
    }

    fn start_over(&mut self, workbook: &mut Workbook) {
        self.graph.clear();
        self.spills = Spills::default();
        self.seeds.clear();
        self.pending.clear();
        self.sheets = workbook.sheets().iter().map(|sheet| sheet.id()).collect();
        for sheet in self.sheets.clone() {
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
            self.graph.sync(workbook, sheet.id(), Range::whole_sheet());
        }
        // Chance depends on the place too.
        let depends_on_place = |id: &NodeId| {
            let plan = &self.graph.node(*id).plan;
            plan.positional || plan.volatile
        };
        let placed: Vec<NodeId> = self.graph.ids().filter(depends_on_place).collect();
        for id in placed {
            self.graph.mark_all_dirty(id);
        }
    }

    fn compare_sheets(&mut self, workbook: &Workbook) {
        let now: BTreeSet<SheetId> = workbook.sheets().iter().map(|sheet| sheet.id()).collect();
        let before = std::mem::replace(&mut self.sheets, now.clone());
        let different: BTreeSet<SheetId> = before.symmetric_difference(&now).copied().collect();
        for sheet in &different {
            self.spills.take_sheet(*sheet);
            self.graph.sync(workbook, *sheet, Range::whole_sheet());
            if now.contains(sheet) {
                self.pending.push((*sheet, Range::whole_sheet()));
            }
        }
        self.replan(workbook, |node| {
            node.plan.spans_sheets
                || node.plan.positional
                || node.plan.sheets.iter().any(|sheet| different.contains(sheet))
        });
    }

    /// Makes nodes anew whose dependencies follow from more than their template.
    fn replan(&mut self, workbook: &Workbook, concerned: impl Fn(&crate::graph::Node) -> bool) {
        let ids: Vec<NodeId> = self.graph.ids().filter(|id| concerned(self.graph.node(*id))).collect();
        for id in ids {
            let node = self.graph.remove(id);
            let rows = (node.first, node.last);
            let id = self.graph.insert(node.sheet, node.column, rows, &node.template, workbook);
            self.graph.mark_all_dirty(id);
        }
    }

    /// Inputs of the range changed: formulas in it and all that read it are dirty, arrays meeting it spill anew.
    fn look_at(&mut self, workbook: &mut Workbook, sheet: SheetId, range: Range, evaluated: &mut Evaluated) {
        self.graph.sync(workbook, sheet, range);
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        let columns: Vec<u32> = self.graph.columns_in(sheet, range).collect();
        for column in columns {
            let nodes: Vec<NodeId> = self.graph.nodes_in(sheet, column, top, bottom).collect();
            for id in nodes {
                self.graph.mark_dirty(id, top, bottom, |_, _| {});
            }
        }
        self.seeds.push((sheet, range));
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
                        self.vacate(workbook, sheet, spill.wanted, evaluated);
                    }
                }
            }
        }
    }

    fn mark_volatile(&mut self, only_dynamic: bool) {
        let volatile: Vec<NodeId> = self.graph.volatile.iter().copied().collect();
        for id in volatile {
            if !only_dynamic || self.graph.node(id).plan.dynamic {
                self.graph.mark_all_dirty(id);
            }
        }
    }

    /// Takes spilled values away and lets those arrays try again that wanted the cells.
    fn vacate(&mut self, workbook: &mut Workbook, sheet: SheetId, area: Range, evaluated: &mut Evaluated) {
        if let Some(sheet) = workbook.sheet_mut(sheet) {
            sheet.clear_spilled(area);
        }
        evaluated.changed.push((sheet, area));
        self.seeds.push((sheet, area));
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
        let dirty: Vec<NodeId> = self.graph.dirty.iter().copied().collect();
        for id in dirty {
            let node = self.graph.node(id);
            let (sheet, column) = (node.sheet, node.column);
            let spans: Vec<(u32, u32)> = node.dirty.iter().collect();
            for (first, last) in spans {
                for cell in cells_of(column, first, last) {
                    if let Some(spill) = self.spills.remove(sheet, cell).filter(|spill| spill.placed) {
                        self.vacate(workbook, sheet, spill.wanted, evaluated);
                    }
                    write(workbook, sheet, cell, Value::Error(ErrorValue::Circular), evaluated);
                }
                self.graph.mark_clean(id, first, last);
            }
        }
        self.seeds.clear();
    }
}

/// Lines at which a structural edit may change what formulas see, as ranges after the edit: those that came, those
/// on either side of where lines went, and what was pushed off the sheet's end.
fn lines_concerned(edit: &StructuralEdit) -> Vec<Range> {
    let end = edit.dimension.len_max() - 1;
    let lines = |first: u32, last: u32| {
        let (first, last) = (first.min(end), last.min(end));
        match edit.dimension {
            Dimension::Rows => Range::from_indices(first, 0, last, quadrille_cell::COLUMNS_MAX - 1),
            Dimension::Columns => Range::from_indices(0, first, quadrille_cell::ROWS_MAX - 1, last),
        }
    };
    let before = edit.at.saturating_sub(1);
    let concerned = match edit.kind {
        EditKind::Insert => {
            let inserted = edit.at.saturating_add(edit.count);
            [lines(before, inserted), lines(end - edit.count.min(end), end)]
        }
        EditKind::Delete => [lines(before, edit.at), lines(end - edit.count.min(end), end)],
    };
    concerned.into_iter().flatten().collect()
}

/// Writes a computed value; `false` when the cell had it already.
fn write(
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
fn report(evaluated: &mut Evaluated, sheet: SheetId, range: Range) {
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

/// One pass over a schedule.
struct Run<'a> {
    calculation: &'a mut Calculation,
    workbook: &'a mut Workbook,
    stamp: Stamp,
    budget: &'a mut Budget,
    evaluated: &'a mut Evaluated,
}

/// Everything that is read has its value, because the schedule says so.
struct InOrder<'a>(&'a Spills);

impl Surroundings for InOrder<'_> {
    fn is_ready(&self, _sheet: SheetId, _range: Range) -> bool {
        true
    }

    fn spill_area(&self, sheet: SheetId, cell: CellAddress) -> Option<Range> {
        self.0.area(sheet, cell)
    }
}

/// What is read may be dirty.
struct Looking<'a>(&'a Graph, &'a Spills);

impl Looking<'_> {
    /// The next cell that has to be evaluated before the range can be read.
    fn next_needed(&self, sheet: SheetId, range: Range) -> Option<CellAddress> {
        self.0.first_dirty(sheet, range).or_else(|| {
            let mut anchors = self.1.meeting(sheet, range).filter(|(_, spill)| spill.placed);
            let dirty = |anchor: CellAddress| self.0.first_dirty(sheet, Range::cell(anchor)).is_some();
            anchors.find(|(anchor, _)| dirty(*anchor)).map(|(anchor, _)| anchor)
        })
    }
}

impl Surroundings for Looking<'_> {
    fn is_ready(&self, sheet: SheetId, range: Range) -> bool {
        self.next_needed(sheet, range).is_none()
    }

    fn spill_area(&self, sheet: SheetId, cell: CellAddress) -> Option<Range> {
        self.1.area(sheet, cell)
    }
}

/// A cell whose evaluation is under way.
struct Frame {
    sheet: SheetId,
    cell: CellAddress,
    node: NodeId,
    /// What it cannot go on without.
    waiting: Option<(SheetId, Range)>,
}

impl Run<'_> {
    /// Evaluates what is dirty of a component; `false` when the budget ran out.
    fn component(&mut self, component: Component) -> bool {
        match component {
            Component::Run(id) => self.rows(id, Turn::Any),
            Component::Downwards(id) => self.rows(id, Turn::Downwards),
            Component::Upwards(id) => self.rows(id, Turn::Upwards),
            Component::Tangle(ids) => self.tangle(&ids),
        }
    }

    fn rows(&mut self, id: NodeId, turn: Turn) -> bool {
        let mut spans: Vec<(u32, u32)> = self.calculation.graph.node(id).dirty.iter().collect();
        if turn == Turn::Upwards {
            spans.reverse();
        }
        for (first, last) in spans {
            // A block's worth at a time, so that results go into whole blocks.
            let mut done = 0;
            let count = last - first + 1;
            while done < count {
                if self.budget.steps_left == 0 {
                    return false;
                }
                let chunk = (BLOCK_ROWS as u32).min(count - done);
                let start = match turn {
                    Turn::Upwards => last + 1 - done - chunk,
                    _ => first + done,
                };
                if !self.chunk(id, turn, start, chunk) {
                    return false;
                }
                done += chunk;
            }
        }
        true
    }

    /// Evaluates the rows `first..first + count` of a node, by its program as far as that goes.
    fn chunk(&mut self, id: NodeId, turn: Turn, first: u32, count: u32) -> bool {
        let node = self.calculation.graph.node(id);
        let (sheet, column) = (node.sheet, node.column);
        let no_spills = self.calculation.spills.is_empty();
        if let Some(program) = node.program.as_ref().filter(|_| no_spills) {
            let place = Place { workbook: self.workbook, sheet, column };
            let results = match turn {
                Turn::Any => program.run(place, first, count as usize),
                Turn::Downwards => program.run_in_turn(place, first, count as usize, false),
                Turn::Upwards => program.run_in_turn(place, first, count as usize, true),
            };
            if let Some(results) = results.filter(|results| !results.is_empty()) {
                let _ = self.budget.charge(results.len() as u64);
                let done = results.len() as u32;
                let start = if turn == Turn::Upwards { first + count - done } else { first };
                self.write_numbers(sheet, column, start, &results);
                self.calculation.graph.mark_clean(id, start, start + done - 1);
                let rest = count - done;
                let rest_first = if turn == Turn::Upwards { first } else { first + done };
                return rest == 0 || self.one_by_one(id, turn, rest_first, rest);
            }
        }
        self.one_by_one(id, turn, first, count)
    }

    fn write_numbers(&mut self, sheet: SheetId, column: u32, first: u32, numbers: &[f64]) {
        let Some(found) = self.workbook.sheet_mut(sheet) else { return };
        let index = ColumnIndex::clamped(column);
        let last = first + numbers.len() as u32 - 1;
        // Only what differs is reported, so that an edit which changes nothing repaints nothing.
        let mut same_until = 0;
        if let Some(known) = found.column(index) {
            for (row, slice) in known.slices(first, last) {
                let at = (row - first) as usize;
                let quadrille_workbook::Slice::Numbers(known) = slice else { break };
                if at != same_until {
                    break;
                }
                let same = known.iter().zip(&numbers[at..]).take_while(|(a, b)| a.to_bits() == b.to_bits());
                same_until += same.count();
                if same_until < at + known.len() {
                    break;
                }
            }
        }
        if same_until == numbers.len() {
            return;
        }
        found.set_computed_numbers(index, first, numbers);
        let changed = Range::from_indices(first + same_until as u32, column, last, column);
        report(self.evaluated, sheet, changed.expect("runs lie within the sheet"));
    }

    fn one_by_one(&mut self, id: NodeId, turn: Turn, first: u32, count: u32) -> bool {
        let node = self.calculation.graph.node(id);
        let (sheet, column, template) = (node.sheet, node.column, node.template.clone());
        for turn_number in 0..count {
            if self.budget.steps_left == 0 {
                return false;
            }
            let row = match turn {
                Turn::Upwards => first + count - 1 - turn_number,
                _ => first + turn_number,
            };
            let cell = CellAddress::clamped(row, column);
            if self.is_own_victim(sheet, cell) {
                self.store_circular(sheet, cell);
                self.calculation.graph.mark_clean(id, row, row);
                continue;
            }
            let surroundings = InOrder(&self.calculation.spills);
            let setting = Setting { workbook: self.workbook, surroundings: &surroundings, stamp: self.stamp };
            let (outcome, steps) = evaluator::evaluate(setting, Host { sheet, cell }, &template);
            let _ = self.budget.charge(steps);
            match outcome {
                Ok(outcome) => self.store(sheet, cell, outcome),
                Err(Stop::Need(..)) => debug_assert!(false, "everything is ready in a schedule"),
            }
            self.calculation.graph.mark_clean(id, row, row);
        }
        true
    }

    /// Evaluates cells whose order only shows when they are read. A cell that needs itself is circular, and so are all
    /// on the way round.
    fn tangle(&mut self, ids: &[NodeId]) -> bool {
        for id in ids {
            let node = self.calculation.graph.node(*id);
            let (sheet, column, last) = (node.sheet, node.column, node.last);
            let mut next = node.first;
            // Cells that were needed by others are clean by the time their turn comes.
            while let Some(row) = self.calculation.graph.node(*id).dirty.first_in(next, last) {
                if !self.cell_and_needed(sheet, CellAddress::clamped(row, column), *id) {
                    return false;
                }
                if row == last {
                    break;
                }
                next = row + 1;
            }
        }
        true
    }

    fn cell_and_needed(&mut self, sheet: SheetId, cell: CellAddress, node: NodeId) -> bool {
        let mut frames = vec![Frame { sheet, cell, node, waiting: None }];
        let mut under_way: HashMap<(SheetId, CellAddress), usize> = HashMap::new();
        under_way.insert((sheet, cell), 0);
        while let Some(frame) = frames.last_mut() {
            if let Some((sheet, range)) = frame.waiting {
                let looking = Looking(&self.calculation.graph, &self.calculation.spills);
                let Some(needed) = looking.next_needed(sheet, range) else {
                    frame.waiting = None;
                    continue;
                };
                if let Some(start) = under_way.get(&(sheet, needed)) {
                    for frame in frames.split_off(*start).into_iter().rev() {
                        under_way.remove(&(frame.sheet, frame.cell));
                        if self.calculation.spills.area(frame.sheet, frame.cell).is_some() {
                            self.calculation.own_victims.insert((frame.sheet, frame.cell));
                        }
                        self.finish_circular(frame);
                    }
                    continue;
                }
                let node = self.calculation.graph.node_at(sheet, needed);
                let node = node.expect("only formulas are dirty");
                under_way.insert((sheet, needed), frames.len());
                frames.push(Frame { sheet, cell: needed, node, waiting: None });
                continue;
            }
            if self.budget.steps_left == 0 {
                return false;
            }
            let (sheet, cell) = (frame.sheet, frame.cell);
            if self.is_own_victim(sheet, cell) {
                let frame = frames.pop().expect("it is the last one");
                under_way.remove(&(sheet, cell));
                self.finish_circular(frame);
                continue;
            }
            let template = self.calculation.graph.node(frame.node).template.clone();
            let surroundings = Looking(&self.calculation.graph, &self.calculation.spills);
            let setting = Setting { workbook: self.workbook, surroundings: &surroundings, stamp: self.stamp };
            let host = Host { sheet, cell };
            let (outcome, steps) = evaluator::evaluate(setting, host, &template);
            let _ = self.budget.charge(steps);
            match outcome {
                Err(Stop::Need(sheet, range)) => frame.waiting = Some((sheet, range)),
                Ok(outcome) => {
                    let frame = frames.pop().expect("it is the last one");
                    under_way.remove(&(sheet, cell));
                    self.finish(frame, outcome);
                }
            }
        }
        true
    }

    fn is_own_victim(&self, sheet: SheetId, cell: CellAddress) -> bool {
        !self.calculation.own_victims.is_empty() && self.calculation.own_victims.contains(&(sheet, cell))
    }

    fn finish(&mut self, frame: Frame, outcome: Outcome) {
        self.store(frame.sheet, frame.cell, outcome);
        let row = frame.cell.row.get();
        self.calculation.graph.mark_clean(frame.node, row, row);
    }

    fn finish_circular(&mut self, frame: Frame) {
        self.store_circular(frame.sheet, frame.cell);
        let row = frame.cell.row.get();
        self.calculation.graph.mark_clean(frame.node, row, row);
    }

    /// The array that a circular formula would like to place is remembered: it may be different, or have no room,
    /// once one of its cells is edited.
    fn store_circular(&mut self, sheet: SheetId, cell: CellAddress) {
        let spill = self.calculation.spills.get(sheet, cell);
        self.store(sheet, cell, Outcome::Value(Value::Error(ErrorValue::Circular)));
        if let Some(spill) = spill.filter(|_| self.is_own_victim(sheet, cell)) {
            self.calculation.spills.set(sheet, cell, Spill { placed: false, ..spill });
        }
    }

    /// Writes a result; an array spills if there is room.
    fn store(&mut self, sheet: SheetId, cell: CellAddress, outcome: Outcome) {
        match outcome {
            Outcome::Value(value) => {
                if !self.calculation.spills.is_empty() {
                    self.forget_spill(sheet, cell);
                }
                write(self.workbook, sheet, cell, value, self.evaluated);
            }
            Outcome::Array(array) => self.spill(sheet, cell, array),
        }
    }

    fn forget_spill(&mut self, sheet: SheetId, anchor: CellAddress) {
        if let Some(spill) = self.calculation.spills.remove(sheet, anchor).filter(|spill| spill.placed) {
            for part in spill.wanted.subtract(Range::cell(anchor)) {
                self.calculation.vacate(self.workbook, sheet, part, self.evaluated);
            }
        }
    }

    fn spill(&mut self, sheet: SheetId, anchor: CellAddress, array: Array) {
        let (top, left) = (anchor.row.get(), anchor.column.get());
        let (bottom, right) = (top + (array.rows() - 1), left + (array.columns() - 1));
        let whole = Range::from_indices(top, left, bottom, right);
        let wanted = whole.unwrap_or_else(|| Range::new(anchor, CellAddress::clamped(bottom, right)));
        let before = self.calculation.spills.area(sheet, anchor);
        if whole.is_none() || self.is_blocked(sheet, anchor, wanted) {
            self.forget_spill(sheet, anchor);
            self.calculation.spills.set(sheet, anchor, Spill { wanted, placed: false });
            write(self.workbook, sheet, anchor, Value::Error(ErrorValue::Spill), self.evaluated);
            return;
        }
        self.evict(sheet, anchor, wanted);
        // Cells given up, and cells gained.
        let mut gained = vec![wanted];
        if let Some(before) = before.filter(|before| *before != wanted) {
            self.calculation.spills.remove(sheet, anchor);
            for part in before.subtract(wanted) {
                self.calculation.vacate(self.workbook, sheet, part, self.evaluated);
            }
            gained = wanted.subtract(before);
        } else if before.is_some() {
            gained.clear();
        }
        self.calculation.spills.set(sheet, anchor, Spill { wanted, placed: true });
        // Those that read the cells held before are scheduled after this one already.
        let others = gained.iter().flat_map(|part| part.subtract(Range::cell(anchor)));
        self.calculation.seeds.extend(others.map(|part| (sheet, part)));
        self.write_array(sheet, anchor, wanted, array);
    }

    fn write_array(&mut self, sheet: SheetId, anchor: CellAddress, area: Range, array: Array) {
        let Some(found) = self.workbook.sheet_mut(sheet) else { return };
        // Cells of the area that were edited since have lost their mark.
        found.mark_spilled(area, anchor);
        let (rows, columns) = (array.rows() as usize, array.columns() as usize);
        let mut values: Vec<Value> = array.into_values().into_iter().map(evaluator::shown).collect();
        for offset in 0..columns {
            let column: Vec<Value> =
                (0..rows).map(|row| std::mem::take(&mut values[row * columns + offset])).collect();
            let index = ColumnIndex::clamped(area.first().column.get() + offset as u32);
            let top = area.first().row.get();
            let same = |known: &quadrille_workbook::Column| {
                column.iter().zip(top..).all(|(value, row)| known.value(row) == *value)
            };
            if found.column(index).is_some_and(same) {
                continue;
            }
            found.set_computed_values(index, top, &column);
            let changed = Range::from_indices(top, index.get(), area.last().row.get(), index.get());
            report(self.evaluated, sheet, changed.expect("the area lies within the sheet"));
        }
    }

    /// Whether cells of the area hold inputs, or an array that goes first.
    fn is_blocked(&self, sheet: SheetId, anchor: CellAddress, wanted: Range) -> bool {
        let Some(found) = self.workbook.sheet(sheet) else { return true };
        let has_input = found.inputs_in(wanted).any(|(cell, _)| cell != anchor);
        has_input
            || self
                .calculation
                .spills
                .meeting(sheet, wanted)
                .any(|(other, spill)| spill.placed && other < anchor)
    }

    /// Takes the area from arrays that come later; they find out in the next pass.
    fn evict(&mut self, sheet: SheetId, anchor: CellAddress, wanted: Range) {
        let others: Vec<(CellAddress, Spill)> = self
            .calculation
            .spills
            .meeting(sheet, wanted)
            .filter(|(other, spill)| *other != anchor && spill.placed)
            .collect();
        for (other, spill) in others {
            self.calculation.spills.set(sheet, other, Spill { placed: false, ..spill });
            for part in spill.wanted.subtract(Range::cell(other)) {
                self.calculation.vacate(self.workbook, sheet, part, self.evaluated);
            }
        }
    }
}

/// Whether the rows of a run have to be calculated in turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Any,
    Downwards,
    Upwards,
}
