//! Nearest-people search by rows of a sheet.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{Range, SheetId};
use quadrille_protocol::SessionId;

/// Positions of people, by sheet and sorted by row.
pub struct ProximityIndex {
    sheets: BTreeMap<SheetId, Vec<Position>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    row: u32,
    column: u32,
    session: SessionId,
}

/// Positions in the view's rows that are examined per wanted person. Without this limit a search in
/// crowded rows would cost as much as there are people.
const EXAMINED_PER_RESULT: usize = 4;

impl ProximityIndex {
    /// Builds the index from the sheet and selection of each session.
    pub fn new(people: impl Iterator<Item = (SheetId, Range, SessionId)>) -> ProximityIndex {
        let mut sheets: BTreeMap<SheetId, Vec<Position>> = BTreeMap::new();
        for (sheet, selection, session) in people {
            let first = selection.first();
            let position = Position { row: first.row.get(), column: first.column.get(), session };
            sheets.entry(sheet).or_default().push(position);
        }
        for positions in sheets.values_mut() {
            positions.sort_unstable();
        }
        ProximityIndex { sheets }
    }

    /// Returns at most `count` people: first those inside the view, then those in its rows, then
    /// those in the nearest rows. O(count + log people).
    pub fn near(&self, sheet: SheetId, view: Range, count: usize) -> BTreeSet<SessionId> {
        let Some(positions) = self.sheets.get(&sheet) else { return BTreeSet::new() };
        let (top, bottom) = (view.first().row.get(), view.last().row.get());
        let (left, right) = (view.first().column.get(), view.last().column.get());
        let mut above = positions.partition_point(|position| position.row < top);
        let mut below = positions.partition_point(|position| position.row <= bottom);
        let inside = &positions[above..below.min(above + EXAMINED_PER_RESULT * count)];
        let is_in_view = |position: &&Position| (left..=right).contains(&position.column);
        let is_beside = |position: &&Position| !(left..=right).contains(&position.column);
        let sessions = inside.iter().filter(is_in_view).chain(inside.iter().filter(is_beside));
        let mut near: BTreeSet<SessionId> = sessions.take(count).map(|position| position.session).collect();
        while near.len() < count {
            let before = above.checked_sub(1).map(|index| (top - positions[index].row, index));
            let after = positions.get(below).map(|position| (position.row - bottom, below));
            match (before, after) {
                (None, None) => break,
                (Some((distance, index)), after) if after.is_none_or(|(other, _)| distance <= other) => {
                    near.insert(positions[index].session);
                    above = index;
                }
                (_, Some((_, index))) => {
                    near.insert(positions[index].session);
                    below = index + 1;
                }
                (Some(_), None) => unreachable!("handled above"),
            }
        }
        near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_in_view_come_before_people_in_the_nearest_rows() {
        let at = |session: u64, cell: &str| {
            (SheetId(1), Range::parse_a1(cell).expect("valid"), SessionId(session))
        };
        let people = [at(1, "A1"), at(2, "B10"), at(3, "Z11"), at(4, "B12"), at(5, "A40"), at(6, "A20")];
        let positions = ProximityIndex::new(people.into_iter());
        let near = |count: usize| -> Vec<u64> {
            let view = Range::parse_a1("A10:F15").expect("valid");
            positions.near(SheetId(1), view, count).into_iter().map(|session| session.0).collect()
        };
        assert_eq!(near(2), [2, 4]);
        assert_eq!(near(3), [2, 3, 4]);
        assert_eq!(near(4), [2, 3, 4, 6]);
        assert_eq!(near(5), [1, 2, 3, 4, 6]);
        assert_eq!(near(9), [1, 2, 3, 4, 5, 6]);
        assert!(positions.near(SheetId(2), Range::parse_a1("A1").expect("valid"), 5).is_empty());
    }
}
