//! Merged cells and comments, which SocialCalc keeps as attributes of cells.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quadrille_cell::{CellAddress, Range};
use quadrille_files::socialcalc_escapes::encode;
use quadrille_workbook::{Field, ItemKind, Sheet};

/// The merged cells and the comments of a sheet.
pub(super) struct AttachedItems {
    merged: BTreeSet<Range>,
    comments: BTreeMap<CellAddress, Arc<str>>,
}

impl AttachedItems {
    pub(super) fn of(sheet: &Sheet) -> AttachedItems {
        let merged = sheet.items().of_kind(ItemKind::Merge).flat_map(|(_, item)| item.anchors.clone());
        let comments = sheet.items().of_kind(ItemKind::Note).filter_map(|(_, item)| {
            let cell = item.anchors.first()?.first();
            Some((cell, item.text(Field::Text)?.clone()))
        });
        AttachedItems { merged: merged.collect(), comments: comments.collect() }
    }

    /// The commands that lead to `after`.
    pub(super) fn changes(&self, after: &AttachedItems) -> Vec<String> {
        let unmerged = self.merged.difference(&after.merged);
        let unmerged = unmerged.map(|range| format!("unmerge {}", range.first()));
        let merged = after.merged.difference(&self.merged).map(|range| format!("merge {range}"));
        let removed = self.comments.keys().filter(|cell| !after.comments.contains_key(cell));
        let removed = removed.map(|cell| format!("set {cell} comment "));
        let changed =
            after.comments.iter().filter(|(cell, comment)| self.comments.get(cell) != Some(comment));
        let changed = changed.map(|(cell, comment)| format!("set {cell} comment {}", encode(comment)));
        unmerged.chain(merged).chain(removed).chain(changed).collect()
    }

    /// The commands for what SocialCalc has not moved as the workbook has: all merged cells.
    pub(super) fn merges_again(&self) -> Vec<String> {
        self.merged.iter().map(|range| format!("merge {range}")).collect()
    }
}
