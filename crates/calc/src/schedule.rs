//! Dirty propagation and evaluation order.
//!
//! Dirty ranges spread from each changed range to the rows that read it, and on from those. The
//! dirty nodes are then ordered so that precedents come before dependents. Nodes that read one
//! another, or themselves, form a component.

use std::collections::VecDeque;

use quadrille_cell::{Range, SheetId};

use crate::graph::{Edge, Graph, NodeId};
use crate::reference_pattern::Direction;
use crate::spill::Spills;

/// Nodes that are evaluated together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Component {
    /// A node whose formulas do not read one another.
    Run(NodeId),
    /// A node whose formulas read only results above themselves.
    Downwards(NodeId),
    /// A node whose formulas read only results below themselves.
    Upwards(NodeId),
    /// Nodes whose cells are evaluated on demand, in the order in which they need one another.
    OnDemand(Vec<NodeId>),
}

/// A changed range from which dirty ranges spread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Seed {
    pub sheet: SheetId,
    pub range: Range,
    /// References along which the change has been propagated already, sorted.
    pub handled_edges: Vec<Edge>,
}

impl Seed {
    /// A change that has not been propagated along any reference.
    pub fn new(sheet: SheetId, range: Range) -> Seed {
        Seed { sheet, range, handled_edges: Vec::new() }
    }
}

/// A node that other nodes have dirtied in more pieces than this becomes dirty as a whole.
const PIECES_MAX: u32 = 256;

/// Marks everything dirty that depends on `seeds` or on a dirty cell, and orders the dirty nodes.
pub(crate) fn schedule(graph: &mut Graph, spills: &Spills, seeds: &[Seed]) -> VecDeque<Component> {
    schedule_dirty(graph, spills, seeds, true)
}

/// Orders the dirty nodes without propagation. Every dependent of a dirty cell must be dirty
/// already, or evaluated as part of the same circular reference.
pub(crate) fn order(graph: &mut Graph, spills: &Spills) -> VecDeque<Component> {
    schedule_dirty(graph, spills, &[], false)
}

fn schedule_dirty(
    graph: &mut Graph,
    spills: &Spills,
    seeds: &[Seed],
    marks_dirty: bool,
) -> VecDeque<Component> {
    let mut propagation = DirtyPropagation { marks_dirty, ..DirtyPropagation::default() };
    for id in graph.dirty_nodes() {
        propagation.enter(graph, id);
        for (first, last) in graph.node(id).dirty.iter() {
            propagation.push(graph, spills, id, first, last);
        }
    }
    for seed in seeds {
        propagation.propagate_from(graph, spills, None, seed.sheet, seed.range, &seed.handled_edges);
    }
    while let Some(dirtied) = propagation.queue.pop_front() {
        propagation.propagate_from(graph, spills, Some(&dirtied), dirtied.sheet, dirtied.range, &[]);
    }
    let nodes = propagation.nodes;
    let mut schedule = VecDeque::new();
    let mut component = |indices: &[u32]| {
        schedule.push_back(match *indices {
            [index] => component_of_one(graph, nodes[index as usize]),
            _ => Component::OnDemand(indices.iter().map(|index| nodes[*index as usize]).collect()),
        });
    };
    match nodes.len() {
        0 => {}
        1 => component(&[0]),
        count => components(count, &propagation.edges, component),
    }
    schedule
}

/// Cells whose values change with a node.
struct DirtyNode {
    node: NodeId,
    sheet: SheetId,
    range: Range,
    /// The cells are filled by the node's arrays and are not its formulas.
    spilled: bool,
}

#[derive(Default)]
struct DirtyPropagation {
    /// Whether reached rows become dirty; otherwise rows that are clean are skipped.
    marks_dirty: bool,
    /// Ranges that became dirty and are not propagated yet.
    queue: VecDeque<DirtyNode>,
    /// Dirty nodes; a node's `schedule_index` is its position here.
    nodes: Vec<NodeId>,
    /// Edges from precedent to dependent, by schedule index.
    edges: Vec<(u32, u32)>,
    /// Buffers that are reused to save allocations.
    reached: Vec<(NodeId, u32, u32)>,
    added: Vec<(u32, u32)>,
}

impl DirtyPropagation {
    fn enter(&mut self, graph: &mut Graph, id: NodeId) -> u32 {
        let node = graph.node_mut(id);
        let is_entered = self.nodes.get(node.schedule_index as usize) == Some(&id);
        if !is_entered {
            node.schedule_index = self.nodes.len() as u32;
            node.dirty_pieces = 0;
            node.reads_own_array = false;
            self.nodes.push(id);
        }
        node.schedule_index
    }

    fn push(&mut self, graph: &Graph, spills: &Spills, id: NodeId, first: u32, last: u32) {
        let node = graph.node(id);
        let rows = Range::from_indices(first, node.column, last, node.column);
        let rows = rows.expect("runs lie within the sheet");
        self.queue.push_back(DirtyNode { node: id, sheet: node.sheet, range: rows, spilled: false });
        for range in spills.areas_of(node.sheet, rows) {
            self.queue.push_back(DirtyNode { node: id, sheet: node.sheet, range, spilled: true });
        }
    }

    /// Propagates from a range to the formulas that read it.
    fn propagate_from(
        &mut self,
        graph: &mut Graph,
        spills: &Spills,
        source: Option<&DirtyNode>,
        sheet: SheetId,
        range: Range,
        handled_edges: &[Edge],
    ) {
        let mut reached = std::mem::take(&mut self.reached);
        graph.dependents(sheet, range, |edge, first, last| {
            if handled_edges.binary_search(&edge).is_err() {
                reached.push((edge.node, first, last));
            }
        });
        for (id, mut first, mut last) in reached.drain(..) {
            if !self.marks_dirty && graph.node(id).dirty.first_in(first, last).is_none() {
                continue;
            }
            let index = self.enter(graph, id);
            if let Some(source) = source {
                let node = graph.node_mut(id);
                if source.node == id {
                    node.reads_own_array |= source.spilled;
                    // Results depend on the results before them, so all the following are dirty.
                    match node.self_direction {
                        Some(Direction::Above) => last = node.last,
                        Some(Direction::Below) => first = node.first,
                        _ => (first, last) = (node.first, node.last),
                    }
                } else {
                    node.dirty_pieces += 1;
                    if node.dirty_pieces > PIECES_MAX {
                        (first, last) = (node.first, node.last);
                    }
                    let source = graph.node(source.node).schedule_index;
                    if self.edges.last() != Some(&(source, index)) {
                        self.edges.push((source, index));
                    }
                }
            }
            if !self.marks_dirty {
                continue;
            }
            let mut added = std::mem::take(&mut self.added);
            graph.mark_dirty(id, first, last, |first, last| added.push((first, last)));
            for (first, last) in added.drain(..) {
                self.push(graph, spills, id, first, last);
            }
            self.added = added;
        }
        self.reached = reached;
    }
}

fn component_of_one(graph: &Graph, id: NodeId) -> Component {
    let node = graph.node(id);
    // Cells that only evaluation finds may be dirty, so these cells check before they read.
    if node.analysis.dynamic || node.reads_own_array {
        return Component::OnDemand(vec![id]);
    }
    match node.self_direction {
        None => Component::Run(id),
        Some(Direction::Above) => Component::Downwards(id),
        Some(Direction::Below) => Component::Upwards(id),
        Some(Direction::Mixed) => Component::OnDemand(vec![id]),
    }
}

/// Calls `found` with the strongly connected components in topological order (Tarjan's algorithm
/// without recursion).
fn components(count: usize, edges: &[(u32, u32)], mut found: impl FnMut(&[u32])) {
    const UNVISITED: u32 = u32::MAX;
    // Edges grouped by source.
    let mut starts = vec![0u32; count + 1];
    for (source, _) in edges {
        starts[*source as usize + 1] += 1;
    }
    for index in 0..count {
        starts[index + 1] += starts[index];
    }
    let mut fill = starts.clone();
    let mut targets = vec![0u32; edges.len()];
    for (source, target) in edges {
        targets[fill[*source as usize] as usize] = *target;
        fill[*source as usize] += 1;
    }

    // Members of all components in a row, and the start of each. The algorithm finds the last
    // component first.
    let mut members: Vec<u32> = Vec::with_capacity(count);
    let mut begins: Vec<usize> = Vec::with_capacity(count);
    let mut order = vec![UNVISITED; count];
    let mut low = vec![0u32; count];
    let mut on_stack = vec![false; count];
    let mut stack: Vec<u32> = Vec::new();
    let mut path: Vec<(u32, u32)> = Vec::new();
    let mut next = 0;
    for root in 0..count as u32 {
        if order[root as usize] != UNVISITED {
            continue;
        }
        path.push((root, starts[root as usize]));
        while let Some((node, edge)) = path.last_mut() {
            let at = *node as usize;
            if order[at] == UNVISITED {
                order[at] = next;
                low[at] = next;
                next += 1;
                stack.push(*node);
                on_stack[at] = true;
            }
            if *edge < starts[at + 1] {
                let target = targets[*edge as usize];
                *edge += 1;
                if order[target as usize] == UNVISITED {
                    path.push((target, starts[target as usize]));
                } else if on_stack[target as usize] {
                    low[at] = low[at].min(order[target as usize]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent as usize] = low[*parent as usize].min(low[at]);
            }
            if low[at] == order[at] {
                let begin = members.len();
                while let Some(member) = stack.pop() {
                    on_stack[member as usize] = false;
                    members.push(member);
                    if member as usize == at {
                        break;
                    }
                }
                members[begin..].sort();
                begins.push(begin);
            }
        }
    }
    let mut end = members.len();
    for begin in begins.into_iter().rev() {
        found(&members[begin..end]);
        end = begin;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_precede_their_dependents() {
        let edges = [(0, 1), (1, 2), (2, 1), (2, 3), (4, 0), (3, 5)];
        let mut found = Vec::new();
        components(6, &edges, |component| found.push(component.to_vec()));
        assert_eq!(found, [vec![4], vec![0], vec![1, 2], vec![3], vec![5]]);
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let edges: Vec<(u32, u32)> = (0..1_000_000).map(|index| (index, index + 1)).collect();
        let mut found = Vec::new();
        components(1_000_001, &edges, |component| found.extend_from_slice(component));
        assert!(found.into_iter().eq(0..=1_000_000));
    }
}
