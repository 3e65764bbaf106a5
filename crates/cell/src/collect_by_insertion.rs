//! Ordered maps and sets of few elements, with little code for each type of element.

/// Collects into an ordered map or set by one insertion after the other.
///
/// `Iterator::collect` sorts all elements first, which is faster for long lists, but compiles the sort
/// and the construction of the tree anew for every type (6 KB in the engine for browsers).
pub fn collect_by_insertion<C: Default + Extend<T>, T>(items: impl IntoIterator<Item = T>) -> C {
    let mut collection = C::default();
    collection.extend(items);
    collection
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn of_equal_keys_the_last_value_remains_as_with_collect() {
        let items = [("b", 1), ("a", 2), ("b", 3)];
        let map: BTreeMap<&str, u32> = collect_by_insertion(items);
        assert_eq!(map, items.into_iter().collect());
        assert_eq!(map["b"], 3);
    }
}
