//! Adjusts 3-D references (`Jan:Mar!A1`) when a sheet is deleted.

use quadrille_cell::SheetId;

use crate::expression::map_references;
use crate::{Expression, Reference, SheetReference, Template};

/// Returns the template after the sheet `deleted` is removed from `tabs`. If it is the first or
/// last sheet of a 3-D reference, the adjacent sheet in between replaces it, as in Excel. `None`
/// when nothing changes.
pub fn without_deleted_sheet(template: &Template, deleted: SheetId, tabs: &[SheetId]) -> Option<Template> {
    let position = |sheet: SheetId| tabs.iter().position(|tab| *tab == sheet);
    // The tab next to `from` on the way to `to`.
    let next = |from: SheetId, to: SheetId| {
        let (from, to) = (position(from)?, position(to)?);
        tabs.get(if from < to { from + 1 } else { from.checked_sub(1)? }).copied()
    };
    let mapped = map_references(template.expression(), &mut |reference| {
        let Some(SheetReference::Sheets(first, last)) = reference.sheet else { return None };
        let (first, last) = match (first == deleted, last == deleted) {
            (true, false) => (next(first, last)?, last),
            (false, true) => (first, next(last, first)?),
            _ => return None,
        };
        let sheet = match first == last {
            true => SheetReference::Sheet(first),
            false => SheetReference::Sheets(first, last),
        };
        Some(Expression::Reference(Reference { sheet: Some(sheet), area: reference.area }))
    });
    mapped.map(Template::new)
}
