//! Maps and sets in the order of their keys, with the names of the standard library's.

use std::borrow::Borrow;
use std::fmt;
use std::ops::{Bound, RangeBounds};

/// A full chunk is cut in two. Shorter ones make a long list of chunks, longer ones are slower to insert into.
const CHUNK_MAX: usize = 128;

/// Entries in the order of their keys, in chunks that are never empty. Finding takes two binary searches; inserting moves half a
/// chunk, and one time in 64 makes the list of chunks longer.
///
/// The standard library's maps are a little faster; compiled anew for each type, 3 to 8 KB each, they were a fifteenth of
/// the browser's engine.
#[derive(Clone)]
pub struct Map<K, V> {
    chunks: Vec<Vec<(K, V)>>,
    len: usize,
}

/// Where an entry is, or would be inserted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    chunk: usize,
    index: usize,
}

impl<K, V> Map<K, V> {
    pub const fn new() -> Map<K, V> {
        Map { chunks: Vec::new(), len: 0 }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn clear(&mut self) {
        *self = Map::new();
    }

    pub fn iter(&self) -> Iter<'_, K, V> {
        self.chunks.iter().flatten().map(|(key, value)| (key, value))
    }

    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        self.chunks.iter_mut().flatten().map(|(key, value)| (key, value))
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + Clone {
        self.chunks.iter().flatten().map(|(key, _)| key)
    }

    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + Clone {
        self.chunks.iter().flatten().map(|(_, value)| value)
    }

    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> {
        self.chunks.iter_mut().flatten().map(|(_, value)| value)
    }

    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> {
        self.chunks.into_iter().flatten().map(|(_, value)| value)
    }

    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next()
    }

    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next_back()
    }

    pub fn pop_first(&mut self) -> Option<(K, V)> {
        (self.len > 0).then(|| self.take(Place { chunk: 0, index: 0 }))
    }

    pub fn retain(&mut self, mut keeps: impl FnMut(&K, &mut V) -> bool) {
        for chunk in &mut self.chunks {
            chunk.retain_mut(|(key, value)| keeps(key, value));
        }
        self.chunks.retain(|chunk| !chunk.is_empty());
        self.len = self.chunks.iter().map(Vec::len).sum();
    }

    fn take(&mut self, place: Place) -> (K, V) {
        let chunk = &mut self.chunks[place.chunk];
        let entry = chunk.remove(place.index);
        if chunk.is_empty() {
            self.chunks.remove(place.chunk);
        }
        self.len -= 1;
        entry
    }

    /// Where the entry is then.
    fn put(&mut self, mut place: Place, key: K, value: V) -> Place {
        self.len += 1;
        if self.chunks.is_empty() {
            self.chunks.push(Vec::new());
        }
        let chunk = &mut self.chunks[place.chunk];
        chunk.insert(place.index, (key, value));
        if chunk.len() > CHUNK_MAX {
            let behind = chunk.split_off(CHUNK_MAX / 2);
            let kept = chunk.len();
            self.chunks.insert(place.chunk + 1, behind);
            if place.index >= kept {
                place = Place { chunk: place.chunk + 1, index: place.index - kept };
            }
        }
        place
    }

    fn value_at(&mut self, place: Place) -> &mut V {
        &mut self.chunks[place.chunk][place.index].1
    }
}

impl<K: Ord, V> Map<K, V> {
    /// Where the key is, or else where it belongs.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<Place, Place>
    where
        K: Borrow<Q>,
    {
        let behind = self.chunks.partition_point(|chunk| chunk[0].0.borrow() <= key);
        let chunk = behind.saturating_sub(1);
        let Some(entries) = self.chunks.get(chunk) else { return Err(Place { chunk, index: 0 }) };
        match entries.binary_search_by(|(known, _)| known.borrow().cmp(key)) {
            Ok(index) => Ok(Place { chunk, index }),
            Err(index) => Err(Place { chunk, index }),
        }
    }

    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        Some(&self.chunks[place.chunk][place.index].1)
    }

    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        Some(self.value_at(place))
    }

    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// The value that was there before.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(place) => Some(std::mem::replace(self.value_at(place), value)),
            Err(place) => {
                self.put(place, key, value);
                None
            }
        }
    }

    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        Some(self.take(place).1)
    }

    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        let place = self.find(&key);
        Entry { map: self, key, place }
    }

    pub fn range(&self, bounds: impl RangeBounds<K>) -> Range<'_, K, V> {
        let (from, to) = self.places(&bounds);
        Range { chunks: &self.chunks, from, to }
    }

    pub fn range_mut(&mut self, bounds: impl RangeBounds<K>) -> impl Iterator<Item = (&K, &mut V)> {
        let (from, to) = self.places(&bounds);
        let chunks = self.chunks.iter_mut().enumerate().skip(from.chunk);
        let chunks = chunks.take_while(move |(chunk, _)| *chunk <= to.chunk);
        let entries = chunks.flat_map(move |(chunk, entries)| {
            let first = if chunk == from.chunk { from.index } else { 0 };
            let end = if chunk == to.chunk { to.index } else { entries.len() };
            entries[first.min(end)..end].iter_mut()
        });
        entries.map(|(key, value)| (&*key, value))
    }

    /// Where a range begins, and where it ends before.
    fn places(&self, bounds: &impl RangeBounds<K>) -> (Place, Place) {
        let from = match bounds.start_bound() {
            Bound::Unbounded => Place { chunk: 0, index: 0 },
            Bound::Included(key) => self.find(key).unwrap_or_else(|place| place),
            Bound::Excluded(key) => self.find(key).map_or_else(|place| place, behind),
        };
        let to = match bounds.end_bound() {
            Bound::Unbounded => Place { chunk: self.chunks.len(), index: 0 },
            Bound::Excluded(key) => self.find(key).unwrap_or_else(|place| place),
            Bound::Included(key) => self.find(key).map_or_else(|place| place, behind),
        };
        (from, to)
    }
}

fn behind(place: Place) -> Place {
    Place { index: place.index + 1, ..place }
}

/// # Panics
/// When the key is not there.
impl<K: Ord + Borrow<Q>, Q: Ord + ?Sized, V> std::ops::Index<&Q> for Map<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the caller knows that the key is there")
    }
}

/// The place of a key that is, or is not yet, in the map.
pub struct Entry<'a, K, V> {
    map: &'a mut Map<K, V>,
    key: K,
    place: Result<Place, Place>,
}

impl<'a, K, V> Entry<'a, K, V> {
    pub fn or_insert_with(self, value: impl FnOnce() -> V) -> &'a mut V {
        let place = match self.place {
            Ok(place) => place,
            Err(place) => self.map.put(place, self.key, value()),
        };
        self.map.value_at(place)
    }

    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }

    pub fn and_modify(self, change: impl FnOnce(&mut V)) -> Entry<'a, K, V> {
        if let Ok(place) = self.place {
            change(self.map.value_at(place));
        }
        self
    }
}

/// What lies between two places.
#[derive(Clone)]
pub struct Range<'a, K, V> {
    chunks: &'a [Vec<(K, V)>],
    from: Place,
    to: Place,
}

impl<'a, K, V> Iterator for Range<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        while self.from < self.to {
            let chunk = self.chunks.get(self.from.chunk)?;
            if let Some((key, value)) = chunk.get(self.from.index) {
                self.from.index += 1;
                return Some((key, value));
            }
            self.from = Place { chunk: self.from.chunk + 1, index: 0 };
        }
        None
    }
}

impl<'a, K, V> DoubleEndedIterator for Range<'a, K, V> {
    fn next_back(&mut self) -> Option<(&'a K, &'a V)> {
        while self.from < self.to {
            if self.to.index == 0 {
                let chunk = self.to.chunk - 1;
                self.to = Place { chunk, index: self.chunks[chunk].len() };
                continue;
            }
            self.to.index -= 1;
            let (key, value) = &self.chunks[self.to.chunk][self.to.index];
            return Some((key, value));
        }
        None
    }
}

pub type Iter<'a, K, V> =
    std::iter::Map<std::iter::Flatten<std::slice::Iter<'a, Vec<(K, V)>>>, fn(&'a (K, V)) -> (&'a K, &'a V)>;

pub type IterMut<'a, K, V> = std::iter::Map<
    std::iter::Flatten<std::slice::IterMut<'a, Vec<(K, V)>>>,
    fn(&'a mut (K, V)) -> (&'a K, &'a mut V),
>;

impl<'a, K, V> IntoIterator for &'a mut Map<K, V> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = IterMut<'a, K, V>;

    fn into_iter(self) -> IterMut<'a, K, V> {
        self.iter_mut()
    }
}

impl<'a, K, V> IntoIterator for &'a Map<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = std::iter::Flatten<std::vec::IntoIter<Vec<(K, V)>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.chunks.into_iter().flatten()
    }
}

impl<K: Ord, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Map<K, V> {
        let mut map = Map::new();
        map.extend(entries);
        map
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for Map<K, V> {
    fn from(entries: [(K, V); N]) -> Map<K, V> {
        entries.into_iter().collect()
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Map<K, V> {
        Map::new()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Map<K, V>) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl<K: Eq, V: Eq> Eq for Map<K, V> {}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Map<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Keys in order, each once.
#[derive(Clone, PartialEq, Eq)]
pub struct Set<K>(Map<K, ()>);

impl<K> Set<K> {
    pub const fn new() -> Set<K> {
        Set(Map::new())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &K> + Clone {
        self.0.keys()
    }

    pub fn first(&self) -> Option<&K> {
        self.0.first_key_value().map(|(key, ())| key)
    }

    pub fn pop_first(&mut self) -> Option<K> {
        self.0.pop_first().map(|(key, ())| key)
    }

    pub fn retain(&mut self, mut keeps: impl FnMut(&K) -> bool) {
        self.0.retain(|key, ()| keeps(key));
    }
}

impl<K: Ord> Set<K> {
    pub fn contains<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.contains_key(key)
    }

    /// Whether it is new.
    pub fn insert(&mut self, key: K) -> bool {
        self.0.insert(key, ()).is_none()
    }

    /// Whether it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.remove(key).is_some()
    }

    pub fn range(&self, bounds: impl RangeBounds<K>) -> impl DoubleEndedIterator<Item = &K> {
        self.0.range(bounds).map(|(key, ())| key)
    }
}

impl<K> Default for Set<K> {
    fn default() -> Set<K> {
        Set::new()
    }
}

impl<K: fmt::Debug> fmt::Debug for Set<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<K> IntoIterator for Set<K> {
    type Item = K;
    type IntoIter = std::iter::Map<<Map<K, ()> as IntoIterator>::IntoIter, fn((K, ())) -> K>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().map(|(key, ())| key)
    }
}

impl<'a, K> IntoIterator for &'a Set<K> {
    type Item = &'a K;
    type IntoIter = std::iter::Map<Iter<'a, K, ()>, fn((&'a K, &'a ())) -> &'a K>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|(key, ())| key)
    }
}

impl<K: Ord> Extend<K> for Set<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        for key in keys {
            self.insert(key);
        }
    }
}

impl<'a, K: Ord + Copy + 'a> Extend<&'a K> for Set<K> {
    fn extend<I: IntoIterator<Item = &'a K>>(&mut self, keys: I) {
        self.extend(keys.into_iter().copied());
    }
}

impl<K: Ord> FromIterator<K> for Set<K> {
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Set<K> {
        let mut set = Set::new();
        set.extend(keys);
        set
    }
}

impl<K: Ord, const N: usize> From<[K; N]> for Set<K> {
    fn from(keys: [K; N]) -> Set<K> {
        keys.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[derive(Clone, Debug)]
    enum Step {
        Insert(u16, u32),
        Remove(u16),
        Add(u16),
        PopFirst,
        Retain(u16),
        Range(Bound<u16>, Bound<u16>),
    }

    fn bound(keys: u16) -> impl Strategy<Value = Bound<u16>> {
        prop_oneof![
            (0..keys).prop_map(Bound::Included),
            (0..keys).prop_map(Bound::Excluded),
            Just(Bound::Unbounded)
        ]
    }

    fn step(keys: u16) -> impl Strategy<Value = Step> {
        prop_oneof![
            8 => (0..keys, any::<u32>()).prop_map(|(key, value)| Step::Insert(key, value)),
            4 => (0..keys).prop_map(Step::Remove),
            4 => (0..keys).prop_map(Step::Add),
            1 => Just(Step::PopFirst),
            1 => (2u16..40).prop_map(Step::Retain),
            2 => (bound(keys), bound(keys)).prop_map(|(from, to)| Step::Range(from, to)),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
        #[test]
        fn it_is_the_map_of_the_standard_library(
            first in prop::collection::vec((0u16..3_000, any::<u32>()), 0..1_500),
            steps in prop::collection::vec(step(3_000), 0..300),
        ) {
            let mut map: Map<u16, u32> = first.iter().copied().collect();
            let mut expected: BTreeMap<u16, u32> = first.into_iter().collect();
            for step in steps {
                match step {
                    Step::Insert(key, value) => prop_assert_eq!(map.insert(key, value), expected.insert(key, value)),
                    Step::Remove(key) => prop_assert_eq!(map.remove(&key), expected.remove(&key)),
                    Step::Add(key) => {
                        let sum = *map.entry(key).and_modify(|value| *value ^= 1).or_insert(7);
                        prop_assert_eq!(sum, *expected.entry(key).and_modify(|value| *value ^= 1).or_insert(7));
                        prop_assert_eq!(map.get(&key), expected.get(&key));
                    }
                    Step::PopFirst => prop_assert_eq!(map.pop_first(), expected.pop_first()),
                    Step::Retain(divisor) => {
                        map.retain(|key, _| key % divisor != 0);
                        expected.retain(|key, _| key % divisor != 0);
                    }
                    Step::Range(from, to) => {
                        let is_empty = match (from, to) {
                            (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
                            (Bound::Excluded(a), Bound::Excluded(b)) => a >= b,
                            (Bound::Included(a) | Bound::Excluded(a), Bound::Included(b) | Bound::Excluded(b)) => a > b,
                        };
                        // The standard library's panics when the end comes first; ours is empty.
                        if is_empty {
                            prop_assert_eq!(map.range((from, to)).next(), None);
                            prop_assert_eq!(map.range((from, to)).next_back(), None);
                        } else {
                            prop_assert!(map.range((from, to)).eq(expected.range((from, to))));
                            prop_assert!(map.range_mut((from, to)).eq(expected.range_mut((from, to))));
                            prop_assert!(map.range((from, to)).rev().eq(expected.range((from, to)).rev()));
                        }
                    }
                }
                prop_assert_eq!(map.len(), expected.len());
            }
            prop_assert!(map.iter().eq(expected.iter()));
            prop_assert!(map.iter().rev().eq(expected.iter().rev()));
            prop_assert!(map.iter_mut().eq(expected.iter_mut()));
            prop_assert_eq!(map.first_key_value(), expected.first_key_value());
            prop_assert_eq!(map.last_key_value(), expected.last_key_value());
            let again: Map<u16, u32> = expected.iter().rev().map(|(key, value)| (*key, *value)).collect();
            prop_assert_eq!(&map, &again, "however they were cut into chunks");
            prop_assert!(map.into_iter().eq(expected));
        }
    }
}
