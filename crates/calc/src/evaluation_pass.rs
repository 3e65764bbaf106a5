//! One pass over a schedule: runs as loops, everything else cell by cell.

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};

use quadrille_cell::{CellAddress, ColumnIndex, ErrorValue, Range, SheetId, Value};
use quadrille_formula::Host;
use quadrille_functions::{Budget, EvaluationContext};
use quadrille_workbook::{BLOCK_ROWS, ImportSource, Workbook};

use crate::affected_formulas::AffectedFormulas;
use crate::arithmetic_program::HostPosition;
use crate::calculation::Calculation;
use crate::dynamic_dependencies::READS_MAX;
use crate::evaluated::{Evaluated, record_change, write_value};
use crate::evaluation_stack::{EvaluationStack, Frame};
use crate::evaluator::{self, CalculationState, Outcome, PassContext, Stop};
use crate::formula_batch::{self, Formulas};
use crate::graph::{Graph, NodeId};
use crate::imports::SOURCES_MAX;
use crate::result_cache::ResultCache;
use crate::schedule::Component;
use crate::spill::{Spill, Spills};

/// One pass over the schedule of dirty nodes.
pub(crate) struct EvaluationPass<'a> {
    pub calculation: &'a mut Calculation,
    pub workbook: &'a mut Workbook,
    pub time_and_seed: EvaluationContext,
    pub budget: &'a mut Budget,
    pub evaluated: &'a mut Evaluated,
    pub result_cache: ResultCache,
    /// Changed ranges that have been reported to the caches.
    pub reported_count: usize,
}

/// State for scheduled components: everything a formula reads has its value.
pub(crate) struct ScheduledValues<'a>(pub &'a Graph, pub &'a Spills);

impl CalculationState for ScheduledValues<'_> {
    fn is_ready(&self, _sheet: SheetId, _range: Range) -> bool {
        true
    }

    fn spill_area(&self, sheet: SheetId, cell: CellAddress) -> Option<Range> {
        self.1.area(sheet, cell)
    }

    fn subtotals_in(&self, sheet: SheetId, range: Range) -> Vec<Range> {
        self.0.subtotals_in(sheet, range)
    }

    fn affected_by(&self, cells: &[(SheetId, CellAddress)]) -> AffectedFormulas {
        self.0.affected_by(self.1, cells)
    }
}

/// State for on-demand components: cells that a formula reads may be dirty.
struct DependencyProbe<'a>(&'a Graph, &'a Spills);

impl DependencyProbe<'_> {
    /// The next cell that must be evaluated before the range can be read.
    fn next_needed(&self, sheet: SheetId, range: Range) -> Option<CellAddress> {
        self.0.first_dirty(sheet, range).or_else(|| {
            let mut anchors = self.1.intersecting(sheet, range).filter(|(_, spill)| spill.is_placed);
            let dirty = |anchor: CellAddress| self.0.first_dirty(sheet, Range::cell(anchor)).is_some();
            anchors.find(|(anchor, _)| dirty(*anchor)).map(|(anchor, _)| anchor)
        })
    }
}

impl CalculationState for DependencyProbe<'_> {
    fn is_ready(&self, sheet: SheetId, range: Range) -> bool {
        self.next_needed(sheet, range).is_none()
    }

    fn spill_area(&self, sheet: SheetId, cell: CellAddress) -> Option<Range> {
        self.1.area(sheet, cell)
    }

    fn subtotals_in(&self, sheet: SheetId, range: Range) -> Vec<Range> {
        self.0.subtotals_in(sheet, range)
    }

    fn affected_by(&self, cells: &[(SheetId, CellAddress)]) -> AffectedFormulas {
        self.0.affected_by(self.1, cells)
    }
}

/// A [`DependencyProbe`] that records the ranges a formula reads, up to one more than
/// [`READS_MAX`], and the sources of its imported data.
struct ReadRecorder<'a> {
    probe: DependencyProbe<'a>,
    reads: RefCell<Vec<(SheetId, Range)>>,
    imports: RefCell<BTreeSet<ImportSource>>,
}

impl CalculationState for ReadRecorder<'_> {
    fn is_ready(&self, sheet: SheetId, range: Range) -> bool {
        self.note_reference(sheet, range);
        self.probe.is_ready(sheet, range)
    }

    fn note_reference(&self, sheet: SheetId, range: Range) {
        let mut reads = self.reads.borrow_mut();
        if reads.len() <= READS_MAX && !reads.contains(&(sheet, range)) {
            reads.push((sheet, range));
        }
    }

    fn note_import(&self, source: ImportSource) {
        let mut imports = self.imports.borrow_mut();
        if imports.len() < SOURCES_MAX {
            imports.insert(source);
        }
    }

    fn subtotals_in(&self, sheet: SheetId, range: Range) -> Vec<Range> {
        self.probe.subtotals_in(sheet, range)
    }

    fn spill_area(&self, sheet: SheetId, cell: CellAddress) -> Option<Range> {
        self.probe.spill_area(sheet, cell)
    }

    fn affected_by(&self, cells: &[(SheetId, CellAddress)]) -> AffectedFormulas {
        self.probe.affected_by(cells)
    }
}

impl EvaluationPass<'_> {
    /// Evaluates the dirty rows of components and removes the components that are complete. Returns
    /// `false` when the budget is spent.
    pub fn evaluate_components(&mut self, schedule: &mut VecDeque<Component>) -> bool {
        while let Some(component) = schedule.front() {
            if !self.evaluate_component(component) {
                return false;
            }
            schedule.pop_front();
        }
        true
    }

    fn evaluate_component(&mut self, component: &Component) -> bool {
        self.calculation.indexes.advance_epoch();
        self.report_changes();
        match component {
            Component::Run(id) => self.evaluate_rows(*id, RowOrder::Any),
            Component::Downwards(id) => self.evaluate_rows(*id, RowOrder::Downwards),
            Component::Upwards(id) => self.evaluate_rows(*id, RowOrder::Upwards),
            Component::OnDemand(ids) => self.evaluate_on_demand(ids),
        }
    }

    /// Reports changed ranges to the partial aggregates, indexes and hidden rows.
    fn report_changes(&mut self) {
        // The last range may have grown since it was reported.
        for (sheet, range) in &self.evaluated.changed[self.reported_count.saturating_sub(1)..] {
            self.calculation.partials.changed(*sheet, *range);
            self.calculation.indexes.range_changed(*sheet, *range);
            self.calculation.hidden.changed(*sheet, *range);
        }
        self.calculation.indexes.mark_rows_current();
        self.reported_count = self.evaluated.changed.len();
    }

    /// Calls [`report_changes`](Self::report_changes) when the node's formulas ignore hidden rows,
    /// which may depend on cells that were evaluated just now.
    fn report_changes_to_filters(&mut self, id: NodeId) {
        if self.calculation.graph.node(id).analysis.ignores_hidden_rows {
            self.report_changes();
        }
    }

    /// Whether the budget is spent or the evaluation is cancelled.
    fn should_stop(&self) -> bool {
        self.budget.steps_left == 0 || self.budget.cancel.is_requested()
    }

    fn evaluate_rows(&mut self, id: NodeId, row_order: RowOrder) -> bool {
        loop {
            let spans = &self.calculation.graph.node(id).dirty;
            let next =
                if row_order == RowOrder::Upwards { spans.iter().next_back() } else { spans.iter().next() };
            let Some((first, last)) = next else { return true };
            if self.should_stop() {
                return false;
            }
            // One block at a time, so that results fill whole blocks.
            let count = (BLOCK_ROWS as u32).min(last - first + 1);
            let start = if row_order == RowOrder::Upwards { last + 1 - count } else { first };
            if !self.evaluate_chunk(id, row_order, start, count) {
                return false;
            }
        }
    }

    /// Evaluates the rows `first..first + count` of a node, with its program as far as possible.
    fn evaluate_chunk(&mut self, id: NodeId, row_order: RowOrder, first: u32, count: u32) -> bool {
        let node = self.calculation.graph.node(id);
        let (sheet, column) = (node.sheet, node.column);
        if let Some(program) = &node.program {
            let host = HostPosition { workbook: self.workbook, sheet, column };
            if count == 1 {
                // Single formulas are common, and slices would cost more than their arithmetic.
                let Some(result) = program.run_one(host, first) else {
                    return self.evaluate_cells(id, row_order, first, count);
                };
                let _ = self.budget.charge(1);
                let cell = CellAddress::clamped(first, column);
                write_value(self.workbook, sheet, cell, Value::Number(result), self.evaluated);
                self.calculation.graph.mark_clean(id, first, first);
                return true;
            }
            let results = match row_order {
                RowOrder::Any => program.run(host, first, count as usize),
                RowOrder::Downwards => program.run_chain(host, first, count as usize, false),
                RowOrder::Upwards => program.run_chain(host, first, count as usize, true),
            };
            if let Some(results) = results.filter(|results| !results.is_empty()) {
                let _ = self.budget.charge(results.len() as u64);
                let done = results.len() as u32;
                let start = if row_order == RowOrder::Upwards { first + count - done } else { first };
                self.write_numbers(sheet, column, start, &results);
                self.calculation.graph.mark_clean(id, start, start + done - 1);
                let rest = count - done;
                let rest_first = if row_order == RowOrder::Upwards { first } else { first + done };
                return rest == 0 || self.evaluate_cells(id, row_order, rest_first, rest);
            }
        }
        if let Formulas::Batch(_) = &node.formulas {
            return self.evaluate_batch(id, row_order, first, count);
        }
        if count > 1 && row_order == RowOrder::Any {
            let is_done = self.evaluate_running_totals(id, first, count)
                || self.evaluate_row_invariant(id, first, count)
                || self.evaluate_lookups(id, first, count);
            if is_done {
                return true;
            }
        }
        self.evaluate_cells(id, row_order, first, count)
    }

    /// Evaluates rows of a formula batch: consecutive arithmetic in one loop, other formulas one by
    /// one.
    fn evaluate_batch(&mut self, id: NodeId, row_order: RowOrder, first: u32, count: u32) -> bool {
        let (mut first, mut count) = (first, count);
        let upwards = row_order == RowOrder::Upwards;
        while count > 0 {
            let node = self.calculation.graph.node(id);
            let (sheet, column) = (node.sheet, node.column);
            let Formulas::Batch(templates) = &node.formulas else { return true };
            let from = (first - node.first) as usize;
            let host = HostPosition { workbook: self.workbook, sheet, column };
            let mut results =
                formula_batch::run(host, &templates[from..from + count as usize], first, upwards);
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
                if !self.evaluate_cells(id, row_order, row, 1) {
                    return false;
                }
                count -= 1;
                first = if upwards { first } else { first + 1 };
            }
        }
        true
    }

    /// Evaluates a run of running totals in one loop. Returns `false` and changes nothing when the
    /// rows must be evaluated one by one.
    fn evaluate_running_totals(&mut self, id: NodeId, first: u32, count: u32) -> bool {
        let node = self.calculation.graph.node(id);
        let (sheet, column) = (node.sheet, node.column);
        let Some(running_totals) = &node.running_totals else { return false };
        let host = HostPosition { workbook: self.workbook, sheet, column };
        let Some((results, cells_read)) = running_totals.run(host, &self.result_cache, first, count) else {
            return false;
        };
        let _ = self.budget.charge(cells_read + u64::from(count));
        self.write_results(sheet, column, first, results);
        self.calculation.graph.mark_clean(id, first, first + count - 1);
        true
    }

    /// Evaluates a row-invariant run once for all rows. Returns `false` and changes nothing when
    /// the result may differ.
    fn evaluate_row_invariant(&mut self, id: NodeId, first: u32, count: u32) -> bool {
        let node = self.calculation.graph.node(id);
        if !node.is_row_invariant {
            return false;
        }
        let (sheet, column, template) = (node.sheet, node.column, node.formulas.example().clone());
        let state = ScheduledValues(&self.calculation.graph, &self.calculation.spills);
        let pass_context = PassContext {
            workbook: self.workbook,
            state: &state,
            time_and_seed: self.time_and_seed,
            dates: self.calculation.dates,
            cancel: &self.budget.cancel,
            result_cache: Some(&self.result_cache),
            partials: Some(&self.calculation.partials),
            indexes: Some(&self.calculation.indexes),
            hidden: &self.calculation.hidden,
            pivots: &self.calculation.pivots,
        };
        let host = Host { sheet, cell: CellAddress::clamped(first, column) };
        let (outcome, steps) = evaluator::evaluate(pass_context, host, &template);
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

    /// Evaluates a run of lookups in one loop. Returns `false` and changes nothing when the rows
    /// must be evaluated one by one.
    fn evaluate_lookups(&mut self, id: NodeId, first: u32, count: u32) -> bool {
        let node = self.calculation.graph.node(id);
        let (sheet, column) = (node.sheet, node.column);
        let Some(lookup) = &node.lookup else { return false };
        let host = HostPosition { workbook: self.workbook, sheet, column };
        let Some(results) = lookup.run(host, &self.calculation.indexes, first, count) else { return false };
        let _ = self.budget.charge(u64::from(count));
        // Consecutive results are written together; rows without a result are evaluated one by one.
        let mut row = first;
        for part in results.chunk_by(|a, b| a.is_some() == b.is_some()) {
            let length = part.len() as u32;
            if part[0].is_some() {
                self.write_results(sheet, column, row, part.iter().flatten().cloned().collect());
            } else if !self.evaluate_cells(id, RowOrder::Any, row, length) {
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
        let is_current = |(row, value): (u32, &Value)| {
            found.column(index).is_some_and(|column| column.value(row) == *value)
        };
        let same = (first..).zip(values).take_while(|pair| is_current(*pair)).count();
        if same < values.len() {
            let from = first + same as u32;
            found.set_computed_values(index, from, &values[same..]);
            let changed = Range::from_indices(from, column, first + values.len() as u32 - 1, column);
            record_change(self.evaluated, sheet, changed.expect("runs lie within the sheet"));
        }
    }

    fn write_numbers(&mut self, sheet: SheetId, column: u32, first: u32, numbers: &[f64]) {
        let Some(found) = self.workbook.sheet_mut(sheet) else { return };
        let index = ColumnIndex::clamped(column);
        let last = first + numbers.len() as u32 - 1;
        // Only rows that differ are reported, so that an edit without effect repaints nothing.
        let mut same_until = 0;
        if let Some(current) = found.column(index) {
            for (row, slice) in current.slices(first, last) {
                let at = (row - first) as usize;
                let quadrille_workbook::Slice::Numbers(current) = slice else { break };
                if at != same_until {
                    break;
                }
                let same = current.iter().zip(&numbers[at..]).take_while(|(a, b)| a.to_bits() == b.to_bits());
                same_until += same.count();
                if same_until < at + current.len() {
                    break;
                }
            }
        }
        if same_until == numbers.len() {
            return;
        }
        found.set_computed_numbers(index, first, numbers);
        let changed = Range::from_indices(first + same_until as u32, column, last, column);
        record_change(self.evaluated, sheet, changed.expect("runs lie within the sheet"));
    }

    /// Evaluates a pivot table whose source has its values.
    fn evaluate_scheduled_pivot(&mut self, id: NodeId, sheet: SheetId, anchor: CellAddress) -> bool {
        if self.is_circular_array(sheet, anchor) {
            self.store_circular(sheet, anchor);
        } else {
            let (outcome, steps) = self.evaluate_pivot(sheet, anchor, |_, _, _| true);
            let _ = self.budget.charge(steps);
            let Ok(outcome) = outcome else { return false };
            if !self.store_pivot(sheet, anchor, outcome) {
                return false;
            }
        }
        self.calculation.graph.mark_clean(id, anchor.row.get(), anchor.row.get());
        true
    }

    fn evaluate_cells(&mut self, id: NodeId, row_order: RowOrder, first: u32, count: u32) -> bool {
        let node = self.calculation.graph.node(id);
        if node.is_pivot {
            let (sheet, anchor) = (node.sheet, CellAddress::clamped(node.first, node.column));
            return self.evaluate_scheduled_pivot(id, sheet, anchor);
        }
        let (sheet, column, node_first, formulas) =
            (node.sheet, node.column, node.first, node.formulas.clone());
        for index in 0..count {
            if self.should_stop() {
                return false;
            }
            self.report_changes_to_filters(id);
            let row = match row_order {
                RowOrder::Upwards => first + count - 1 - index,
                _ => first + index,
            };
            let cell = CellAddress::clamped(row, column);
            if self.is_circular_array(sheet, cell) {
                self.store_circular(sheet, cell);
                self.calculation.graph.mark_clean(id, row, row);
                continue;
            }
            let state = ScheduledValues(&self.calculation.graph, &self.calculation.spills);
            let result_cache = Some(&self.result_cache).filter(|_| row_order == RowOrder::Any);
            let (workbook, time_and_seed) = (&*self.workbook, self.time_and_seed);
            let indexes = Some(&self.calculation.indexes).filter(|_| row_order == RowOrder::Any);
            let partials = result_cache.map(|_| &self.calculation.partials);
            let pass_context = PassContext {
                workbook,
                state: &state,
                time_and_seed,
                dates: self.calculation.dates,
                cancel: &self.budget.cancel,
                result_cache,
                partials,
                indexes,
                hidden: &self.calculation.hidden,
                pivots: &self.calculation.pivots,
            };
            let (outcome, steps) =
                evaluator::evaluate(pass_context, Host { sheet, cell }, formulas.at(row - node_first));
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

    /// Evaluates cells in the order in which they need one another. All cells of a cycle become
    /// `#CIRC!`.
    pub(crate) fn evaluate_on_demand(&mut self, ids: &[NodeId]) -> bool {
        for id in ids {
            let node = self.calculation.graph.node(*id);
            let (sheet, column, last) = (node.sheet, node.column, node.last);
            let mut next = node.first;
            // Precedents evaluated on demand are clean when the loop reaches them.
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

    /// Evaluates the cells of a stack from the top. When the budget ends, the stack is kept in
    /// `suspended`, since a long chain would otherwise start from its first cell in every slice.
    pub(crate) fn resume(&mut self, frames: Vec<Frame>) -> bool {
        let mut evaluation_stack = EvaluationStack::new(frames);
        while let Some(frame) = evaluation_stack.last_mut() {
            if let Some((sheet, range)) = frame.waiting {
                let probe = DependencyProbe(&self.calculation.graph, &self.calculation.spills);
                let Some(needed) = probe.next_needed(sheet, range) else {
                    frame.waiting = None;
                    continue;
                };
                if let Some(start) = evaluation_stack.position(sheet, needed) {
                    let members = evaluation_stack.split_off(start);
                    let cycle: Vec<_> = members.iter().map(|frame| (frame.sheet, frame.cell)).collect();
                    self.calculation.circular_references.record(&cycle);
                    self.assume(&cycle);
                    for (index, frame) in members.iter().enumerate() {
                        let reader = members[(index + members.len() - 1) % members.len()].waiting;
                        if is_needed_only_for_spill(reader, frame.sheet, frame.cell) {
                            self.calculation.circular_arrays.insert((frame.sheet, frame.cell));
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
            if self.should_stop() {
                self.calculation.suspended = evaluation_stack.into_frames();
                return false;
            }
            let (sheet, cell) = (frame.sheet, frame.cell);
            if self.is_circular_array(sheet, cell) {
                let frame = evaluation_stack.pop().expect("it is the last one");
                self.finish_circular(frame);
                continue;
            }
            let id = frame.node;
            if self.calculation.graph.node(id).is_pivot {
                let is_ready = |pass: &Self, sheet, range| {
                    DependencyProbe(&pass.calculation.graph, &pass.calculation.spills).is_ready(sheet, range)
                };
                let (outcome, steps) = self.evaluate_pivot(sheet, cell, is_ready);
                let _ = self.budget.charge(steps);
                match outcome {
                    Err(Stop::Need(sheet, range)) => {
                        let frame = evaluation_stack.last_mut().expect("it is the pivot table's");
                        frame.waiting = Some((sheet, range));
                    }
                    Ok(outcome) => {
                        if !self.store_pivot(sheet, cell, outcome) {
                            self.calculation.suspended = evaluation_stack.into_frames();
                            return false;
                        }
                        evaluation_stack.pop();
                        self.calculation.graph.mark_clean(id, cell.row.get(), cell.row.get());
                    }
                    Err(Stop::Cancelled) => {
                        self.calculation.suspended = evaluation_stack.into_frames();
                        return false;
                    }
                }
                continue;
            }
            self.report_changes_to_filters(id);
            let node = self.calculation.graph.node(id);
            let template = node.formulas.at(cell.row.get() - node.first).clone();
            let probe = DependencyProbe(&self.calculation.graph, &self.calculation.spills);
            let recorder = ReadRecorder { probe, reads: RefCell::default(), imports: RefCell::default() };
            let is_dynamic = node.analysis.dynamic;
            let state: &dyn CalculationState = if is_dynamic { &recorder } else { &recorder.probe };
            let (workbook, time_and_seed) = (&*self.workbook, self.time_and_seed);
            // A cell that was written since the last formula may belong to an indexed column.
            self.calculation.indexes.advance_epoch();
            let indexes = Some(&self.calculation.indexes);
            let pass_context = PassContext {
                workbook,
                state,
                time_and_seed,
                dates: self.calculation.dates,
                cancel: &self.budget.cancel,
                result_cache: None,
                partials: None,
                indexes,
                hidden: &self.calculation.hidden,
                pivots: &self.calculation.pivots,
            };
            let host = Host { sheet, cell };
            let (outcome, steps) = evaluator::evaluate(pass_context, host, &template);
            let _ = self.budget.charge(steps);
            match outcome {
                Err(Stop::Need(sheet, range)) => frame.waiting = Some((sheet, range)),
                Err(Stop::Cancelled) => {
                    self.calculation.suspended = evaluation_stack.into_frames();
                    return false;
                }
                Ok(outcome) => {
                    let (reads, imports) = (recorder.reads.into_inner(), recorder.imports.into_inner());
                    if !self.store(sheet, cell, outcome) {
                        self.calculation.suspended = evaluation_stack.into_frames();
                        return false;
                    }
                    let (frame, row) = (evaluation_stack.pop().expect("it is the last one"), cell.row.get());
                    if is_dynamic {
                        let reads = Some(&reads[..]).filter(|reads| reads.len() <= READS_MAX);
                        self.calculation.graph.record_reads(frame.node, row, reads);
                        self.calculation.graph.record_imports(frame.node, row, imports);
                    }
                    self.calculation.graph.mark_clean(frame.node, row, row);
                }
            }
        }
        true
    }

    pub(crate) fn is_circular_array(&self, sheet: SheetId, cell: CellAddress) -> bool {
        !self.calculation.circular_arrays.is_empty()
            && self.calculation.circular_arrays.contains(&(sheet, cell))
    }

    fn finish_circular(&mut self, frame: Frame) {
        self.store_circular(frame.sheet, frame.cell);
        let row = frame.cell.row.get();
        if self.calculation.graph.node(frame.node).analysis.dynamic {
            self.calculation.graph.record_reads(frame.node, row, None);
            self.calculation.graph.record_imports(frame.node, row, BTreeSet::new());
        }
        self.calculation.graph.mark_clean(frame.node, row, row);
    }

    /// Stores `#CIRC!`. The area that a circular array requested is remembered: when one of its
    /// cells is edited, the array may differ or be blocked.
    fn store_circular(&mut self, sheet: SheetId, cell: CellAddress) {
        let spill = self.calculation.spills.get(sheet, cell);
        let is_pivot = self
            .calculation
            .graph
            .node_at(sheet, cell)
            .is_some_and(|id| self.calculation.graph.node(id).is_pivot);
        if is_pivot {
            self.store_pivot(sheet, cell, Outcome::Value(Value::Error(ErrorValue::Circular)));
        } else {
            self.store_value(sheet, cell, Value::Error(ErrorValue::Circular));
        }
        if let Some(spill) = spill.filter(|_| self.is_circular_array(sheet, cell)) {
            self.calculation.spills.set(sheet, cell, Spill { is_placed: false, ..spill });
        }
    }
}

/// Whether the reader that waits for a range needs a formula only because the formula's array fills
/// some of the range. On a circular reference such an array needs cells that it fills, and without
/// the array there would be no circular reference. If the reader reads the formula's own cell, the
/// circular reference exists with or without the array and is found each time.
pub(crate) fn is_needed_only_for_spill(
    waiting: Option<(SheetId, Range)>,
    sheet: SheetId,
    cell: CellAddress,
) -> bool {
    waiting.is_some_and(|(at, range)| at != sheet || !range.contains(cell))
}

/// Order in which the rows of a run are evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowOrder {
    Any,
    Downwards,
    Upwards,
}
