//! [`Losses`]: collects losses by sheet and kind.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::Range;
use quadrille_workbook::{Item, Sheet};

use super::loss::{Loss, LossKind, LossPlace};
use crate::limits::{LOSS_PLACES_MAX, LOSS_RANGES_MAX};

/// The losses found so far, by the position of the sheet after those of the workbook, and by kind.
#[derive(Default)]
pub struct Losses {
    by_sheet: BTreeMap<usize, BTreeMap<LossKind, Loss>>,
    /// Positions of the sheets by their identifiers.
    positions: BTreeMap<u32, usize>,
}

impl Losses {
    /// Adds one thing at some ranges, with a name that may be empty.
    pub fn add(&mut self, kind: LossKind, sheet: Option<&Sheet>, ranges: &[Range], name: &str) {
        self.add_many(kind, sheet, ranges, name, 1);
    }

    /// Adds an item with its own ranges.
    pub fn add_item(&mut self, kind: LossKind, sheet: &Sheet, item: &Item, name: Option<&Arc<str>>) {
        self.add(kind, Some(sheet), &item.anchors, name.map_or("", |name| name));
    }

    /// Adds several things at once.
    pub fn add_many(
        &mut self,
        kind: LossKind,
        sheet: Option<&Sheet>,
        ranges: &[Range],
        name: &str,
        count: u64,
    ) {
        let position = match sheet {
            None => 0,
            Some(sheet) => {
                let next = self.positions.len() + 1;
                *self.positions.entry(sheet.id().0).or_insert(next)
            }
        };
        let loss = self.by_sheet.entry(position).or_default().entry(kind).or_insert_with(|| Loss {
            kind,
            sheet: sheet.map(|sheet| sheet.name().clone()),
            places: Vec::new(),
            count: 0,
        });
        loss.count += count;
        let ranges: Vec<Range> = ranges.iter().take(LOSS_RANGES_MAX).copied().collect();
        if loss.places.len() < LOSS_PLACES_MAX && (!ranges.is_empty() || !name.is_empty()) {
            loss.places.push(LossPlace { ranges, name: name.to_owned() });
        }
    }

    /// All losses in the order of reports.
    pub fn finish(self) -> Vec<Loss> {
        self.by_sheet.into_values().flat_map(BTreeMap::into_values).collect()
    }
}
