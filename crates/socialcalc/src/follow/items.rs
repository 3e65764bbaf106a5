//! Merged cells, comments and locked cells, which SocialCalc keeps as attributes of cells.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{CellAddress, Range};
use quadrille_files::socialcalc_comments::comment_texts;
use quadrille_files::socialcalc_escapes::encode;
use quadrille_workbook::{Field, ItemKind, Sheet};

/// The merged cells, the locked ones and the comments of a sheet.
pub(super) struct AttachedItems {
    merged: BTreeSet<Range>,
    locked: BTreeSet<Range>,
    /// Whether the whole sheet is locked, apart from some cells.
    is_locked: bool,
    /// Notes and comment threads, as a save has them.
    comments: BTreeMap<CellAddress, String>,
}

impl AttachedItems {
    pub(super) fn of(sheet: &Sheet) -> AttachedItems {
        let merged = sheet.items().of_kind(ItemKind::Merge).flat_map(|(_, item)| item.anchors.clone());
        let locks = sheet.items().of_kind(ItemKind::ProtectedRange).map(|(_, lock)| lock);
        let locks: Vec<_> = locks.filter(|lock| lock.boolean(Field::WarningOnly) != Some(true)).collect();
        let is_locked = locks.iter().any(|lock| lock.boolean(Field::WholeSheet) == Some(true));
        let locked = locks.iter().flat_map(|lock| lock.anchors.clone()).collect();
        AttachedItems { merged: merged.collect(), locked, is_locked, comments: comment_texts(sheet) }
    }

    /// The commands that lead to `after`; `None` for a locked sheet, whose cells they cannot name.
    pub(super) fn changes(&self, after: &AttachedItems) -> Option<Vec<String>> {
        if self.is_locked || after.is_locked {
            return (self.is_locked == after.is_locked && self.locked == after.locked)
                .then(|| self.changes_of_cells(after));
        }
        let unlocked: Vec<&Range> = self.locked.difference(&after.locked).collect();
        let is_locked_again = |range: &&Range| {
            !self.locked.contains(range) || unlocked.iter().any(|unlocked| unlocked.intersects(**range))
        };
        let locked =
            after.locked.iter().filter(is_locked_again).map(|range| format!("set {range} readonly yes"));
        let unlocked = unlocked.iter().map(|range| format!("set {range} readonly no"));
        // What is still locked is not changed by commands.
        Some(unlocked.chain(self.changes_of_cells(after)).chain(locked).collect())
    }

    /// The commands for merged cells and comments.
    fn changes_of_cells(&self, after: &AttachedItems) -> Vec<String> {
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
