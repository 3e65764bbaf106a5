//! Who is near a part of a sheet, without looking at everyone.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{Range, SheetId};
use quadrille_protocol::SessionId;

/// Where people are, by sheet and in the order of rows.
pub struct ProximityIndex {
    sheets: BTreeMap<SheetId, Vec<Place>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    row: u32,
    column: u32,
    session: SessionId,
}

/// Of those in the same rows so many are looked at for each that is wanted; the others are too many to show.
const INSPECTED: usize = 4;

impl ProximityIndex {
    pub fn new(people: impl Iterator<Item = (SheetId, Range, SessionId)>) -> ProximityIndex {
        let mut sheets: BTreeMap<SheetId, Vec<Place>> = BTreeMap::new();
        for (sheet, selection, session) in people {
            let first = selection.first();
            let place = Place { row: first.row.get(), column: first.column.get(), session };
            sheets.entry(sheet).or_default().push(place);
        }
        for places in sheets.values_mut() {
            places.sort_unstable();
        }
        ProximityIndex { sheets }
    }

    /// At most `count` people: first those inside the view, then those in its rows, then those in the rows nearest to
    /// it. Costs a multiple of `count`, however many there are.
    pub fn near(&self, sheet: SheetId, view: Range, count: usize) -> BTreeSet<SessionId> {
        let Some(places) = self.sheets.get(&sheet) else { return BTreeSet::new() };
        let (top, bottom) = (view.first().row.get(), view.last().row.get());
        let (left, right) = (view.first().column.get(), view.last().column.get());
        let mut above = places.partition_point(|place| place.row < top);
        let mut below = places.partition_point(|place| place.row <= bottom);
        let inside = &places[above..below.min(above + INSPECTED * count)];
        let is_seen = |place: &&Place| (left..=right).contains(&place.column);
        let beside = |place: &&Place| !(left..=right).contains(&place.column);
        let sessions = inside.iter().filter(is_seen).chain(inside.iter().filter(beside));
        let mut near: BTreeSet<SessionId> = sessions.take(count).map(|place| place.session).collect();
        while near.len() < count {
            let before = above.checked_sub(1).map(|index| (top - places[index].row, index));
            let after = places.get(below).map(|place| (place.row - bottom, below));
            match (before, after) {
                (None, None) => break,
                (Some((distance, index)), after) if after.is_none_or(|(other, _)| distance <= other) => {
                    near.insert(places[index].session);
                    above = index;
                }
                (_, Some((_, index))) => {
                    near.insert(places[index].session);
                    below = index + 1;
                }
                (Some(_), None) => unreachable!("taken above"),
            }
        }
        near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_in_view_come_first_then_those_in_the_nearest_rows() {
        let at = |session: u64, cell: &str| {
            (SheetId(1), Range::parse_a1(cell).expect("valid"), SessionId(session))
        };
        let people = [at(1, "A1"), at(2, "B10"), at(3, "Z11"), at(4, "B12"), at(5, "A40"), at(6, "A20")];
        let places = ProximityIndex::new(people.into_iter());
        let near = |count: usize| -> Vec<u64> {
            let view = Range::parse_a1("A10:F15").expect("valid");
            places.near(SheetId(1), view, count).into_iter().map(|session| session.0).collect()
        };
        assert_eq!(near(2), [2, 4]);
        assert_eq!(near(3), [2, 3, 4]);
        assert_eq!(near(4), [2, 3, 4, 6]);
        assert_eq!(near(5), [1, 2, 3, 4, 6]);
        assert_eq!(near(9), [1, 2, 3, 4, 5, 6]);
        assert!(places.near(SheetId(2), Range::parse_a1("A1").expect("valid"), 5).is_empty());
    }
}
