//! The dependency graph: runs of formulas as nodes, their references as entries of an index by column and row.
//!
//! A node copies what a run of the workbook is (column, rows, template), or a strip of single formulas, so that what
//! changed can be found and replaced without looking at the rest. Bytes are per run and reference, not per cell.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{CellAddress, ROWS_MAX, Range, SheetId};
use quadrille_functions::Cancel;
use quadrille_workbook::Workbook;

use crate::arithmetic_program::ArithmeticProgram;
use crate::compiled_lookup::CompiledLookup;
use crate::dynamic_dependencies::{DynamicDependencies, DynamicRead};
use crate::formula_batch::{Formulas, NodeFormulas, stretches};
use crate::hidden_rows::FilterDependency;
use crate::interval_index::{IntervalIndex, Key};
use crate::reference_pattern::Direction;
use crate::row_invariant::is_row_invariant;
use crate::row_set::RowSet;
use crate::running_totals::RunningTotals;
use crate::template_analysis::TemplateAnalysis;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct NodeId(pub u32);

/// A run of formulas, or a strip of them.
#[derive(Debug)]
pub(crate) struct Node {
    pub sheet: SheetId,
    pub column: u32,
    pub first: u32,
    pub last: u32,
    pub formulas: Formulas,
    pub plan: TemplateAnalysis,
    /// For templates that are arithmetic over single cells.
    pub program: Option<ArithmeticProgram>,
    /// For templates that are a sum that grows from row to row.
    pub running: Option<RunningTotals>,
    /// All formulas give the same value.
    pub is_same_everywhere: bool,
    /// For templates that are a lookup.
    pub lookup: Option<Box<CompiledLookup>>,
    /// For templates that read what only evaluation finds.
    dynamic_reads: Option<Box<DynamicDependencies>>,
    /// Rows whose value is out of date.
    pub dirty: RowSet,
    is_listed: bool,
    /// Where the run reads itself, if it does.
    pub self_direction: Option<Direction>,
    /// Index among the nodes being scheduled, and how often it was reached: the scheduler's notes.
    pub place: u32,
    pub pieces: u32,
    pub reads_own_array: bool,
}

/// An entry of the index: which reference of which node; behind those of its plan come those that were found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Edge {
    pub node: NodeId,
    pub pattern: u32,
}

impl Key for Edge {
    const MIN: Edge = Edge { node: NodeId(0), pattern: 0 };
    const MAX: Edge = Edge { node: NodeId(u32::MAX), pattern: u32::MAX };
}

/// A reference over more columns than this is kept once for the sheet instead of once for each column.
const COLUMNS_NARROW_MAX: u32 = 8;
/// Rows of a column that are looked at before it is asked whether to go on: half a millisecond when each has a formula of its own.
const SYNCED_TOGETHER: u32 = 4_096;

#[derive(Debug, Default)]
pub(crate) struct Graph {
    nodes: Vec<Option<Node>>,
    free: Vec<NodeId>,
    /// Nodes of each column by their first row.
    by_place: BTreeMap<(SheetId, u32), BTreeMap<u32, NodeId>>,
    narrow: BTreeMap<(SheetId, u32), IntervalIndex<Edge>>,
    wide: BTreeMap<SheetId, IntervalIndex<Edge>>,
    pub volatile: BTreeSet<NodeId>,
    dynamic: BTreeSet<NodeId>,
    /// Nodes that leave out hidden rows, by place.
    leaving_out: BTreeMap<(SheetId, u32, u32), NodeId>,
    /// The columns by which filters hide rows.
    deciding: BTreeMap<SheetId, Vec<FilterDependency>>,
    /// Nodes that have been dirty since the list was last looked at; see [`dirty_nodes`](Graph::dirty_nodes).
    listed: Vec<NodeId>,
    dirty_count: usize,
}

impl Graph {
    pub fn node(&self, id: NodeId) -> &Node {
        self.nodes[id.0 as usize].as_ref().expect("ids are dropped with their nodes")
    }

    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        self.nodes[id.0 as usize].as_mut().expect("ids are dropped with their nodes")
    }

    pub fn ids(&self) -> impl Iterator<Item = NodeId> {
        (0u32..).zip(&self.nodes).filter(|(_, node)| node.is_some()).map(|(index, _)| NodeId(index))
    }

    pub fn node_at(&self, sheet: SheetId, cell: CellAddress) -> Option<NodeId> {
        let column = self.by_place.get(&(sheet, cell.column.get()))?;
        let (_, id) = column.range(..=cell.row.get()).next_back()?;
        (self.node(*id).last >= cell.row.get()).then_some(*id)
    }

    /// Nodes of one column that meet the rows `first..=last`, from above.
    pub fn nodes_in(
        &self,
        sheet: SheetId,
        column: u32,
        first: u32,
        last: u32,
    ) -> impl Iterator<Item = NodeId> {
        let nodes = self.by_place.get(&(sheet, column));
        let before = nodes
            .and_then(|nodes| nodes.range(..first).next_back())
            .map(|(_, id)| *id)
            .filter(|id| self.node(*id).last >= first);
        let inside = nodes.into_iter().flat_map(move |nodes| nodes.range(first..=last).map(|(_, id)| *id));
        before.into_iter().chain(inside)
    }

    /// Columns of `range` that have nodes.
    pub fn columns_in(&self, sheet: SheetId, range: Range) -> impl Iterator<Item = u32> {
        let (left, right) = (range.first().column.get(), range.last().column.get());
        self.by_place.range((sheet, left)..=(sheet, right)).map(|((_, column), _)| *column)
    }

    pub fn is_clean(&self) -> bool {
        self.dirty_count == 0
    }

    /// Nodes with dirty rows, in the order of their ids.
    pub fn dirty_nodes(&mut self) -> Vec<NodeId> {
        let mut listed = std::mem::take(&mut self.listed);
        listed.sort();
        listed.dedup();
        listed.retain(|id| {
            let Some(node) = self.nodes[id.0 as usize].as_mut() else { return false };
            node.is_listed = !node.dirty.is_empty();
            node.is_listed
        });
        self.listed.clone_from(&listed);
        debug_assert_eq!(listed.len(), self.dirty_count);
        listed
    }

    /// How many cells are dirty.
    pub fn dirty_cells(&mut self) -> u64 {
        let nodes = self.dirty_nodes();
        let rows = |id: NodeId| self.node(id).dirty.iter().map(|(first, last)| u64::from(last - first + 1));
        nodes.into_iter().flat_map(rows).sum()
    }

    /// The first cell of `range`, column by column, that has no current value.
    pub fn first_dirty(&self, sheet: SheetId, range: Range) -> Option<CellAddress> {
        if self.dirty_count == 0 {
            return None;
        }
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        for column in self.columns_in(sheet, range) {
            for id in self.nodes_in(sheet, column, top, bottom) {
                if let Some(row) = self.node(id).dirty.first_in(top, bottom) {
                    return Some(CellAddress::clamped(row, column));
                }
            }
        }
        None
    }

    pub fn insert(&mut self, sheet: SheetId, column: u32, stretch: NodeFormulas) -> NodeId {
        let NodeFormulas { first, last, formulas, mut plan } = stretch;
        if plan.leaves_out {
            plan.judge(|sheet| deciding_in(&self.deciding, sheet), (first, last));
        }
        let template = match &formulas {
            Formulas::Same(template) => Some(template),
            Formulas::Each(_) => None,
        };
        let program = template.and_then(ArithmeticProgram::compile);
        let lookup = template.and_then(CompiledLookup::compile).map(Box::new);
        let running = template.and_then(RunningTotals::compile);
        let is_same_everywhere = template.is_some_and(|template| is_row_invariant(template, &plan));
        let mut node = Node {
            sheet,
            column,
            first,
            last,
            formulas,
            plan,
            program,
            running,
            is_same_everywhere,
            lookup,
            dynamic_reads: None,
            dirty: RowSet::default(),
            is_listed: false,
            self_direction: None,
            place: 0,
            pieces: 0,
            reads_own_array: false,
        };
        node.self_direction = self_direction(&node);
        let id = match self.free.pop() {
            Some(id) => id,
            None => {
                self.nodes.push(None);
                NodeId(self.nodes.len() as u32 - 1)
            }
        };
        self.for_each_entry(&node, id, |index, first, last, edge| index.insert(first, last, edge));
        if node.plan.volatile {
            self.volatile.insert(id);
        }
        if node.plan.dynamic {
            self.dynamic.insert(id);
        }
        if node.plan.leaves_out {
            self.leaving_out.insert((sheet, column, first), id);
        }
        self.by_place.entry((sheet, column)).or_default().insert(first, id);
        self.nodes[id.0 as usize] = Some(node);
        id
    }

    pub fn remove(&mut self, id: NodeId) -> Node {
        let node = self.nodes[id.0 as usize].take().expect("ids are dropped with their nodes");
        self.for_each_entry(&node, id, |index, first, last, edge| index.remove(first, last, edge));
        if let Some(column) = self.by_place.get_mut(&(node.sheet, node.column)) {
            column.remove(&node.first);
            if column.is_empty() {
                self.by_place.remove(&(node.sheet, node.column));
            }
        }
        self.volatile.remove(&id);
        self.dynamic.remove(&id);
        if node.plan.leaves_out {
            self.leaving_out.remove(&(node.sheet, node.column, node.first));
        }
        self.dirty_count -= usize::from(!node.dirty.is_empty());
        self.free.push(id);
        node
    }

    fn for_each_entry(
        &mut self,
        node: &Node,
        id: NodeId,
        mut change: impl FnMut(&mut IntervalIndex<Edge>, u32, u32, Edge),
    ) {
        for (number, pattern) in (0u32..).zip(&node.plan.patterns) {
            let Some((first, last)) = pattern.rows_of(node.first, node.last) else { continue };
            let edge = Edge { node: id, pattern: number };
            self.for_each_index(pattern.sheet, pattern.columns, &mut |index| {
                change(index, first, last, edge)
            });
        }
        let found = node.dynamic_reads.iter().flat_map(|found| found.reads());
        for (number, read) in found {
            let edge = Edge { node: id, pattern: node.plan.patterns.len() as u32 + number };
            let (first, last) = (read.range.first(), read.range.last());
            let columns = (first.column.get(), last.column.get());
            self.for_each_index(read.sheet, columns, &mut |index| {
                change(index, first.row.get(), last.row.get(), edge)
            });
        }
    }

    fn for_each_index(
        &mut self,
        sheet: SheetId,
        (left, right): (u32, u32),
        change: &mut dyn FnMut(&mut IntervalIndex<Edge>),
    ) {
        if right - left < COLUMNS_NARROW_MAX {
            for column in left..=right {
                change(self.narrow.entry((sheet, column)).or_default());
            }
        } else {
            change(self.wide.entry(sheet).or_default());
        }
    }

    /// What the formula in a row of a dynamic node has read; `None` when it is not known.
    pub fn note_reads(&mut self, id: NodeId, row: u32, reads: Option<&[(SheetId, Range)]>) {
        let node = self.node_mut(id);
        let known = node.plan.patterns.len() as u32;
        let found = node.dynamic_reads.get_or_insert_default();
        if reads.is_some_and(|reads| found.is_known(row, reads)) {
            return;
        }
        let gone = found.forget(row);
        let noted = reads.map(|reads| found.note(row, reads)).unwrap_or_default();
        for (number, read) in gone {
            self.index_read(Edge { node: id, pattern: known + number }, read, false);
        }
        for (number, read) in noted {
            self.index_read(Edge { node: id, pattern: known + number }, read, true);
        }
    }

    fn index_read(&mut self, edge: Edge, DynamicRead { sheet, range, .. }: DynamicRead, is_new: bool) {
        let (first, last) = (range.first(), range.last());
        let rows = (first.row.get(), last.row.get());
        self.for_each_index(sheet, (first.column.get(), last.column.get()), &mut |index| match is_new {
            true => index.insert(rows.0, rows.1, edge),
            false => index.remove(rows.0, rows.1, edge),
        });
    }

    /// Dynamic nodes with formulas of which it is not known what they read.
    pub fn dynamic_unknown(&self) -> Vec<NodeId> {
        let is_unknown = |id: &NodeId| {
            let node = self.node(*id);
            // What decides whether rows are hidden is not among what was found.
            node.plan.leaves_out
                || !node.dynamic_reads.as_ref().is_some_and(|found| found.knows(node.first, node.last))
        };
        self.dynamic.iter().copied().filter(is_unknown).collect()
    }

    /// Names or sheets may mean something else than when they were read.
    pub fn forget_dynamic_reads(&mut self) {
        let dynamic: Vec<NodeId> = self.dynamic.iter().copied().collect();
        for id in dynamic {
            let node = self.node_mut(id);
            let (known, found) = (node.plan.patterns.len() as u32, node.dynamic_reads.take());
            for (number, read) in found.iter().flat_map(|found| found.reads()) {
                self.index_read(Edge { node: id, pattern: known + number }, read, false);
            }
        }
    }

    /// Calls `found` with each reference that covers any cell of the range, and those rows of its node for which it
    /// does.
    pub fn dependents(&self, sheet: SheetId, range: Range, mut found: impl FnMut(Edge, u32, u32)) {
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        let (left, right) = (range.first().column.get(), range.last().column.get());
        let mut report = |edge: Edge| {
            let node = self.node(edge.node);
            let Some(pattern) = node.plan.patterns.get(edge.pattern as usize) else {
                let number = edge.pattern - node.plan.patterns.len() as u32;
                let read = node.dynamic_reads.as_ref().and_then(|found| found.read(number));
                if let Some(read) = read.filter(|read| read.range.intersects(range)) {
                    found(edge, read.row, read.row);
                }
                return;
            };
            if pattern.columns.0 > right || pattern.columns.1 < left {
                return;
            }
            if let Some((first, last)) = pattern.hosts_reading(top, bottom, (node.first, node.last)) {
                found(edge, first, last);
            }
        };
        if left == right {
            if let Some(index) = self.narrow.get(&(sheet, left)) {
                index.find(top, bottom, &mut report);
            }
        } else {
            for (_, index) in self.narrow.range((sheet, left)..=(sheet, right)) {
                index.find(top, bottom, &mut report);
            }
        }
        if let Some(index) = self.wide.get(&sheet) {
            index.find(top, bottom, &mut report);
        }
    }

    /// Adds dirty rows to a node, cut to its run; calls `added` with those that were clean.
    pub fn mark_dirty(&mut self, id: NodeId, first: u32, last: u32, added: impl FnMut(u32, u32)) {
        let node = self.nodes[id.0 as usize].as_mut().expect("ids are dropped with their nodes");
        let (first, last) = (first.max(node.first), last.min(node.last));
        if first <= last {
            self.dirty_count += usize::from(node.dirty.is_empty());
            node.dirty.add(first, last, added);
            if !node.is_listed {
                node.is_listed = true;
                self.listed.push(id);
            }
        }
    }

    pub fn mark_all_dirty(&mut self, id: NodeId) {
        let node = self.node(id);
        let (first, last) = (node.first, node.last);
        self.mark_dirty(id, first, last, |_, _| {});
    }

    pub fn mark_clean(&mut self, id: NodeId, first: u32, last: u32) {
        let node = self.nodes[id.0 as usize].as_mut().expect("ids are dropped with their nodes");
        let was_dirty = !node.dirty.is_empty();
        node.dirty.remove(first, last);
        self.dirty_count -= usize::from(was_dirty && node.dirty.is_empty());
    }

    /// Makes the nodes of `range` and of the runs it touches equal to the workbook's runs. Dirty rows stay dirty. `false` when it
    /// was cancelled, and then some are; doing it again looks at those that are equal only in passing.
    pub fn sync(&mut self, workbook: &Workbook, sheet: SheetId, range: Range, cancel: &Cancel) -> bool {
        let found = workbook.sheet(sheet);
        let mut columns: Vec<u32> = self.columns_in(sheet, range).collect();
        if let Some(found) = found {
            let with_formulas = found.columns_in(range).filter(|(_, column)| !column.formulas().is_empty());
            columns.extend(with_formulas.map(|(index, _)| index.get()));
            columns.sort();
            columns.dedup();
        }
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        for column in columns {
            let mut next = Some(top);
            while let Some(first) = next.filter(|first| *first <= bottom) {
                if cancel.is_requested() {
                    return false;
                }
                let last = bottom.min(first.saturating_add(SYNCED_TOGETHER - 1));
                let done = self.sync_column(workbook, sheet, column, (first, last));
                next = self.next_formula(workbook, sheet, column, done + 1);
            }
        }
        true
    }

    /// The first row from `first` on that has, or had, a formula.
    fn next_formula(&self, workbook: &Workbook, sheet: SheetId, column: u32, first: u32) -> Option<u32> {
        let last = ROWS_MAX - 1;
        let nodes = self.by_place.get(&(sheet, column));
        let had = nodes.and_then(|nodes| nodes.range(first..).next()).map(|(row, _)| *row);
        let found = workbook.sheet(sheet)?.column(quadrille_cell::ColumnIndex::clamped(column));
        let has =
            found.filter(|_| first <= last).and_then(|found| found.formulas().iter_in(first, last).next());
        had.into_iter().chain(has.map(|run| run.first)).min()
    }

    /// The last row that it has looked at: runs are looked at as a whole.
    fn sync_column(&mut self, workbook: &Workbook, sheet: SheetId, column: u32, rows: (u32, u32)) -> u32 {
        let runs = workbook
            .sheet(sheet)
            .and_then(|sheet| sheet.column(quadrille_cell::ColumnIndex::clamped(column)))
            .map(|column| column.formulas());
        // Runs merge with neighbours and split from them, so the rows grow until both sides end where they end.
        let mut rows = (rows.0.saturating_sub(1), (rows.1 + 1).min(ROWS_MAX - 1));
        loop {
            let mut grown = rows;
            for id in self.nodes_in(sheet, column, rows.0, rows.1) {
                let node = self.node(id);
                grown = (grown.0.min(node.first), grown.1.max(node.last));
            }
            if let Some(runs) = runs {
                for edge in [rows.0, rows.1] {
                    if let Some(run) = runs.run_at(edge) {
                        grown = (grown.0.min(run.first), grown.1.max(run.last));
                    }
                }
            }
            if grown == rows {
                break;
            }
            rows = grown;
        }
        let old: Vec<NodeId> = self.nodes_in(sheet, column, rows.0, rows.1).collect();
        let new = runs
            .into_iter()
            .flat_map(|runs| runs.iter_in(rows.0, rows.1))
            .map(|run| (run.first, run.last, run.value));
        let new = stretches(new, |template| TemplateAnalysis::new(template, sheet, column, workbook), column);
        // Nodes that are still what they were stay; both lists are in row order.
        let mut dirty: Vec<(u32, u32)> = Vec::new();
        let mut added: Vec<NodeId> = Vec::new();
        let mut old = old.into_iter().peekable();
        for stretch in new {
            while let Some(id) = old.next_if(|id| self.node(*id).first < stretch.first) {
                dirty.extend(self.remove(id).dirty.iter());
            }
            let same = old.next_if(|id| self.node(*id).first == stretch.first);
            if let Some(id) = same {
                let node = self.node(id);
                if node.last == stretch.last && node.formulas == stretch.formulas {
                    continue;
                }
                dirty.extend(self.remove(id).dirty.iter());
            }
            added.push(self.insert(sheet, column, stretch));
        }
        for id in old {
            dirty.extend(self.remove(id).dirty.iter());
        }
        if !dirty.is_empty() {
            for id in added {
                for (first, last) in &dirty {
                    self.mark_dirty(id, *first, *last, |_, _| {});
                }
            }
        }
        rows.1
    }

    pub fn clear(&mut self) {
        let deciding = std::mem::take(&mut self.deciding);
        *self = Graph { deciding, ..Graph::default() };
    }

    /// Whether formulas leave out hidden rows.
    pub fn ignores_hidden_rows(&self) -> bool {
        !self.leaving_out.is_empty()
    }

    /// Cells of the range whose formulas are subtotals, by column and from above.
    pub fn subtotals_in(&self, sheet: SheetId, range: Range) -> Vec<Range> {
        if self.leaving_out.is_empty() {
            return Vec::new();
        }
        let (left, right) = (range.first().column.get(), range.last().column.get());
        let nodes =
            self.leaving_out.range((sheet, left, 0)..=(sheet, right, u32::MAX)).map(|(_, id)| self.node(*id));
        let cells = |node: &Node| Range::from_indices(node.first, node.column, node.last, node.column);
        let subtotals = nodes.filter(|node| node.plan.is_subtotal).filter_map(cells);
        subtotals.filter_map(|cells| cells.intersection(range)).collect()
    }

    /// Tells by which columns the filters of a sheet hide rows; the formulas that leave hidden ones out depend on these.
    pub fn set_filter_dependencies(&mut self, sheet: SheetId, deciding: Vec<FilterDependency>) {
        if deciding_in(&self.deciding, sheet) == deciding {
            return;
        }
        match deciding.is_empty() {
            true => drop(self.deciding.remove(&sheet)),
            false => drop(self.deciding.insert(sheet, deciding)),
        }
        let ids: Vec<NodeId> = self.leaving_out.values().copied().collect();
        for id in ids {
            let mut node = self.nodes[id.0 as usize].take().expect("ids are dropped with their nodes");
            self.for_each_entry(&node, id, |index, first, last, edge| index.remove(first, last, edge));
            node.plan.judge(|sheet| deciding_in(&self.deciding, sheet), (node.first, node.last));
            node.self_direction = self_direction(&node);
            self.for_each_entry(&node, id, |index, first, last, edge| index.insert(first, last, edge));
            self.nodes[id.0 as usize] = Some(node);
        }
    }

    /// Rows are hidden that were shown, or the other way round: formulas that leave out hidden rows, and read these, are dirty.
    pub fn rows_hidden(&mut self, sheet: SheetId, (top, bottom): (u32, u32)) {
        let mut concerned: Vec<(NodeId, u32, u32)> = Vec::new();
        for id in self.leaving_out.values() {
            let node = self.node(*id);
            let own = node.plan.patterns[..node.plan.own].iter().filter(|pattern| pattern.sheet == sheet);
            let hosts = own.filter_map(|pattern| pattern.hosts_reading(top, bottom, (node.first, node.last)));
            concerned.extend(hosts.map(|(first, last)| (*id, first, last)));
        }
        for (id, first, last) in concerned {
            self.mark_dirty(id, first, last, |_, _| {});
        }
    }

    /// Takes all dirty rows out, as cells.
    pub fn take_dirty(&mut self) -> Vec<(SheetId, Range)> {
        let mut taken = Vec::new();
        for id in self.dirty_nodes() {
            let node = self.node(id);
            let (sheet, column) = (node.sheet, node.column);
            let spans: Vec<(u32, u32)> = node.dirty.iter().collect();
            for (first, last) in spans {
                let range = Range::from_indices(first, column, last, column);
                taken.push((sheet, range.expect("runs lie within the sheet")));
                self.mark_clean(id, first, last);
            }
        }
        taken
    }
}

fn deciding_in(deciding: &BTreeMap<SheetId, Vec<FilterDependency>>, sheet: SheetId) -> &[FilterDependency] {
    deciding.get(&sheet).map(Vec::as_slice).unwrap_or_default()
}

/// Where a run's formulas read the run itself; `None` when they do not.
fn self_direction(node: &Node) -> Option<Direction> {
    let mut found = None;
    for pattern in &node.plan.patterns {
        if pattern.sheet != node.sheet || !pattern.contains_column(node.column) {
            continue;
        }
        let Some((first, last)) = pattern.rows_of(node.first, node.last) else { continue };
        if last < node.first || first > node.last {
            continue;
        }
        let direction = pattern.direction((node.first, node.last));
        found = Some(match found {
            None => direction,
            Some(before) if before == direction => direction,
            Some(_) => Direction::Mixed,
        });
    }
    found
}
