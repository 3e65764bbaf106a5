//! The stops of color scales, data bars and icon sets, which several formats have.

use std::collections::BTreeMap;

use quadrille_workbook::{Field, FieldValue, Item};

/// A stop: its color and where it is.
pub(crate) type Stop = BTreeMap<Field, FieldValue>;

/// The stops of a rule, from the lowest value to the highest.
pub(crate) fn stops(item: &Item) -> Vec<&Stop> {
    let Some(FieldValue::List(stops)) = item.fields.get(&Field::Stops) else { return Vec::new() };
    let records = stops.iter().map(|stop| match stop {
        FieldValue::Record(fields) => Some(fields),
        _ => None,
    });
    records.flatten().collect()
}
