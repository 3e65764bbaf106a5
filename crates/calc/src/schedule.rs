//! In which order dirty runs are evaluated.
//!
//! First dirty ranges spreads: from a changed range to the rows of the runs that read it, from those on. Then the runs are
//! ordered so that what is read comes before what reads it. Runs that read one another, or themselves, form a
//! component.

use std::collections::VecDeque;

use quadrille_cell::{Range, SheetId};

use crate::graph::{Edge, Graph, NodeId};
use crate::reference_pattern::Direction;
use crate::spill::Spills;

/// What is evaluated together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Component {
    /// A run whose formulas do not read one another.
    Run(NodeId),
    /// A run whose formulas read only results above them.
    Downwards(NodeId),
    /// A run whose formulas read only results below them.
    Upwards(NodeId),
    /// Runs whose cells have to find their order one by one.
    Tangle(Vec<NodeId>),
}

/// Cells that changed, from which dirty ranges starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Seed {
    pub sheet: SheetId,
    pub range: Range,
    /// References along which it has spread already, as far as it does; in order.
    pub dealt_with: Vec<Edge>,
}

impl Seed {
    pub fn new(sheet: SheetId, range: Range) -> Seed {
        Seed { sheet, range, dealt_with: Vec::new() }
    }
}

/// When one run has been dirtied in more pieces than this by other runs, all of it is.
const PIECES_MAX: u32 = 256;

/// Marks everything dirty that depends on `seeds` or on what is dirty already, and orders it.
pub(crate) fn schedule(graph: &mut Graph, spills: &Spills, seeds: &[Seed]) -> VecDeque<Component> {
    ordered(graph, spills, seeds, true)
}

/// Orders what is dirty. Everything that depends on it has to be dirty already, or to have been calculated as part of the
/// same circular reference.
pub(crate) fn order(graph: &mut Graph, spills: &Spills) -> VecDeque<Component> {
    ordered(graph, spills, &[], false)
}

fn ordered(graph: &mut Graph, spills: &Spills, seeds: &[Seed], marks: bool) -> VecDeque<Component> {
    let mut spread = DirtyPropagation { marks, ..DirtyPropagation::default() };
    for id in graph.dirty_nodes() {
        spread.enter(graph, id);
        for (first, last) in graph.node(id).dirty.iter() {
            spread.push(graph, spills, id, first, last);
        }
    }
    for seed in seeds {
        spread.from(graph, spills, None, seed.sheet, seed.range, &seed.dealt_with);
    }
    while let Some(dirtied) = spread.queue.pop_front() {
        spread.from(graph, spills, Some(&dirtied), dirtied.sheet, dirtied.range, &[]);
    }
    let nodes = spread.nodes;
    let mut schedule = VecDeque::new();
    let mut component = |places: &[u32]| {
        schedule.push_back(match *places {
            [place] => single(graph, nodes[place as usize]),
            _ => Component::Tangle(places.iter().map(|place| nodes[*place as usize]).collect()),
        });
    };
    match nodes.len() {
        0 => {}
        1 => component(&[0]),
        count => components(count, &spread.edges, component),
    }
    schedule
}

/// Cells that change with a node.
struct DirtyNode {
    node: NodeId,
    sheet: SheetId,
    range: Range,
    /// Filled by the node's arrays, not formulas of it.
    spilled: bool,
}

#[derive(Default)]
struct DirtyPropagation {
    /// What is reached becomes dirty; else what is not dirty is passed by.
    marks: bool,
    /// Rows that became dirty, and the cells that change with them.
    queue: VecDeque<DirtyNode>,
    /// Dirty nodes; a node's `place` is its index here.
    nodes: Vec<NodeId>,
    /// From what is read to what reads it, by place.
    edges: Vec<(u32, u32)>,
    /// Kept for its allocation only.
    reached: Vec<(NodeId, u32, u32)>,
    added: Vec<(u32, u32)>,
}

impl DirtyPropagation {
    fn enter(&mut self, graph: &mut Graph, id: NodeId) -> u32 {
        let node = graph.node_mut(id);
        let known = self.nodes.get(node.place as usize) == Some(&id);
        if !known {
            node.place = self.nodes.len() as u32;
            node.pieces = 0;
            node.reads_own_array = false;
            self.nodes.push(id);
        }
        node.place
    }

    fn push(&mut self, graph: &Graph, spills: &Spills, id: NodeId, first: u32, last: u32) {
        let node = graph.node(id);
        let rows = Range::from_indices(first, node.column, last, node.column);
        let rows = rows.expect("runs lie within the sheet");
        self.queue.push_back(DirtyNode { node: id, sheet: node.sheet, range: rows, spilled: false });
        for range in spills.areas_from(node.sheet, rows) {
            self.queue.push_back(DirtyNode { node: id, sheet: node.sheet, range, spilled: true });
        }
    }

    /// Marks what reads the range.
    fn from(
        &mut self,
        graph: &mut Graph,
        spills: &Spills,
        source: Option<&DirtyNode>,
        sheet: SheetId,
        range: Range,
        dealt_with: &[Edge],
    ) {
        let mut reached = std::mem::take(&mut self.reached);
        graph.dependents(sheet, range, |edge, first, last| {
            if dealt_with.binary_search(&edge).is_err() {
                reached.push((edge.node, first, last));
            }
        });
        for (id, mut first, mut last) in reached.drain(..) {
            if !self.marks && graph.node(id).dirty.first_in(first, last).is_none() {
                continue;
            }
            let place = self.enter(graph, id);
            if let Some(source) = source {
                let node = graph.node_mut(id);
                if source.node == id {
                    node.reads_own_array |= source.spilled;
                    // Results that are read in turn: all that follow are dirty.
                    match node.self_direction {
                        Some(Direction::Above) => last = node.last,
                        Some(Direction::Below) => first = node.first,
                        _ => (first, last) = (node.first, node.last),
                    }
                } else {
                    node.pieces += 1;
                    if node.pieces > PIECES_MAX {
                        (first, last) = (node.first, node.last);
                    }
                    let source = graph.node(source.node).place;
                    if self.edges.last() != Some(&(source, place)) {
                        self.edges.push((source, place));
                    }
                }
            }
            if !self.marks {
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

fn single(graph: &Graph, id: NodeId) -> Component {
    let node = graph.node(id);
    // What only evaluation finds may be dirty, so those cells look before they read.
    if node.plan.dynamic || node.reads_own_array {
        return Component::Tangle(vec![id]);
    }
    match node.self_direction {
        None => Component::Run(id),
        Some(Direction::Above) => Component::Downwards(id),
        Some(Direction::Below) => Component::Upwards(id),
        Some(Direction::Mixed) => Component::Tangle(vec![id]),
    }
}

/// Calls `found` with strongly connected components, in an order in which edges point forward: Tarjan's algorithm,
/// without recursion.
fn components(count: usize, edges: &[(u32, u32)], mut found: impl FnMut(&[u32])) {
    const UNSEEN: u32 = u32::MAX;
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

    // Members of all components one after the other, and where each begins. The algorithm finds the last ones first.
    let mut members: Vec<u32> = Vec::with_capacity(count);
    let mut begins: Vec<usize> = Vec::with_capacity(count);
    let mut order = vec![UNSEEN; count];
    let mut low = vec![0u32; count];
    let mut on_stack = vec![false; count];
    let mut stack: Vec<u32> = Vec::new();
    let mut path: Vec<(u32, u32)> = Vec::new();
    let mut next = 0;
    for root in 0..count as u32 {
        if order[root as usize] != UNSEEN {
            continue;
        }
        path.push((root, starts[root as usize]));
        while let Some((node, edge)) = path.last_mut() {
            let at = *node as usize;
            if order[at] == UNSEEN {
                order[at] = next;
                low[at] = next;
                next += 1;
                stack.push(*node);
                on_stack[at] = true;
            }
            if *edge < starts[at + 1] {
                let target = targets[*edge as usize];
                *edge += 1;
                if order[target as usize] == UNSEEN {
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
    fn components_come_before_what_depends_on_them() {
        let edges = [(0, 1), (1, 2), (2, 1), (2, 3), (4, 0), (3, 5)];
        let mut found = Vec::new();
        components(6, &edges, |component| found.push(component.to_vec()));
        assert_eq!(found, [vec![4], vec![0], vec![1, 2], vec![3], vec![5]]);
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let edges: Vec<(u32, u32)> = (0..1_000_000).map(|index| (index, index + 1)).collect();
        let mut found = Vec::new();
        components(1_000_001, &edges, |component| found.extend_from_slice(component));
        assert!(found.into_iter().eq(0..=1_000_000));
    }
}
