//! One axis of a pivot table: its groups as a tree, in the order in which they are shown, and the
//! totals of every pair of a row group with a column group.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use quadrille_cell::Value;

use crate::accumulator::Accumulator;
use crate::calculation::Calculator;
use crate::definition::{Definition, Function, GroupField};
use crate::dictionary::Dictionary;
use crate::groups::{Combinations, Groups};
use crate::hasher::FastMap;

/// The node of the grand total, which contains all groups.
pub(crate) const ROOT: usize = 0;

/// A group of an axis: rows with the same values of the first `depth` fields.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub parent: usize,
    /// 0 for the root.
    pub depth: usize,
    /// Code of the value of field `depth - 1`.
    pub code: u32,
    /// In the order in which they are shown.
    pub children: Vec<usize>,
}

/// The groups of one axis. Nodes are numbered in the order of their labels, parents first, so that
/// totals are added up in an order that depends on the values alone.
#[derive(Debug)]
pub(crate) struct Axis {
    pub nodes: Vec<Node>,
    /// The node of each combination of all fields.
    leaves: FastMap<u32, usize>,
}

impl Axis {
    /// The tree of the combinations `present`. `dictionaries` are those of `fields`.
    pub fn new(
        combinations: &Combinations,
        mut present: Vec<u32>,
        fields: &[GroupField],
        dictionaries: &[Dictionary],
    ) -> Axis {
        let ranks: Vec<Vec<u32>> = dictionaries.iter().map(Dictionary::ranks).collect();
        present.sort();
        present.dedup();
        let mut keys: Vec<(Vec<u32>, u32)> = present
            .into_iter()
            .map(|number| {
                let codes = combinations.codes(number).into_iter().enumerate();
                let rank = |(field, code): (usize, u32)| {
                    let rank = ranks[field][code as usize];
                    if fields[field].is_descending { u32::MAX - rank } else { rank }
                };
                (codes.map(rank).collect(), number)
            })
            .collect();
        quadrille_cell::stable_sort_by(&mut keys, &mut Ord::cmp);
        let root = Node { parent: ROOT, depth: 0, code: 0, children: Vec::new() };
        let mut axis = Axis { nodes: vec![root], leaves: FastMap::default() };
        let mut path = vec![ROOT];
        for (_, number) in keys {
            let codes = combinations.codes(number);
            let is_on_path = |(depth, code): (usize, &u32)| {
                path.get(depth + 1).is_some_and(|node| axis.nodes[*node].code == *code)
            };
            let shared = codes.iter().enumerate().take_while(|part| is_on_path(*part)).count();
            path.truncate(shared + 1);
            for code in &codes[shared..] {
                let parent = path[path.len() - 1];
                let node = axis.nodes.len();
                axis.nodes.push(Node { parent, depth: path.len(), code: *code, children: Vec::new() });
                axis.nodes[parent].children.push(node);
                path.push(node);
            }
            axis.leaves.insert(number, path[path.len() - 1]);
        }
        axis
    }

    /// The node of a combination, and those that contain it, up to the root. `None` when one of
    /// them is not shown.
    fn path(&self, number: u32) -> Option<Vec<usize>> {
        let mut node = *self.leaves.get(&number)?;
        let mut path = vec![node];
        while node != ROOT {
            node = self.nodes[node].parent;
            path.push(node);
        }
        Some(path)
    }

    /// The codes of the values of a group, outermost field first.
    pub fn codes(&self, mut node: usize) -> Vec<u32> {
        let mut codes = Vec::new();
        while node != ROOT {
            codes.push(self.nodes[node].code);
            node = self.nodes[node].parent;
        }
        codes.reverse();
        codes
    }

    /// Orders the groups of each field by its value field if it has one.
    fn order_by_totals(&mut self, fields: &[GroupField], totals: &dyn Fn(usize, usize) -> Option<Value>) {
        for node in 0..self.nodes.len() {
            let Some(field) = fields.get(self.nodes[node].depth) else { continue };
            let Some(value) = field.sorted_by else { continue };
            let mut children = std::mem::take(&mut self.nodes[node].children);
            quadrille_cell::stable_sort_by(&mut children, &mut |a, b| {
                let order = compare_totals(totals(*a, value), totals(*b, value));
                if field.is_descending { order.reverse() } else { order }
            });
            self.nodes[node].children = children;
        }
    }

    /// Removes the groups of the field at `depth` that are not among its top ones. Returns whether
    /// some were removed.
    fn keep_top(
        &mut self,
        depth: usize,
        field: &GroupField,
        totals: &dyn Fn(usize, usize) -> Option<Value>,
    ) -> bool {
        let Some(top) = field.top else { return false };
        let mut removed: Vec<usize> = Vec::new();
        for node in 0..self.nodes.len() {
            if self.nodes[node].depth != depth || self.nodes[node].children.len() <= top.count {
                continue;
            }
            let order = |a: &usize, b: &usize| {
                let order = compare_totals(totals(*a, top.value), totals(*b, top.value));
                if top.is_smallest { order } else { order.reverse() }
            };
            let mut ranked = self.nodes[node].children.clone();
            quadrille_cell::stable_sort_by(&mut ranked, &mut { order });
            let Some(last) = top.count.checked_sub(1).map(|last| ranked[last]) else { continue };
            let is_kept = |child: &usize| order(child, &last).is_le();
            let children = std::mem::take(&mut self.nodes[node].children);
            removed.extend(children.iter().filter(|child| !is_kept(child)));
            self.nodes[node].children = children.into_iter().filter(is_kept).collect();
        }
        if removed.is_empty() {
            return false;
        }
        // Parents precede their children, so one pass finds all nodes below.
        let mut is_removed = vec![false; self.nodes.len()];
        for node in removed {
            is_removed[node] = true;
        }
        for node in 1..self.nodes.len() {
            is_removed[node] |= is_removed[self.nodes[node].parent];
        }
        self.leaves.retain(|_, node| !is_removed[*node]);
        true
    }
}

/// Numbers ascending, then everything else.
fn compare_totals(a: Option<Value>, b: Option<Value>) -> Ordering {
    let key = |value: Option<Value>| match value {
        Some(Value::Number(number)) => (0, number),
        _ => (1, 0.0),
    };
    let (a, b) = (key(a), key(b));
    a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
}

/// The aggregates of every pair of a row node and a column node that have source rows in common.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    positions: FastMap<u64, u32>,
    /// One accumulator per aggregated column at each position.
    accumulators: Vec<Accumulator>,
    /// Number of aggregated columns.
    width: usize,
    /// The results of calculated fields by field and position.
    calculated: BTreeMap<usize, Vec<Value>>,
}

impl Totals {
    /// Adds up the groups that are shown. `accumulators` has one list per value field, by group.
    fn add_up(rows: &Axis, columns: &Axis, groups: &Groups, accumulators: &[Vec<Accumulator>]) -> Totals {
        let mut shown: Vec<(Vec<usize>, Vec<usize>, usize)> = Vec::new();
        for (group, count) in groups.row_counts.iter().enumerate() {
            let (row, column) = groups.combinations_of(group as u32);
            if *count > 0
                && let (Some(row), Some(column)) = (rows.path(row), columns.path(column))
            {
                shown.push((row, column, group));
            }
        }
        quadrille_cell::stable_sort_by_key(&mut shown, |(row, column, _)| (row[0], column[0]));
        let mut totals = Totals { width: accumulators.len(), ..Totals::default() };
        for (row, column, group) in shown {
            for row in &row {
                for column in &column {
                    totals.add(*row, *column, group, accumulators);
                }
            }
        }
        totals
    }

    fn add(&mut self, row: usize, column: usize, group: usize, accumulators: &[Vec<Accumulator>]) {
        let next = self.positions.len() as u32;
        let position = *self.positions.entry(key(row, column)).or_insert(next);
        if position == next {
            self.accumulators.extend(accumulators.iter().map(|of_field| of_field[group].clone()));
            return;
        }
        let start = position as usize * self.width;
        for (value, of_field) in accumulators.iter().enumerate() {
            self.accumulators[start + value].merge(&of_field[group]);
        }
    }

    /// Calculates all calculated fields.
    fn calculate(&mut self, definition: &Definition, calculator: &mut Calculator) {
        for (field, calculation, operands) in definition.calculations() {
            let count = self.positions.len();
            let results = (0..count).map(|position| {
                let at =
                    |operand: &usize| self.accumulators[position * self.width + operand].value(Function::Sum);
                let sums: Vec<Value> = operands.iter().map(at).collect();
                calculator.result(field, calculation, &sums)
            });
            let results = results.collect();
            self.calculated.insert(field, results);
        }
    }

    /// The aggregate of a value field; `None` when the pair has no source rows.
    pub fn get(&self, row: usize, column: usize, value: usize, definition: &Definition) -> Option<Value> {
        let position = *self.positions.get(&key(row, column))? as usize;
        if definition.values[value].calculation.is_some() {
            return self.calculated.get(&value)?.get(position).cloned();
        }
        Some(self.accumulators[position * self.width + value].value(definition.values[value].function))
    }
}

fn key(row: usize, column: usize) -> u64 {
    (row as u64) << 32 | column as u64
}

/// Both axes in the order in which they are shown, without the groups that are not among the top
/// ones, and the totals of what is left.
pub(crate) fn axes_of(
    definition: &Definition,
    groups: &Groups,
    accumulators: &[Vec<Accumulator>],
    calculator: &mut Calculator,
) -> (Axis, Axis, Totals) {
    let present = |axis: fn((u32, u32)) -> u32| {
        let counts = (0u32..).zip(&groups.row_counts).filter(|(_, count)| **count > 0);
        counts.map(|(group, _)| axis(groups.combinations_of(group))).collect::<Vec<u32>>()
    };
    let (row_dictionaries, others) = groups.dictionaries.split_at(definition.rows.len());
    let column_dictionaries = &others[..definition.columns.len()];
    let mut rows = Axis::new(&groups.rows, present(|pair| pair.0), &definition.rows, row_dictionaries);
    let mut columns =
        Axis::new(&groups.columns, present(|pair| pair.1), &definition.columns, column_dictionaries);
    let mut add_up = |rows: &Axis, columns: &Axis| {
        let mut totals = Totals::add_up(rows, columns, groups, accumulators);
        totals.calculate(definition, calculator);
        totals
    };
    let mut totals = add_up(&rows, &columns);
    let width = definition.values.len();
    for (depth, field) in definition.rows.iter().enumerate() {
        let of_row = |node: usize, value: usize| totals.get(node, ROOT, value.min(width - 1), definition);
        if width > 0 && rows.keep_top(depth, field, &of_row) {
            totals = add_up(&rows, &columns);
        }
    }
    for (depth, field) in definition.columns.iter().enumerate() {
        let of_column = |node: usize, value: usize| totals.get(ROOT, node, value.min(width - 1), definition);
        if width > 0 && columns.keep_top(depth, field, &of_column) {
            totals = add_up(&rows, &columns);
        }
    }
    if width > 0 {
        let of_row = |node: usize, value: usize| totals.get(node, ROOT, value.min(width - 1), definition);
        rows.order_by_totals(&definition.rows, &of_row);
        let of_column = |node: usize, value: usize| totals.get(ROOT, node, value.min(width - 1), definition);
        columns.order_by_totals(&definition.columns, &of_column);
    }
    (rows, columns, totals)
}
