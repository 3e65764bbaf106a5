//! [`protected_from`]: whether a transaction changes protected cells that its author may not edit.
//!
//! The rules are in `docs/operations.md`, "Protected cells". The room checks a transaction before
//! it assigns a revision, the replica before it sends one.

use std::fmt;
use std::sync::Arc;

use quadrille_cell::{Dimension, EditKind, Range, StructuralEdit};
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind, Sheet, Workbook};

use crate::{Operation, Transaction, apply_operation};

/// The protection that a transaction would violate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Protected {
    /// Name of the protected sheet.
    pub sheet: Arc<str>,
    /// First protected range; `None` if the whole sheet is protected.
    pub range: Option<Range>,
    /// Description given by the user who protected the range; may be empty.
    pub description: Arc<str>,
}

impl fmt::Display for Protected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Protected { sheet, range, description } = self;
        match range {
            Some(range) => write!(f, "these cells are protected: {sheet}!{range}")?,
            None => write!(f, "this sheet is protected: {sheet}")?,
        }
        match description.is_empty() {
            true => Ok(()),
            false => write!(f, " ({description})"),
        }
    }
}

impl std::error::Error for Protected {}

/// Checks that `transaction` changes no cells that are protected from `account`. An empty account
/// is a user without an account. `None` means that the account is not known here; then only
/// protections without any editors apply.
///
/// # Errors
///
/// Returns the first protection that the transaction would violate.
pub fn protected_from(
    account: Option<&str>,
    transaction: &Transaction,
    workbook: &Workbook,
) -> Result<(), Protected> {
    if !workbook.sheets().iter().any(|sheet| sheet.items().has_protection()) {
        return Ok(());
    }
    // The check of each operation needs the workbook that the earlier ones leave, because they may
    // move cells and change protections. The clone copies only what these operations write.
    let mut intermediate: Option<Workbook> = None;
    for (at, operation) in transaction.operations.iter().enumerate() {
        let now = intermediate.as_ref().unwrap_or(workbook);
        if let Some(sheet) = operation.sheet().and_then(|sheet| now.sheet(sheet)) {
            check(account, operation, sheet)?;
        }
        let is_last = at + 1 == transaction.operations.len();
        if !is_last && (intermediate.is_some() || affects_later_checks(operation)) {
            apply_operation(intermediate.get_or_insert_with(|| workbook.clone()), operation);
        }
    }
    Ok(())
}

fn affects_later_checks(operation: &Operation) -> bool {
    match operation {
        Operation::SetCells { .. }
        | Operation::FillCells { .. }
        | Operation::SetFormat { .. }
        | Operation::SetSizes { .. }
        | Operation::SetHidden { .. }
        | Operation::DefineName { .. }
        | Operation::RenameSheet { .. }
        | Operation::MoveSheet { .. }
        | Operation::Tick => false,
        Operation::Restructure(_)
        | Operation::PermuteRows { .. }
        | Operation::AddSheet { .. }
        | Operation::RemoveSheet { .. }
        | Operation::PutItem { .. }
        | Operation::PatchItem { .. }
        | Operation::RemoveItem { .. } => true,
    }
}

fn check(account: Option<&str>, operation: &Operation, sheet: &Sheet) -> Result<(), Protected> {
    if !sheet.items().has_protection() {
        return Ok(());
    }
    for (id, item) in sheet.items().of_kind(ItemKind::ProtectedRange) {
        let protection = Protection { sheet, id, item };
        let is_open = item.boolean(Field::WarningOnly) == Some(true) || protection.can_edit(account);
        if !is_open && protection.forbids(operation) {
            return Err(protection.into());
        }
    }
    Ok(())
}

struct Protection<'a> {
    sheet: &'a Sheet,
    id: ItemId,
    item: &'a Item,
}

impl Protection<'_> {
    fn can_edit(&self, account: Option<&str>) -> bool {
        let Some(FieldValue::List(editors)) = self.item.fields.get(&Field::Editors) else { return false };
        match account {
            None => !editors.is_empty(),
            Some("") => false,
            Some(account) => {
                editors.iter().any(|editor| matches!(editor, FieldValue::Text(name) if **name == *account))
            }
        }
    }

    /// Returns whether the protection names editors. If it does, only they may change or remove it.
    fn has_editors(&self) -> bool {
        matches!(self.item.fields.get(&Field::Editors), Some(FieldValue::List(editors)) if !editors.is_empty())
    }

    fn allows(&self, what: &str) -> bool {
        let Some(FieldValue::List(allowed)) = self.item.fields.get(&Field::Allow) else { return false };
        allowed.iter().any(|one| matches!(one, FieldValue::Text(name) if **name == *what))
    }

    fn is_whole_sheet(&self) -> bool {
        self.item.boolean(Field::WholeSheet) == Some(true)
    }

    /// Returns whether the range has protected cells. The anchors of a protected sheet are its
    /// unprotected ranges.
    fn covers(&self, range: Range) -> bool {
        if !self.is_whole_sheet() {
            return self.item.anchors.iter().any(|anchor| anchor.intersects(range));
        }
        let mut closed = vec![range];
        for open in &self.item.anchors {
            closed = closed.into_iter().flat_map(|part| part.subtract(*open)).collect();
        }
        !closed.is_empty()
    }

    fn forbids(&self, operation: &Operation) -> bool {
        match operation {
            Operation::SetCells { range, .. } | Operation::FillCells { range, .. } => self.covers(*range),
            Operation::SetFormat { range, .. } => !self.allows("format") && self.covers(*range),
            Operation::PermuteRows { range, .. } => !self.allows("sort") && self.covers(*range),
            Operation::Restructure(edit) => self.forbids_restructure(edit),
            Operation::SetSizes { .. } | Operation::SetHidden { .. } => {
                self.is_whole_sheet() && !self.allows("format")
            }
            Operation::RemoveSheet { .. } => true,
            Operation::RenameSheet { .. } => self.is_whole_sheet(),
            Operation::PutItem { item, content, .. } => self.forbids_item(*item, Some(content)),
            Operation::PatchItem { item, patch, .. } => {
                // Settings have no item until the first setting is set.
                let before = self.sheet.item(*item).cloned();
                let before = before.unwrap_or_else(|| Arc::new(Item::new(patch.kind)));
                self.forbids_item(*item, Some(&patch.apply_to(&before)))
            }
            Operation::RemoveItem { item, .. } => self.forbids_item(*item, None),
            Operation::AddSheet { .. }
            | Operation::MoveSheet { .. }
            | Operation::DefineName { .. }
            | Operation::Tick => false,
        }
    }

    /// Rows or columns before or after protected cells only move them, which is allowed.
    fn forbids_restructure(&self, edit: &StructuralEdit) -> bool {
        let is_allowed = match edit.kind {
            EditKind::Insert => self.allows("insert"),
            EditKind::Delete => self.allows("delete"),
            EditKind::Move { .. } => self.allows("insert") && self.allows("delete"),
        };
        if is_allowed {
            return false;
        }
        self.is_whole_sheet()
            || self.item.anchors.iter().any(|anchor| {
                let (first, last) = match edit.dimension {
                    Dimension::Rows => (anchor.first().row.get(), anchor.last().row.get()),
                    Dimension::Columns => (anchor.first().column.get(), anchor.last().column.get()),
                };
                let overlaps = edit.at <= last && first < edit.at.saturating_add(edit.count);
                let is_inside = |at: u32| first < at && at <= last;
                match edit.kind {
                    EditKind::Insert => is_inside(edit.at),
                    EditKind::Delete => overlaps,
                    EditKind::Move { to } => overlaps || is_inside(to),
                }
            })
    }

    /// `after` is the item after the operation; `None` if it is removed.
    fn forbids_item(&self, id: ItemId, after: Option<&Item>) -> bool {
        let before = self.sheet.item(id).map(|item| &**item);
        let Some(kind) = after.or(before).map(|item| item.kind) else { return false };
        match kind {
            ItemKind::ProtectedRange => id == self.id && self.has_editors(),
            // Notes and comments do not change the cells, and filter views do not affect other
            // users.
            ItemKind::Note | ItemKind::CommentThread | ItemKind::Comment | ItemKind::FilterView => false,
            ItemKind::AutoFilter | ItemKind::FilterColumn => {
                let parent = after.or(before).and_then(|item| self.sheet.item(item.parent()?));
                let is_own = parent.is_some_and(|parent| parent.kind == ItemKind::FilterView);
                !is_own && !self.allows("filter") && self.is_whole_sheet()
            }
            ItemKind::SheetSettings => self.is_whole_sheet(),
            _ => {
                let covers = |item: &Item| item.anchors.iter().any(|anchor| self.covers(*anchor));
                // An item of an exclusive kind removes the items that it overlaps.
                let drops = after.filter(|item| item.kind.schema().is_exclusive).is_some_and(|item| {
                    let mut others = self.sheet.items().of_kind(kind).filter(|(other, _)| *other != id);
                    others.any(|(_, other)| other.overlaps(item) && covers(other))
                });
                drops || before.is_some_and(covers) || after.is_some_and(covers)
            }
        }
    }
}

impl From<Protection<'_>> for Protected {
    fn from(Protection { sheet, item, .. }: Protection<'_>) -> Protected {
        let is_whole = item.boolean(Field::WholeSheet) == Some(true);
        Protected {
            sheet: sheet.name().clone(),
            range: item.anchors.first().copied().filter(|_| !is_whole),
            description: item.text(Field::Description).cloned().unwrap_or_default(),
        }
    }
}
