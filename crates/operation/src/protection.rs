//! [`protected_from`]: whether a transaction changes protected cells that its author may not edit.
//!
//! The rules are in `docs/operations.md`, "Protected cells". The room checks a transaction before
//! it assigns a revision, the replica before it sends one.

use std::fmt;
use std::sync::Arc;

use quadrille_cell::{Dimension, EditKind, Range, StructuralEdit};
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind, Sheet, Workbook};

use crate::protection_editors::{EditorIdentity, editors_of, label_of};
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
    /// Who may edit, for people to read; empty if nobody may until the protection is removed.
    pub editors: Vec<Arc<str>>,
    /// The transaction would set this protection, and its author would not be one of the editors.
    pub is_author_missing: bool,
}

/// Editors in a message; more are counted.
const EDITORS_SHOWN_MAX: usize = 3;

impl fmt::Display for Protected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Protected { sheet, range, description, editors, is_author_missing } = self;
        if *is_author_missing {
            return write!(f, "only people whom a protection names as editors can set it: {sheet}");
        }
        match range {
            Some(range) => write!(f, "these cells are protected: {sheet}!{range}")?,
            None => write!(f, "this sheet is protected: {sheet}")?,
        }
        if !description.is_empty() {
            write!(f, " ({description})")?;
        }
        for (index, editor) in editors.iter().take(EDITORS_SHOWN_MAX).enumerate() {
            f.write_str(if index == 0 { "; editors: " } else { ", " })?;
            f.write_str(editor)?;
        }
        match editors.len().saturating_sub(EDITORS_SHOWN_MAX) {
            0 => Ok(()),
            more => write!(f, ", +{more}"),
        }
    }
}

impl std::error::Error for Protected {}

/// Checks that `transaction` changes no cells that are protected from its author. `None` means that
/// the author's identity is not known here; then only protections without editors apply.
///
/// # Errors
///
/// Returns the first protection that the transaction would violate.
pub fn protected_from(
    author: Option<&EditorIdentity>,
    transaction: &Transaction,
    workbook: &Workbook,
) -> Result<(), Protected> {
    let is_protected = workbook.sheets().iter().any(|sheet| sheet.items().has_protection());
    if !is_protected && !transaction.operations.iter().any(can_set_protection) {
        return Ok(());
    }
    // The check of each operation needs the workbook that the earlier ones leave, because they may
    // move cells and change protections. The clone copies only what these operations write.
    let mut intermediate: Option<Workbook> = None;
    for (at, operation) in transaction.operations.iter().enumerate() {
        let now = intermediate.as_ref().unwrap_or(workbook);
        if let Some(sheet) = operation.sheet().and_then(|sheet| now.sheet(sheet)) {
            check(author, operation, sheet)?;
        }
        let is_last = at + 1 == transaction.operations.len();
        if !is_last && (intermediate.is_some() || affects_later_checks(operation)) {
            apply_operation(intermediate.get_or_insert_with(|| workbook.clone()), operation);
        }
    }
    Ok(())
}

fn can_set_protection(operation: &Operation) -> bool {
    match operation {
        Operation::PutItem { content, .. } => content.kind == ItemKind::ProtectedRange,
        Operation::PatchItem { patch, .. } => patch.kind == ItemKind::ProtectedRange,
        _ => false,
    }
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

fn check(author: Option<&EditorIdentity>, operation: &Operation, sheet: &Sheet) -> Result<(), Protected> {
    if sheet.items().has_protection() {
        for (id, item) in sheet.items().of_kind(ItemKind::ProtectedRange) {
            let protection = Protection { sheet, id, item };
            let is_open = item.boolean(Field::WarningOnly) == Some(true) || protection.can_edit(author);
            if !is_open && protection.forbids(operation) {
                return Err(protection.into());
            }
        }
    }
    check_author_is_named(author, operation, sheet)
}

/// Nobody can set a protection that excludes the person who sets it: in a workbook that nobody owns,
/// nobody could remove it.
fn check_author_is_named(
    author: Option<&EditorIdentity>,
    operation: &Operation,
    sheet: &Sheet,
) -> Result<(), Protected> {
    let (id, after) = match operation {
        Operation::PutItem { item, content, .. } => (*item, Arc::clone(content)),
        Operation::PatchItem { item, patch, .. } if patch.kind == ItemKind::ProtectedRange => {
            let Some(before) = sheet.item(*item) else { return Ok(()) };
            (*item, Arc::new(patch.apply_to(before)))
        }
        _ => return Ok(()),
    };
    let is_restricted = after.kind == ItemKind::ProtectedRange
        && after.boolean(Field::WarningOnly) != Some(true)
        && !editors_of(&after).is_empty();
    let Some(author) = author.filter(|_| is_restricted) else { return Ok(()) };
    if author.is_named_by(editors_of(&after)) {
        return Ok(());
    }
    let protection = Protection { sheet, id, item: &after };
    Err(Protected { is_author_missing: true, ..protection.into() })
}

struct Protection<'a> {
    sheet: &'a Sheet,
    id: ItemId,
    item: &'a Item,
}

impl Protection<'_> {
    fn can_edit(&self, author: Option<&EditorIdentity>) -> bool {
        let editors = editors_of(self.item);
        // Without editors, the cells are protected against accidents, and from everybody.
        !editors.is_empty() && author.is_none_or(|author| author.is_named_by(editors))
    }

    /// Returns whether the protection names editors. If it does, only they may change or remove it.
    fn has_editors(&self) -> bool {
        !editors_of(self.item).is_empty()
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
                // Cells that an insertion pushes off the sheet's end are lost.
                let is_pushed_off =
                    edit.at <= last && last.saturating_add(edit.count) >= edit.dimension.len_max();
                match edit.kind {
                    EditKind::Insert => is_inside(edit.at) || is_pushed_off,
                    EditKind::Delete => overlaps,
                    EditKind::Move { to } => overlaps || is_inside(to),
                }
            })
    }

    /// `after` is the item after the operation; `None` if it is removed.
    fn forbids_item(&self, id: ItemId, after: Option<&Item>) -> bool {
        if id == self.id && self.has_editors() {
            return true; // whatever would replace it
        }
        let before = self.sheet.item(id).map(|item| &**item);
        let Some(kind) = after.or(before).map(|item| item.kind) else { return false };
        match kind {
            // Notes, comments, reactions and suggestions do not change the cells, and filter views do
            // not affect other users. Further protections only add to this one.
            ItemKind::ProtectedRange
            | ItemKind::Note
            | ItemKind::CommentThread
            | ItemKind::Comment
            | ItemKind::Suggestion
            | ItemKind::Reaction
            | ItemKind::FilterView => false,
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
            editors: editors_of(item).iter().filter_map(label_of).collect(),
            is_author_missing: false,
        }
    }
}
