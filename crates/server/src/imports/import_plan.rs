//! The operations that write imported data.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_operation::{Operation, Transaction};
use quadrille_workbook::{ImportFailure, ImportSource, Imported, Item, ItemId, Items, Workbook};

/// Plans what makes the imported data of a workbook that of these sources, and no other. `None` for a
/// source that keeps what it has.
pub fn plan(workbook: &Workbook, outcomes: &[(ImportSource, Option<Imported>)]) -> Transaction {
    let items = workbook.items();
    let mut wanted: BTreeMap<ItemId, Item> = BTreeMap::new();
    for (source, imported) in outcomes {
        match imported {
            Some(imported) => wanted.extend(imported.items(source)),
            None => {
                let id = source.item();
                let kept = items.iter().filter(|(item, _)| quadrille_workbook::import_of(*item) == id);
                wanted.extend(kept.map(|(item, content)| (item, Item::clone(content))));
            }
        }
    }
    let is_unwanted = |(id, item): &(ItemId, &Arc<Item>)| item.kind.is_imported() && !wanted.contains_key(id);
    let removed: Vec<ItemId> = items.iter().filter(is_unwanted).map(|(id, _)| id).collect();
    let mut operations: Vec<Operation> =
        removed.iter().map(|item| Operation::RemoveItem { sheet: None, item: *item }).collect();
    for (item, content) in wanted {
        if items.get(item).is_none_or(|stored| **stored != content) {
            operations.push(Operation::PutItem { sheet: None, item, content: Arc::new(content) });
        }
    }
    Transaction { operations }
}

/// Replaces data beyond the limits of a workbook by failures: there is no space for all of it.
pub fn limit(items: &Items, outcomes: &mut [(ImportSource, Option<Imported>)], bytes_max: usize) {
    let other = items.iter().filter(|(_, item)| !item.kind.is_imported());
    let (other_count, other_bytes) =
        other.fold((0, 0), |(count, bytes), (_, item)| (count + 1, bytes + item.weight()));
    // The failures have to fit as well.
    let mut bytes_left = bytes_max.min((Items::WEIGHT_MAX / 2).saturating_sub(other_bytes));
    let mut count_left = (Items::COUNT_MAX / 2).saturating_sub(other_count);
    for (source, imported) in outcomes {
        let Some(Imported::Values(_)) = imported else { continue };
        let items = imported.as_ref().map_or_else(Vec::new, |imported| imported.items(source));
        let bytes: usize = items.iter().map(|(_, item)| item.weight()).sum();
        if bytes > bytes_left || items.len() > count_left {
            *imported = Some(Imported::Failure(ImportFailure::TooLarge, "".into()));
        } else {
            (bytes_left, count_left) = (bytes_left - bytes, count_left - items.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_cell::{Array, Value};
    use quadrille_workbook::ImportFunction;

    fn source(range: &str) -> ImportSource {
        ImportSource { function: ImportFunction::Range, arguments: vec!["b".into(), range.into()] }
    }

    fn column(values: impl IntoIterator<Item = f64>) -> Option<Imported> {
        let values: Vec<Value> = values.into_iter().map(Value::Number).collect();
        Array::new(values.len() as u32, 1, values).map(Imported::Values)
    }

    fn written(workbook: &mut Workbook, outcomes: &[(ImportSource, Option<Imported>)]) -> usize {
        let transaction = plan(workbook, outcomes);
        quadrille_operation::apply(workbook, &transaction);
        transaction.operations.len()
    }

    #[test]
    fn no_more_than_the_difference_is_written() {
        let mut workbook = Workbook::new();
        let numbers = || (0..3_000).map(f64::from);
        let first = [(source("A:A"), column(numbers()))];
        assert_eq!(written(&mut workbook, &first), 4, "the import and three parts");
        assert_eq!(written(&mut workbook, &first), 0);
        let changed = numbers().map(|number| if number == 1_500.0 { 0.0 } else { number });
        assert_eq!(written(&mut workbook, &[(source("A:A"), column(changed))]), 1);
        assert_eq!(written(&mut workbook, &[(source("A:A"), None)]), 0, "it keeps what it has");
        let shorter = [(source("A:A"), column([1.0]))];
        assert_eq!(written(&mut workbook, &shorter), 4, "two parts are removed, two items are changed");
        assert_eq!(source("A:A").find(workbook.items()), column([1.0]));
        assert_eq!(written(&mut workbook, &[]), 2);
        assert!(workbook.items().is_empty());
    }

    #[test]
    fn data_beyond_the_limits_of_the_workbook_is_left_out() {
        let items = Items::default();
        let mut outcomes =
            vec![(source("A:A"), column((0..900).map(f64::from))), (source("A1"), column([1.0]))];
        limit(&items, &mut outcomes, 2_000);
        assert_eq!(outcomes[0].1, Some(Imported::Failure(ImportFailure::TooLarge, "".into())));
        assert_eq!(outcomes[1].1, column([1.0]));
    }
}
