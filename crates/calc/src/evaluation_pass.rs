//! One pass over a schedule: runs as loops, everything else cell by cell.

use std::cell::RefCell;
use std::collections::VecDeque;

use quadrille_cell::{CellAddress, ColumnIndex, ErrorValue, Range, SheetId, Value};
use quadrille_formula::Host;
use quadrille_functions::{Budget, EvaluationContext};
use quadrille_workbook::{BLOCK_ROWS, Workbook};

use crate::arithmetic_program::HostPosition;
use crate::calculation::{Calculation, Evaluated, report, write};
use crate::dynamic_dependencies::READS_MAX;
use crate::evaluation_stack::{EvaluationStack, Frame};
use crate::evaluator::{self, Outcome, PassContext, Stop, Surroundings};
use crate::formula_batch::{self, Formulas};
use crate::graph::{Graph, NodeId};
use crate::result_cache::ResultCache;
use crate::schedule::Component;
use crate::spill::{Spill, Spills};

/// One pass over a schedule.
pub(crate) struct EvaluationPass<'a> {
    pub calculation: &'a mut Calculation,
    pub workbook: &'a mut Workbook,
    pub time_and_seed: EvaluationContext,
    pub budget: &'a mut Budget,
    pub evaluated: &'a mut Evaluated,
    pub memo: ResultCache,
    /// How many of the changed ranges the partial sums know of.
    pub told: usize,
}

/// Everything that is read has its value, because the schedule says so.
struct ScheduledValues<'a>(&'a Graph, &'a Spills);

impl Surroundings for ScheduledValues<'_> {
    fn is_ready(&self, _sheet: SheetId, _range: Range) -> bool {
        true
    }

    fn spill_area(&self, sheet: SheetId, cell: CellAddress) -> Option<Range> {
        self.1.area(sheet, cell)
    }

    fn subtotals_in(&self, sheet: SheetId, range: Range) -> Vec<Range> {
        self.0.subtotals_in(sheet, range)
    }
}

/// What is read may be dirty.
struct DependencyProbe<'a>(&'a Graph, &'a Spills);

impl DependencyProbe<'_> {
    /// The next cell that has to be evaluated before the range can be read.
    fn next_needed(&self, sheet: SheetId, range: Range) -> Option<CellAddress> {
        self.0.first_dirty(sheet, range).or_else(|| {
            let mut anchors = self.1.meeting(sheet, range).filter(|(_, spill)| spill.placed);
            let dirty = |anchor: CellAddress| self.0.first_dirty(sheet, Range::cell(anchor)).is_some();
            anchors.find(|(anchor, _)| dirty(*anchor)).map(|(anchor, _)| anchor)
        })
    }
}

impl Surroundings for DependencyProbe<'_> {
    fn is_ready(&self, sheet: SheetId, range: Range) -> bool {
        self.next_needed(sheet, range).is_none()
    }

    fn spill_area(&self, sheet: SheetId, cell: CellAddress) -> Option<Range> {
        self.1.area(sheet, cell)
    }

    fn subtotals_in(&self, sheet: SheetId, range: Range) -> Vec<Range> {
        self.0.subtotals_in(sheet, range)
    }
}

/// Keeps what a formula reads, or more than [`READS_MAX`] when that is too much to keep.
struct ReadRecorder<'a> {
    looking: DependencyProbe<'a>,
    reads: RefCell<Vec<(SheetId, Range)>>,
}

impl Surroundings for ReadRecorder<'_> {
    fn is_ready(&self, sheet: SheetId, range: Range) -> bool {
        self.note(sheet, range);
        self.looking.is_ready(sheet, range)
    }

    fn note(&self, sheet: SheetId, range: Range) {
        let mut reads = self.reads.borrow_mut();
        if reads.len() <= READS_MAX && !reads.contains(&(sheet, range)) {
            reads.push((sheet, range));
        }
    }

    fn subtotals_in(&self, sheet: SheetId, range: Range) -> Vec<Range> {
        self.looking.subtotals_in(sheet, range)
    }

    fn spill_area(&self, sheet: SheetId, cell: CellAddress) -> Option<Range> {
        self.looking.spill_area(sheet, cell)
    }
}

impl EvaluationPass<'_> {
    /// Evaluates what is dirty of components, and takes those that are done; `false` when the budget ran out.
    pub fn components(&mut self, schedule: &mut VecDeque<Component>) -> bool {
        while let Some(component) = schedule.front() {
            if !self.component(component) {
                return false;
            }
            schedule.pop_front();
        }
        true
    }

    fn component(&mut self, component: &Component) -> bool {
        self.calculation.indexes.move_on();
        self.report_progress();
        match component {
            Component::Run(id) => self.rows(*id, RowOrder::Any),
            Component::Downwards(id) => self.rows(*id, RowOrder::Downwards),
            Component::Upwards(id) => self.rows(*id, RowOrder::Upwards),
            Component::Tangle(ids) => self.evaluate_cycle(ids),
        }
    }

    /// What is kept of values hears of those that have changed.
    fn report_progress(&mut self) {
        // The last range may have grown since it was told.
        for (sheet, range) in &self.evaluated.changed[self.told.saturating_sub(1)..] {
            self.calculation.partials.changed(*sheet, *range);
            self.calculation.indexes.range_changed(*sheet, *range);
            self.calculation.hidden.changed(*sheet, *range);
        }
        self.calculation.indexes.all_told();
        self.told = self.evaluated.changed.len();
    }

    /// As [`tell`](Self::tell), where the formulas of a node may look for hidden rows among what was just calculated.
    fn report_filter_column(&mut self, id: NodeId) {
        if self.calculation.graph.node(id).plan.leaves_out {
            self.report_progress();
        }
    }

    /// Whether the evaluation has spent its budget, or is to end.
    fn is_over(&self) -> bool {
        self.budget.steps_left == 0 || self.budget.cancel.is_requested()
    }

    fn rows(&mut self, id: NodeId, turn: RowOrder) -> bool {
        loop {
            let spans = &self.calculation.graph.node(id).dirty;
            let next = if turn == RowOrder::Upwards { spans.iter().next_back() } else { spans.iter().next() };
            let Some((first, last)) = next else { return true };
            if self.is_over() {
                return false;
            }
            // A block's worth at a time, so that results go into whole blocks.
            let count = (BLOCK_ROWS as u32).min(last - first + 1);
            let start = if turn == RowOrder::Upwards { last + 1 - count } else { first };
            if !self.chunk(id, turn, start, count) {
                return false;
            }
        }
    }

    /// Evaluates the rows `first..first + count` of a node, by its program as far as that goes.
    fn chunk(&mut self, id: NodeId, turn: RowOrder, first: u32, count: u32) -> bool {
        let node = self.calculation.graph.node(id);
        let (sheet, column) = (node.sheet, node.column);
        if let Some(program) = &node.program {
            let place = HostPosition { workbook: self.workbook, sheet, column };
            if count == 1 {
                // Sheets of single formulas are common; slices would cost more than the arithmetic.
                let Some(result) = program.run_one(place, first) else {
                    return self.one_by_one(id, turn, first, count);
                };
                let _ = self.budget.charge(1);
                let cell = CellAddress::clamped(first, column);
                write(self.workbook, sheet, cell, Value::Number(result), self.evaluated);
                self.calculation.graph.mark_clean(id, first, first);
                return true;
            }
            let results = match turn {
                RowOrder::Any => program.run(place, first, count as usize),
                RowOrder::Downwards => program.run_in_turn(place, first, count as usize, false),
                RowOrder::Upwards => program.run_in_turn(place, first, count as usize, true),
            };
            if let Some(results) = results.filter(|results| !results.is_empty()) {
                let _ = self.budget.charge(results.len() as u64);
                let done = results.len() as u32;
                let start = if turn == RowOrder::Upwards { first + count - done } else { first };
                self.write_numbers(sheet, column, start, &results);
                self.calculation.graph.mark_clean(id, start, start + done - 1);
                let rest = count - done;
                let rest_first = if turn == RowOrder::Upwards { first } else { first + done };
                return rest == 0 || self.one_by_one(id, turn, rest_first, rest);
            }
        }
        if let Formulas::Each(_) = &node.formulas {
            return self.strip(id, turn, first, count);
        }
        if count > 1 && turn == RowOrder::Any {
            let is_done = self.running(id, first, count)
                || self.run_row_invariant(id, first, count)
                || self.run_lookup(id, first, count);
            if is_done {
                return true;
            }
        }
        self.one_by_one(id, turn, first, count)
    }

    /// Formulas of a strip, as far as they are arithmetic together, the others one by one.
    fn strip(&mut self, id: NodeId, turn: RowOrder, first: u32, count: u32) -> bool {
        let (mut first, mut count) = (first, count);
        let upwards = turn == RowOrder::Upwards;
        while count > 0 {
            let node = self.calculation.graph.node(id);
            let (sheet, column) = (node.sheet, node.column);
            let Formulas::Each(templates) = &node.formulas else { return true };
            let from = (first - node.first) as usize;
            let place = HostPosition { workbook: self.workbook, sheet, column };
            let mut results =
                formula_batch::run(place, &templates[from..from + count as usize], first, upwards);
            let done = results.len() as u32;
            if done > 0 {
                let _ = self.budget.charge(u64::from(done));
                let start = if upwards { first + count - done } else { first };
                if upwards {
                    results.reverse();
                }
                self.write_numbers(sheet, column, start, &results);
                self.calculation.graph.mark_clean(id, start, start + done - 1);
                count -= done;
                first = if upwards { first } else { first + done };
            }
            if count > 0 {
                let row = if upwards { first + count - 1 } else { first };
                if !self.one_by_one(id, turn, row, 1) {
                    return false;
                }
                count -= 1;
                first = if upwards { first } else { first + 1 };
            }
        }
        true
    }

    /// A run of growing sums as a loop; `false`, and nothing done, when it has to be done one by one.
    fn running(&mut self, id: NodeId, first: u32, count: u32) -> bool {
        let node = self.calculation.graph.node(id);
        let (sheet, column) = (node.sheet, node.column);
        let Some(running) = &node.running else { return false };
        let place = HostPosition { workbook: self.workbook, sheet, column };
        let Some((results, cells_read)) = running.run(place, &self.memo, first, count) else { return false };
        let _ = self.budget.charge(cells_read + u64::from(count));
        self.write_results(sheet, column, first, results);
        self.calculation.graph.mark_clean(id, first, first + count - 1);
        true
    }

    /// A run whose formulas all give what the first gives; `false`, and nothing done, when they may differ.
    fn run_row_invariant(&mut self, id: NodeId, first: u32, count: u32) -> bool {
        let node = self.calculation.graph.node(id);
        if !node.is_same_everywhere {
            return false;
        }
        let (sheet, column, template) = (node.sheet, node.column, node.formulas.example().clone());
        let surroundings = ScheduledValues(&self.calculation.graph, &self.calculation.spills);
        let setting = PassContext {
            workbook: self.workbook,
            surroundings: &surroundings,
            time_and_seed: self.time_and_seed,
            dates: self.calculation.dates,
            cancel: &self.budget.cancel,
            memo: Some(&self.memo),
            partials: Some(&self.calculation.partials),
            indexes: Some(&self.calculation.indexes),
            hidden: &self.calculation.hidden,
        };
        let host = Host { sheet, cell: CellAddress::clamped(first, column) };
        let (outcome, steps) = evaluator::evaluate(setting, host, &template);
        let Ok(Outcome::Value(value)) = outcome else { return false };
        let _ = self.budget.charge(steps + u64::from(count));
        self.write_results(sheet, column, first, vec![value; count as usize]);
        self.calculation.graph.mark_clean(id, first, first + count - 1);
        true
    }

    fn write_results(&mut self, sheet: SheetId, column: u32, first: u32, values: Vec<Value>) {
        self.forget_spills(sheet, column, first, values.len() as u32);
        let as_number = |value: &Value| match value {
            Value::Number(number) => Some(*number),
            _ => None,
        };
        match values.iter().map(as_number).collect::<Option<Vec<f64>>>() {
            Some(numbers) => self.write_numbers(sheet, column, first, &numbers),
            None => self.write_values(sheet, column, first, &values),
        }
    }

    /// A run of lookups as a loop; `false`, and nothing done, when it has to be done one by one.
    fn run_lookup(&mut self, id: NodeId, first: u32, count: u32) -> bool {
        let node = self.calculation.graph.node(id);
        let (sheet, column) = (node.sheet, node.column);
        let Some(lookup) = &node.lookup else { return false };
        let place = HostPosition { workbook: self.workbook, sheet, column };
        let Some(results) = lookup.run(place, &self.calculation.indexes, first, count) else { return false };
        let _ = self.budget.charge(u64::from(count));
        // Results in a row are written together; what lies between is done one by one.
        let mut row = first;
        for part in results.chunk_by(|a, b| a.is_some() == b.is_some()) {
            let length = part.len() as u32;
            if part[0].is_some() {
                self.write_results(sheet, column, row, part.iter().flatten().cloned().collect());
            } else if !self.one_by_one(id, RowOrder::Any, row, length) {
                return true;
            }
            self.calculation.graph.mark_clean(id, row, row + length - 1);
            row += length;
        }
        true
    }

    fn write_values(&mut self, sheet: SheetId, column: u32, first: u32, values: &[Value]) {
        let Some(found) = self.workbook.sheet_mut(sheet) else { return };
        let index = ColumnIndex::clamped(column);
        let is_known = |(row, value): (u32, &Value)| {
            found.column(index).is_some_and(|column| column.value(row) == *value)
        };
        let same = (first..).zip(values).take_while(|pair| is_known(*pair)).count();
        if same < values.len() {
            let from = first + same as u32;
            found.set_computed_values(index, from, &values[same..]);
            let changed = Range::from_indices(from, column, first + values.len() as u32 - 1, column);
            report(self.evaluated, sheet, changed.expect("runs lie within the sheet"));
        }
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

    fn one_by_one(&mut self, id: NodeId, turn: RowOrder, first: u32, count: u32) -> bool {
        let node = self.calculation.graph.node(id);
        let (sheet, column, node_first, formulas) =
            (node.sheet, node.column, node.first, node.formulas.clone());
        for turn_number in 0..count {
            if self.is_over() {
                return false;
            }
            self.report_filter_column(id);
            let row = match turn {
                RowOrder::Upwards => first + count - 1 - turn_number,
                _ => first + turn_number,
            };
            let cell = CellAddress::clamped(row, column);
            if self.is_own_victim(sheet, cell) {
                self.store_circular(sheet, cell);
                self.calculation.graph.mark_clean(id, row, row);
                continue;
            }
            let surroundings = ScheduledValues(&self.calculation.graph, &self.calculation.spills);
            let memo = Some(&self.memo).filter(|_| turn == RowOrder::Any);
            let (workbook, time_and_seed) = (&*self.workbook, self.time_and_seed);
            let indexes = Some(&self.calculation.indexes).filter(|_| turn == RowOrder::Any);
            let partials = memo.map(|_| &self.calculation.partials);
            let setting = PassContext {
                workbook,
                surroundings: &surroundings,
                time_and_seed,
                dates: self.calculation.dates,
                cancel: &self.budget.cancel,
                memo,
                partials,
                indexes,
                hidden: &self.calculation.hidden,
            };
            let (outcome, steps) =
                evaluator::evaluate(setting, Host { sheet, cell }, formulas.at(row - node_first));
            let _ = self.budget.charge(steps);
            match outcome {
                Ok(outcome) => {
                    if !self.store(sheet, cell, outcome) {
                        return false;
                    }
                }
                Err(Stop::Cancelled) => return false,
                Err(Stop::Need(..)) => debug_assert!(false, "everything is ready in a schedule"),
            }
            self.calculation.graph.mark_clean(id, row, row);
        }
        true
    }

    /// Evaluates cells whose order only shows when they are read. A cell that needs itself is circular, and so are all
    /// on the way round.
    pub(crate) fn evaluate_cycle(&mut self, ids: &[NodeId]) -> bool {
        for id in ids {
            let node = self.calculation.graph.node(*id);
            let (sheet, column, last) = (node.sheet, node.column, node.last);
            let mut next = node.first;
            // Cells that were needed by others are clean by the time their turn comes.
            while let Some(row) = self.calculation.graph.node(*id).dirty.first_in(next, last) {
                if !self.evaluate_with_precedents(sheet, CellAddress::clamped(row, column), *id) {
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

    pub(crate) fn evaluate_with_precedents(
        &mut self,
        sheet: SheetId,
        cell: CellAddress,
        node: NodeId,
    ) -> bool {
        self.resume(vec![Frame { sheet, cell, node, waiting: None }])
    }

    /// Evaluates cells each of which needs the next, the last one first. When the budget ends they are kept, or a long
    /// way would be gone again and again.
    pub(crate) fn resume(&mut self, frames: Vec<Frame>) -> bool {
        let mut evaluation_stack = EvaluationStack::new(frames);
        while let Some(frame) = evaluation_stack.last_mut() {
            if let Some((sheet, range)) = frame.waiting {
                let looking = DependencyProbe(&self.calculation.graph, &self.calculation.spills);
                let Some(needed) = looking.next_needed(sheet, range) else {
                    frame.waiting = None;
                    continue;
                };
                if let Some(start) = evaluation_stack.position(sheet, needed) {
                    let members = evaluation_stack.split_off(start);
                    let cycle: Vec<_> = members.iter().map(|frame| (frame.sheet, frame.cell)).collect();
                    self.calculation.circular_references.note(&cycle);
                    self.assume(&cycle);
                    for (index, frame) in members.iter().enumerate() {
                        let reader = members[(index + members.len() - 1) % members.len()].waiting;
                        if is_needed_for_its_array(reader, frame.sheet, frame.cell) {
                            self.calculation.own_victims.insert((frame.sheet, frame.cell));
                        }
                    }
                    for frame in members.into_iter().rev() {
                        self.finish_circular(frame);
                    }
                    continue;
                }
                let node = self.calculation.graph.node_at(sheet, needed);
                let node = node.expect("only formulas are dirty");
                evaluation_stack.push(Frame { sheet, cell: needed, node, waiting: None });
                continue;
            }
            if self.is_over() {
                self.calculation.suspended = evaluation_stack.into_frames();
                return false;
            }
            let (sheet, cell) = (frame.sheet, frame.cell);
            if self.is_own_victim(sheet, cell) {
                let frame = evaluation_stack.pop().expect("it is the last one");
                self.finish_circular(frame);
                continue;
            }
            let id = frame.node;
            self.report_filter_column(id);
            let node = self.calculation.graph.node(id);
            let template = node.formulas.at(cell.row.get() - node.first).clone();
            let looking = DependencyProbe(&self.calculation.graph, &self.calculation.spills);
            let noting = ReadRecorder { looking, reads: RefCell::default() };
            let is_dynamic = node.plan.dynamic;
            let surroundings: &dyn Surroundings = if is_dynamic { &noting } else { &noting.looking };
            let (workbook, time_and_seed) = (&*self.workbook, self.time_and_seed);
            // Each cell written since may be one that is looked up now.
            self.calculation.indexes.move_on();
            let indexes = Some(&self.calculation.indexes);
            let setting = PassContext {
                workbook,
                surroundings,
                time_and_seed,
                dates: self.calculation.dates,
                cancel: &self.budget.cancel,
                memo: None,
                partials: None,
                indexes,
                hidden: &self.calculation.hidden,
            };
            let host = Host { sheet, cell };
            let (outcome, steps) = evaluator::evaluate(setting, host, &template);
            let _ = self.budget.charge(steps);
            match outcome {
                Err(Stop::Need(sheet, range)) => frame.waiting = Some((sheet, range)),
                Err(Stop::Cancelled) => {
                    self.calculation.suspended = evaluation_stack.into_frames();
                    return false;
                }
                Ok(outcome) => {
                    let reads = noting.reads.into_inner();
                    if !self.store(sheet, cell, outcome) {
                        self.calculation.suspended = evaluation_stack.into_frames();
                        return false;
                    }
                    let (frame, row) = (evaluation_stack.pop().expect("it is the last one"), cell.row.get());
                    if is_dynamic {
                        let reads = Some(&reads[..]).filter(|reads| reads.len() <= READS_MAX);
                        self.calculation.graph.note_reads(frame.node, row, reads);
                    }
                    self.calculation.graph.mark_clean(frame.node, row, row);
                }
            }
        }
        true
    }

    pub(crate) fn is_own_victim(&self, sheet: SheetId, cell: CellAddress) -> bool {
        !self.calculation.own_victims.is_empty() && self.calculation.own_victims.contains(&(sheet, cell))
    }

    fn finish_circular(&mut self, frame: Frame) {
        self.store_circular(frame.sheet, frame.cell);
        let row = frame.cell.row.get();
        if self.calculation.graph.node(frame.node).plan.dynamic {
            self.calculation.graph.note_reads(frame.node, row, None);
        }
        self.calculation.graph.mark_clean(frame.node, row, row);
    }

    /// The array that a circular formula would like to place is remembered: it may be different, or have no room,
    /// once one of its cells is edited.
    fn store_circular(&mut self, sheet: SheetId, cell: CellAddress) {
        let spill = self.calculation.spills.get(sheet, cell);
        self.store_value(sheet, cell, Value::Error(ErrorValue::Circular));
        if let Some(spill) = spill.filter(|_| self.is_own_victim(sheet, cell)) {
            self.calculation.spills.set(sheet, cell, Spill { placed: false, ..spill });
        }
    }
}

/// Whether what waits for a range needs a cell only because the array of its formula fills some of the range. On a
/// circular reference such an array needs what it fills, and without it there would be no circular reference. Where the formula's own cell is
/// read the circular reference stays, with the array or without it, and is found each time.
pub(crate) fn is_needed_for_its_array(
    waiting: Option<(SheetId, Range)>,
    sheet: SheetId,
    cell: CellAddress,
) -> bool {
    waiting.is_some_and(|(at, range)| at != sheet || !range.contains(cell))
}

/// Whether the rows of a run have to be calculated in turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowOrder {
    Any,
    Downwards,
    Upwards,
}
