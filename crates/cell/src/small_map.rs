//! [`SmallMap`]: an ordered map of few elements, with little code for each type of element.

use std::borrow::Borrow;

/// An ordered map in a sorted list. Inserting moves the elements behind, so that it suits up to some
/// thousand elements, or keys that arrive in order. `BTreeMap` is compiled anew for every type, with
/// about a kilobyte in the compressed engine for browsers.
#[derive(Clone, PartialEq, Debug)]
pub struct SmallMap<K, V> {
    entries: Vec<(K, V)>,
}

impl<K, V> Default for SmallMap<K, V> {
    fn default() -> SmallMap<K, V> {
        SmallMap { entries: Vec::new() }
    }
}

impl<K: Ord, V> SmallMap<K, V> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the map has no elements.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let index = self.index_of(key).ok()?;
        Some(&self.entries[index].1)
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: K, value: V) {
        match self.index_of(&key) {
            Ok(index) => self.entries[index].1 = value,
            Err(index) => self.entries.insert(index, (key, value)),
        }
    }

    /// The value of a key, which is `make()` if it had none.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let index = match self.index_of(&key) {
            Ok(index) => index,
            Err(index) => {
                self.entries.insert(index, (key, make()));
                index
            }
        };
        &mut self.entries[index].1
    }

    /// Removes a key.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        if let Ok(index) = self.index_of(key) {
            self.entries.remove(index);
        }
    }

    fn index_of<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.entries.binary_search_by(|(existing, _)| existing.borrow().cmp(key))
    }
}

impl<K, V> IntoIterator for SmallMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    /// The elements in the order of their keys.
    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<K: Ord, V> Extend<(K, V)> for SmallMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, items: I) {
        for (key, value) in items {
            self.insert(key, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_small_map_has_the_elements_of_an_ordered_map(steps: Vec<(u8, Option<u8>)>) {
            let (mut small, mut ordered) = (SmallMap::default(), BTreeMap::new());
            for (key, value) in steps {
                match value {
                    Some(value) if value % 2 == 0 => {
                        small.insert(key, value);
                        ordered.insert(key, value);
                    }
                    Some(value) => {
                        prop_assert_eq!(
                            small.get_or_insert_with(key, || value),
                            ordered.entry(key).or_insert(value)
                        );
                    }
                    None => {
                        small.remove(&key);
                        ordered.remove(&key);
                    }
                }
                prop_assert_eq!(small.get(&key), ordered.get(&key));
                prop_assert_eq!(small.len(), ordered.len());
            }
            prop_assert_eq!(small.into_iter().collect::<Vec<_>>(), ordered.into_iter().collect::<Vec<_>>());
        }
    }
}
