//! Which workbooks import from which.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_protocol::RoomName;

/// The workbooks from which each workbook imports, as far as is known. A snapshot: refreshes that run at
/// the same time may add to it.
#[derive(Clone, Default, Debug)]
pub struct ImportGraph(BTreeMap<RoomName, BTreeSet<RoomName>>);

/// Why a workbook may not import from another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadChain {
    /// The source imports from the workbook, itself or through others.
    Circular,
    TooLong,
}

impl ImportGraph {
    /// Sets the sources of a workbook.
    pub fn set(&mut self, room: &RoomName, sources: BTreeSet<RoomName>) {
        self.0.insert(room.clone(), sources);
    }

    /// Checks that the workbook may import from `source`: that it is not reached from there, and that no
    /// chain is longer than `chain_max` workbooks.
    pub fn check(&self, room: &RoomName, source: &RoomName, chain_max: usize) -> Result<(), BadChain> {
        if room == source {
            return Err(BadChain::Circular);
        }
        // Breadth first: each workbook is looked at once, and counted in the shortest chain to it.
        let mut seen = BTreeSet::from([source]);
        let mut next = vec![source];
        let mut length = 2;
        let mut is_too_long = false;
        while !next.is_empty() {
            is_too_long |= length > chain_max;
            let sources = next.iter().filter_map(|room| self.0.get(*room)).flatten();
            let mut further = Vec::new();
            for found in sources {
                if found == room {
                    return Err(BadChain::Circular);
                }
                if seen.insert(found) {
                    further.push(found);
                }
            }
            next = further;
            length += 1;
        }
        if is_too_long { Err(BadChain::TooLong) } else { Ok(()) }
    }

    /// The workbooks that import from one of these, themselves or through others, and these.
    pub fn importers_of(&self, rooms: impl IntoIterator<Item = RoomName>) -> BTreeSet<RoomName> {
        let mut reached: BTreeSet<RoomName> = rooms.into_iter().collect();
        loop {
            let is_new = |(room, sources): &(&RoomName, &BTreeSet<RoomName>)| {
                !reached.contains(*room) && sources.iter().any(|source| reached.contains(source))
            };
            let more: Vec<RoomName> = self.0.iter().filter(is_new).map(|(room, _)| room.clone()).collect();
            if more.is_empty() {
                return reached;
            }
            reached.extend(more);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(name: &str) -> RoomName {
        RoomName::new(name).expect("a valid name")
    }

    /// `a<b,c` reads: a imports from b and c.
    fn graph(edges: &str) -> ImportGraph {
        let mut graph = ImportGraph::default();
        for edge in edges.split_whitespace() {
            let (importer, sources) = edge.split_once('<').expect("an edge");
            graph.set(&room(importer), sources.split(',').map(room).collect());
        }
        graph
    }

    #[test]
    fn circles_and_long_chains_are_found() {
        for (edges, source, expected) in [
            ("", "a", Err(BadChain::Circular)),
            ("", "b", Ok(())),
            ("b<a", "b", Err(BadChain::Circular)),
            ("b<c c<d,a", "b", Err(BadChain::Circular)),
            ("b<c c<b", "b", Ok(())),
            ("b<c", "b", Ok(())),
            ("b<c c<d", "b", Err(BadChain::TooLong)),
            ("b<c,d c<d d<c", "b", Ok(())),
            ("b<c c<d d<a", "b", Err(BadChain::Circular)),
        ] {
            assert_eq!(graph(edges).check(&room("a"), &room(source), 3), expected, "{edges}");
        }
    }

    #[test]
    fn importers_are_found_through_others() {
        let found = graph("a<b b<c d<a,x y<z").importers_of([room("c")]);
        assert_eq!(found, ["a", "b", "c", "d"].map(room).into());
    }
}
