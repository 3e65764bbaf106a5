//! Which shard a new room is in: the one with the highest score for its name. When a shard is added, only rooms whose
//! highest score is that of the new one would be placed differently.

use std::sync::Arc;

use quadrille_protocol::RoomName;
use sha2::{Digest as _, Sha256};

/// Returns the index of the shard for a new room. There is at least one.
fn place<'a>(shards: impl Iterator<Item = &'a str>, room: &RoomName) -> usize {
    let scores = shards.enumerate().map(|(index, id)| (score(id, room), index));
    scores.max().map_or(0, |(_, index)| index)
}

/// The identities of the shards, with which rooms are placed.
#[derive(Clone)]
pub struct Placement {
    /// Identities and indices, in the order in which the shards were added.
    shards: Arc<[(String, usize)]>,
}

impl Placement {
    /// Takes identities with indices, in the order in which the shards were added.
    pub fn new(shards: Vec<(String, usize)>) -> Placement {
        Placement { shards: shards.into() }
    }

    /// Returns the shard for a new room.
    pub fn home(&self, room: &RoomName) -> usize {
        self.shards[place(self.shards.iter().map(|(id, _)| &**id), room)].1
    }

    /// Returns the shards in which a room can be that has no entry, its home first. A room is where it was placed when
    /// there were fewer shards, so that a shard matters only if its score is higher than those of all that were added
    /// before it.
    pub fn candidates(&self, room: &RoomName) -> Vec<usize> {
        let mut candidates = Vec::new();
        let mut highest = None;
        for (id, index) in self.shards.iter() {
            let score = Some(score(id, room));
            if score > highest {
                highest = score;
                candidates.insert(0, *index);
            }
        }
        candidates
    }
}

/// The first 8 bytes of the SHA-256 of identity, a zero byte and name, as a big-endian number.
fn score(shard: &str, room: &RoomName) -> u64 {
    let digest = Sha256::new().chain_update(shard).chain_update([0]).chain_update(room.as_str()).finalize();
    digest.iter().take(8).fold(0, |score, byte| score << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_the_beginning_of_a_digest() {
        // printf 'a\0plan' | sha256sum
        let room = RoomName::new("plan").expect("a name");
        assert_eq!(format!("{:016x}", score("a", &room)), SCORE_OF_PLAN_IN_A);
    }

    const SCORE_OF_PLAN_IN_A: &str = "11a6af2cc7dbf0de";

    #[test]
    fn a_room_can_be_where_it_was_placed_when_there_were_fewer_shards() {
        let shards = ["a", "b", "c", "d", "e"];
        let listed = [4, 2, 0, 1, 3];
        let placement = Placement::new(
            std::iter::zip(shards, listed).map(|(id, index)| (id.to_owned(), index)).collect(),
        );
        for number in 0..500 {
            let room = RoomName::new(&format!("room-{number}")).expect("a name");
            let placed = |count: usize| listed[place(shards[..count].iter().copied(), &room)];
            let mut expected: Vec<usize> = (1..=shards.len()).rev().map(placed).collect();
            expected.dedup();
            assert_eq!(placement.candidates(&room), expected, "{room}");
            assert_eq!(placement.home(&room), expected[0], "{room}");
        }
    }

    #[test]
    fn rooms_spread_and_a_new_shard_takes_only_its_own() {
        let rooms: Vec<RoomName> =
            (0..3_000).map(|number| RoomName::new(&format!("room-{number}")).expect("a name")).collect();
        let of = |shards: &[&'static str], room| place(shards.iter().copied(), room);
        let mut counts = [0; 3];
        for room in &rooms {
            let (before, after) = (of(&["a", "b"], room), of(&["a", "b", "c"], room));
            counts[after] += 1;
            assert!(after == before || after == 2, "{room}");
        }
        // A third of each, with a margin of five standard deviations.
        assert!(counts.iter().all(|count| (870..=1_130).contains(count)), "{counts:?}");
    }
}
