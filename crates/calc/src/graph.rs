//! The dependency graph. Nodes are runs or batches of formulas; each reference is an entry in an
//! interval index by column and row.
//!
//! A node copies column, rows and templates from the workbook, so that an edit can find and replace
//! the nodes it affects without looking at others. Memory grows with runs and references, not with
//! cells (rule G1 in docs/engine.md).

use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{CellAddress, ROWS_MAX, Range, SheetId};
use quadrille_functions::Cancel;
use quadrille_workbook::{ImportSource, Workbook};

use crate::arithmetic_program::ArithmeticProgram;
use crate::compiled_lookup::CompiledLookup;
use crate::dynamic_dependencies::{DynamicDependencies, DynamicRead};
use crate::formula_batch::{Formulas, NodeFormulas, group_into_nodes};
use crate::hidden_rows::FilterDependency;
use crate::interval_index::{IntervalIndex, Key};
use crate::pivots::PivotFormula;
use crate::reference_pattern::Direction;
use crate::row_invariant::is_row_invariant;
use crate::row_set::RowSet;
use crate::running_totals::RunningTotals;
use crate::template_analysis::TemplateAnalysis;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct NodeId(pub u32);

/// A run or batch of formulas in one column.
#[derive(Debug)]
pub(crate) struct Node {
    pub sheet: SheetId,
    pub column: u32,
    pub first: u32,
    pub last: u32,
    pub formulas: Formulas,
    /// Whether the node is a pivot table, whose formula is its source.
    pub is_pivot: bool,
    pub analysis: TemplateAnalysis,
    /// For templates that are arithmetic over single cells.
    pub program: Option<ArithmeticProgram>,
    /// For templates that are a running total.
    pub running_totals: Option<RunningTotals>,
    /// Whether all formulas of the node have the same result.
    pub is_row_invariant: bool,
    /// For templates that are a lookup.
    pub lookup: Option<Box<CompiledLookup>>,
    /// For templates with references that only evaluation resolves.
    pub dynamic_reads: Option<Box<DynamicDependencies>>,
    /// For templates with functions that import: the sources by row.
    pub import_sources: Option<BTreeMap<u32, BTreeSet<ImportSource>>>,
    /// Rows whose values are out of date.
    pub dirty: RowSet,
    is_listed: bool,
    /// Direction in which the formulas read the node itself, if they do.
    pub self_direction: Option<Direction>,
    /// Scratch fields of the scheduler: position among the scheduled nodes, number of times that
    /// dirty rows were added, and whether the node reads cells that its own arrays fill.
    pub schedule_index: u32,
    pub dirty_pieces: u32,
    pub reads_own_array: bool,
}

/// An entry of the index: a node and the number of one of its references. Numbers beyond the node's
/// patterns denote dynamic reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Edge {
    pub node: NodeId,
    pub pattern: u32,
}

impl Key for Edge {
    const MIN: Edge = Edge { node: NodeId(0), pattern: 0 };
    const MAX: Edge = Edge { node: NodeId(u32::MAX), pattern: u32::MAX };
}

/// Wider references are stored once per sheet instead of once per column.
const COLUMNS_NARROW_MAX: u32 = 8;
/// Rows of a column that are synchronised between two cancellation checks: half a millisecond when
/// each has a formula of its own.
const SYNC_CHUNK_ROWS: u32 = 4_096;

#[derive(Debug, Default)]
pub(crate) struct Graph {
    nodes: Vec<Option<Node>>,
    free: Vec<NodeId>,
    /// Nodes by sheet and column, then by first row.
    by_column: BTreeMap<(SheetId, u32), BTreeMap<u32, NodeId>>,
    narrow: BTreeMap<(SheetId, u32), IntervalIndex<Edge>>,
    wide: BTreeMap<SheetId, IntervalIndex<Edge>>,
    pub volatile: BTreeSet<NodeId>,
    pub(crate) dynamic: BTreeSet<NodeId>,
    /// Nodes that ignore hidden rows, by sheet, column and first row.
    ignoring_hidden_rows: BTreeMap<(SheetId, u32, u32), NodeId>,
    /// Pivot tables by sheet and column, then by row.
    pivots: BTreeMap<(SheetId, u32), BTreeMap<u32, PivotFormula>>,
    /// The columns by which filters hide rows.
    filter_dependencies: BTreeMap<SheetId, Vec<FilterDependency>>,
    /// Nodes that were marked dirty since the last call of [`dirty_nodes`](Graph::dirty_nodes).
    listed: Vec<NodeId>,
    dirty_count: usize,
}

impl Graph {
    /// Returns a node. Panics when the id is stale.
    pub fn node(&self, id: NodeId) -> &Node {
        self.nodes[id.0 as usize].as_ref().expect("ids are dropped with their nodes")
    }

    /// Returns a node for writing. Panics when the id is stale.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        self.nodes[id.0 as usize].as_mut().expect("ids are dropped with their nodes")
    }

    /// Ids of all nodes in ascending order.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> {
        (0u32..).zip(&self.nodes).filter(|(_, node)| node.is_some()).map(|(index, _)| NodeId(index))
    }

    /// Returns the node that contains a cell.
    pub fn node_at(&self, sheet: SheetId, cell: CellAddress) -> Option<NodeId> {
        let column = self.by_column.get(&(sheet, cell.column.get()))?;
        let (_, id) = column.range(..=cell.row.get()).next_back()?;
        (self.node(*id).last >= cell.row.get()).then_some(*id)
    }

    /// Nodes of one column that intersect the rows `first..=last`, from top to bottom.
    pub fn nodes_in(
        &self,
        sheet: SheetId,
        column: u32,
        first: u32,
        last: u32,
    ) -> impl Iterator<Item = NodeId> {
        let nodes = self.by_column.get(&(sheet, column));
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
        self.by_column.range((sheet, left)..=(sheet, right)).map(|((_, column), _)| *column)
    }

    /// Whether no cell is dirty. O(1).
    pub fn is_clean(&self) -> bool {
        self.dirty_count == 0
    }

    /// Nodes with dirty rows, in ascending order of their ids.
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

    /// Number of dirty cells.
    pub fn dirty_cells(&mut self) -> u64 {
        let nodes = self.dirty_nodes();
        let rows = |id: NodeId| self.node(id).dirty.iter().map(|(first, last)| u64::from(last - first + 1));
        nodes.into_iter().flat_map(rows).sum()
    }

    /// The first dirty cell of `range`, column by column.
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

    /// Adds a node with its index entries. All its rows are clean.
    pub fn insert(&mut self, sheet: SheetId, column: u32, group: NodeFormulas) -> NodeId {
        let NodeFormulas { first, last, formulas, is_pivot, mut analysis } = group;
        if analysis.ignores_hidden_rows {
            analysis.resolve_filter_dependencies(
                |sheet| filter_dependencies_of(&self.filter_dependencies, sheet),
                (first, last),
            );
        }
        let template = match &formulas {
            Formulas::Run(template) if !is_pivot => Some(template),
            Formulas::Run(_) | Formulas::Batch(_) => None,
        };
        let program = template.and_then(ArithmeticProgram::compile);
        let lookup = template.and_then(CompiledLookup::compile).map(Box::new);
        let running_totals = template.and_then(RunningTotals::compile);
        let is_row_invariant = template.is_some_and(|template| is_row_invariant(template, &analysis));
        let mut node = Node {
            sheet,
            column,
            first,
            last,
            formulas,
            is_pivot,
            analysis,
            program,
            running_totals,
            is_row_invariant,
            lookup,
            dynamic_reads: None,
            import_sources: None,
            dirty: RowSet::default(),
            is_listed: false,
            self_direction: None,
            schedule_index: 0,
            dirty_pieces: 0,
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
        if node.analysis.volatile {
            self.volatile.insert(id);
        }
        if node.analysis.dynamic {
            self.dynamic.insert(id);
        }
        if node.analysis.ignores_hidden_rows {
            self.ignoring_hidden_rows.insert((sheet, column, first), id);
        }
        self.by_column.entry((sheet, column)).or_default().insert(first, id);
        self.nodes[id.0 as usize] = Some(node);
        id
    }

    /// Removes a node and its index entries.
    pub fn remove(&mut self, id: NodeId) -> Node {
        let node = self.nodes[id.0 as usize].take().expect("ids are dropped with their nodes");
        self.for_each_entry(&node, id, |index, first, last, edge| index.remove(first, last, edge));
        if let Some(column) = self.by_column.get_mut(&(node.sheet, node.column)) {
            column.remove(&node.first);
            if column.is_empty() {
                self.by_column.remove(&(node.sheet, node.column));
            }
        }
        self.volatile.remove(&id);
        self.dynamic.remove(&id);
        if node.analysis.ignores_hidden_rows {
            self.ignoring_hidden_rows.remove(&(node.sheet, node.column, node.first));
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
        for (number, pattern) in (0u32..).zip(&node.analysis.patterns) {
            let Some((first, last)) = pattern.rows_of(node.first, node.last) else { continue };
            let edge = Edge { node: id, pattern: number };
            self.for_each_index(pattern.sheet, pattern.columns, &mut |index| {
                change(index, first, last, edge)
            });
        }
        let found = node.dynamic_reads.iter().flat_map(|found| found.reads());
        for (number, read) in found {
            let edge = Edge { node: id, pattern: node.analysis.patterns.len() as u32 + number };
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

    /// Records the ranges that the formula in a row of a dynamic node has read; `None` when they
    /// are unknown.
    pub fn record_reads(&mut self, id: NodeId, row: u32, reads: Option<&[(SheetId, Range)]>) {
        let node = self.node_mut(id);
        let pattern_count = node.analysis.patterns.len() as u32;
        let found = node.dynamic_reads.get_or_insert_default();
        if reads.is_some_and(|reads| found.matches(row, reads)) {
            return;
        }
        let removed = found.remove(row);
        let recorded = reads.map(|reads| found.record(row, reads)).unwrap_or_default();
        for (number, read) in removed {
            self.index_read(Edge { node: id, pattern: pattern_count + number }, read, false);
        }
        for (number, read) in recorded {
            self.index_read(Edge { node: id, pattern: pattern_count + number }, read, true);
        }
    }

    fn index_read(&mut self, edge: Edge, DynamicRead { sheet, range, .. }: DynamicRead, is_inserted: bool) {
        let (first, last) = (range.first(), range.last());
        let rows = (first.row.get(), last.row.get());
        self.for_each_index(sheet, (first.column.get(), last.column.get()), &mut |index| match is_inserted {
            true => index.insert(rows.0, rows.1, edge),
            false => index.remove(rows.0, rows.1, edge),
        });
    }

    /// Dynamic nodes with at least one formula whose reads are not recorded.
    pub fn dynamic_with_unknown_reads(&self) -> Vec<NodeId> {
        let is_unknown = |id: &NodeId| {
            let node = self.node(*id);
            // Filter columns are not among the recorded reads.
            node.analysis.ignores_hidden_rows
                || !node.dynamic_reads.as_ref().is_some_and(|found| found.has_reads_of(node.first, node.last))
        };
        self.dynamic.iter().copied().filter(is_unknown).collect()
    }

    /// Forgets all recorded reads, because names or sheets may have another meaning now.
    pub fn forget_dynamic_reads(&mut self) {
        let dynamic: Vec<NodeId> = self.dynamic.iter().copied().collect();
        for id in dynamic {
            let node = self.node_mut(id);
            let (pattern_count, found) = (node.analysis.patterns.len() as u32, node.dynamic_reads.take());
            for (number, read) in found.iter().flat_map(|found| found.reads()) {
                self.index_read(Edge { node: id, pattern: pattern_count + number }, read, false);
            }
        }
    }

    /// Calls `found` with each reference that covers any cell of the range, together with the rows
    /// of its node for which it does.
    pub fn dependents(&self, sheet: SheetId, range: Range, mut found: impl FnMut(Edge, u32, u32)) {
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        let (left, right) = (range.first().column.get(), range.last().column.get());
        let mut report = |edge: Edge| {
            let node = self.node(edge.node);
            let Some(pattern) = node.analysis.patterns.get(edge.pattern as usize) else {
                let number = edge.pattern - node.analysis.patterns.len() as u32;
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

    /// The references that [`Self::dependents`] finds.
    pub fn dependents_of(&self, sheet: SheetId, range: Range) -> Vec<(Edge, u32, u32)> {
        let mut dependents = Vec::new();
        self.dependents(sheet, range, |edge, first, last| dependents.push((edge, first, last)));
        dependents
    }

    /// Marks rows of a node dirty, clipped to the node; calls `added` with those that were clean.
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

    /// Marks all rows of a node dirty.
    pub fn mark_all_dirty(&mut self, id: NodeId) {
        let node = self.node(id);
        let (first, last) = (node.first, node.last);
        self.mark_dirty(id, first, last, |_, _| {});
    }

    /// Marks rows of a node clean.
    pub fn mark_clean(&mut self, id: NodeId, first: u32, last: u32) {
        let node = self.nodes[id.0 as usize].as_mut().expect("ids are dropped with their nodes");
        let was_dirty = !node.dirty.is_empty();
        node.dirty.remove(first, last);
        self.dirty_count -= usize::from(was_dirty && node.dirty.is_empty());
    }

    /// Replaces the nodes that intersect `range` by nodes for the workbook's current runs. Dirty
    /// rows stay dirty. Returns `false` when cancelled after some of the columns; calling it again
    /// passes over nodes that already match.
    pub fn sync(&mut self, workbook: &Workbook, sheet: SheetId, range: Range, cancel: &Cancel) -> bool {
        let found = workbook.sheet(sheet);
        let mut columns: Vec<u32> = self.columns_in(sheet, range).collect();
        if let Some(found) = found {
            let with_formulas = found.columns_in(range).filter(|(_, column)| !column.formulas().is_empty());
            columns.extend(with_formulas.map(|(index, _)| index.get()));
            let (left, right) = (range.first().column.get(), range.last().column.get());
            columns.extend(self.pivots.range((sheet, left)..=(sheet, right)).map(|((_, column), _)| *column));
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
                let last = bottom.min(first.saturating_add(SYNC_CHUNK_ROWS - 1));
                let done = self.sync_column(workbook, sheet, column, (first, last));
                next = self.next_formula(workbook, sheet, column, done + 1);
            }
        }
        true
    }

    /// The first row from `first` on that has a formula in the graph or in the workbook.
    fn next_formula(&self, workbook: &Workbook, sheet: SheetId, column: u32, first: u32) -> Option<u32> {
        let last = ROWS_MAX - 1;
        let nodes = self.by_column.get(&(sheet, column));
        let from_graph = nodes.and_then(|nodes| nodes.range(first..).next()).map(|(row, _)| *row);
        let found = workbook.sheet(sheet)?.column(quadrille_cell::ColumnIndex::clamped(column));
        let from_workbook =
            found.filter(|_| first <= last).and_then(|found| found.formulas().iter_in(first, last).next());
        let pivots = self.pivots.get(&(sheet, column));
        let from_pivots = pivots.and_then(|pivots| pivots.range(first..).next()).map(|(row, _)| *row);
        from_graph.into_iter().chain(from_workbook.map(|run| run.first)).chain(from_pivots).min()
    }

    /// Synchronises whole runs and returns the last row that they cover.
    fn sync_column(&mut self, workbook: &Workbook, sheet: SheetId, column: u32, rows: (u32, u32)) -> u32 {
        let runs = workbook
            .sheet(sheet)
            .and_then(|sheet| sheet.column(quadrille_cell::ColumnIndex::clamped(column)))
            .map(|column| column.formulas());
        // Runs merge with adjacent runs and split, so the rows grow until runs and nodes end at the
        // same rows.
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
        let pivots = self.pivot_nodes(workbook, sheet, column, rows);
        let new = runs
            .into_iter()
            .flat_map(|runs| runs.iter_in(rows.0, rows.1))
            .map(|run| (run.first, run.last, run.value));
        let mut new = group_into_nodes(
            new,
            |template| TemplateAnalysis::new(template, sheet, column, workbook),
            column,
        );
        if !pivots.is_empty() {
            new.extend(pivots);
            quadrille_cell::stable_sort_by_key(&mut new, |group| group.first);
        }
        // Nodes that have not changed stay; both lists are in row order.
        let mut dirty: Vec<(u32, u32)> = Vec::new();
        let mut added: Vec<NodeId> = Vec::new();
        let mut old = old.into_iter().peekable();
        for group in new {
            while let Some(id) = old.next_if(|id| self.node(*id).first < group.first) {
                dirty.extend(self.remove(id).dirty.iter());
            }
            let same = old.next_if(|id| self.node(*id).first == group.first);
            if let Some(id) = same {
                let node = self.node(id);
                let is_same_kind = node.is_pivot == group.is_pivot;
                if node.last == group.last && is_same_kind && node.formulas == group.formulas {
                    continue;
                }
                dirty.extend(self.remove(id).dirty.iter());
            }
            added.push(self.insert(sheet, column, group));
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

    /// Sets the pivot tables of a sheet by their anchors. Nodes follow when their cells are
    /// synchronised.
    pub fn set_pivots(&mut self, sheet: SheetId, formulas: Vec<(CellAddress, PivotFormula)>) {
        self.pivots.retain(|(other, _), _| *other != sheet);
        for (anchor, formula) in formulas {
            let column = self.pivots.entry((sheet, anchor.column.get())).or_default();
            column.insert(anchor.row.get(), formula);
        }
    }

    /// Nodes for the pivot tables of a column whose anchors hold no formula.
    fn pivot_nodes(
        &self,
        workbook: &Workbook,
        sheet: SheetId,
        column: u32,
        (first, last): (u32, u32),
    ) -> Vec<NodeFormulas> {
        let (Some(pivots), Some(found)) = (self.pivots.get(&(sheet, column)), workbook.sheet(sheet)) else {
            return Vec::new();
        };
        let without_formula = pivots
            .range(first..=last)
            .filter(|(row, _)| found.formula(CellAddress::clamped(**row, column)).is_none());
        without_formula
            .map(|(row, PivotFormula { template, .. })| NodeFormulas {
                first: *row,
                last: *row,
                formulas: Formulas::Run(template.clone()),
                is_pivot: true,
                analysis: TemplateAnalysis::new(template, sheet, column, workbook),
            })
            .collect()
    }

    /// Removes all nodes; the filter columns and the pivot tables stay.
    pub fn clear(&mut self) {
        let filter_dependencies = std::mem::take(&mut self.filter_dependencies);
        let pivots = std::mem::take(&mut self.pivots);
        *self = Graph { filter_dependencies, pivots, ..Graph::default() };
    }

    /// Whether some formula ignores hidden rows.
    pub fn has_formulas_ignoring_hidden_rows(&self) -> bool {
        !self.ignoring_hidden_rows.is_empty()
    }

    /// Cells of the range whose formulas are subtotals, by column and from top to bottom.
    pub fn subtotals_in(&self, sheet: SheetId, range: Range) -> Vec<Range> {
        if self.ignoring_hidden_rows.is_empty() {
            return Vec::new();
        }
        let (left, right) = (range.first().column.get(), range.last().column.get());
        let nodes = self
            .ignoring_hidden_rows
            .range((sheet, left, 0)..=(sheet, right, u32::MAX))
            .map(|(_, id)| self.node(*id));
        let cells = |node: &Node| Range::from_indices(node.first, node.column, node.last, node.column);
        let subtotals = nodes.filter(|node| node.analysis.is_subtotal).filter_map(cells);
        subtotals.filter_map(|cells| cells.intersection(range)).collect()
    }

    /// Sets the columns by which the filters of a sheet hide rows. Formulas that ignore hidden rows
    /// depend on them.
    pub fn set_filter_dependencies(&mut self, sheet: SheetId, filter_dependencies: Vec<FilterDependency>) {
        if filter_dependencies_of(&self.filter_dependencies, sheet) == filter_dependencies {
            return;
        }
        match filter_dependencies.is_empty() {
            true => drop(self.filter_dependencies.remove(&sheet)),
            false => drop(self.filter_dependencies.insert(sheet, filter_dependencies)),
        }
        let ids: Vec<NodeId> = self.ignoring_hidden_rows.values().copied().collect();
        for id in ids {
            let mut node = self.nodes[id.0 as usize].take().expect("ids are dropped with their nodes");
            self.for_each_entry(&node, id, |index, first, last, edge| index.remove(first, last, edge));
            node.analysis.resolve_filter_dependencies(
                |sheet| filter_dependencies_of(&self.filter_dependencies, sheet),
                (node.first, node.last),
            );
            node.self_direction = self_direction(&node);
            self.for_each_entry(&node, id, |index, first, last, edge| index.insert(first, last, edge));
            self.nodes[id.0 as usize] = Some(node);
        }
    }

    /// Marks the formulas dirty that ignore hidden rows and read the rows `top..=bottom`, whose
    /// visibility has changed.
    pub fn rows_hidden(&mut self, sheet: SheetId, (top, bottom): (u32, u32)) {
        let mut affected: Vec<(NodeId, u32, u32)> = Vec::new();
        for id in self.ignoring_hidden_rows.values() {
            let node = self.node(*id);
            let own = node.analysis.patterns[..node.analysis.reference_count]
                .iter()
                .filter(|pattern| pattern.sheet == sheet);
            let hosts = own.filter_map(|pattern| pattern.hosts_reading(top, bottom, (node.first, node.last)));
            affected.extend(hosts.map(|(first, last)| (*id, first, last)));
        }
        for (id, first, last) in affected {
            self.mark_dirty(id, first, last, |_, _| {});
        }
    }

    /// Marks all cells clean and returns those that were dirty.
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

fn filter_dependencies_of(
    filter_dependencies: &BTreeMap<SheetId, Vec<FilterDependency>>,
    sheet: SheetId,
) -> &[FilterDependency] {
    filter_dependencies.get(&sheet).map(Vec::as_slice).unwrap_or_default()
}

/// Direction in which the formulas of a node read the node itself; `None` when they do not.
fn self_direction(node: &Node) -> Option<Direction> {
    let mut found = None;
    for pattern in &node.analysis.patterns {
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
