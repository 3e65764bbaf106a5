//! References across tabs, `Jan:Mar!A1`, when one of the two tabs is removed.

use quadrille_cell::SheetId;

use crate::expression::map_references;
use crate::{Expression, Reference, SheetReference, Template};

/// What `template` becomes when the sheet `gone` is removed from `tabs`: where it is the first or last of several tabs,
/// the next one between them takes its place, as in Excel. `None` when nothing changes.
pub fn without_sheet(template: &Template, gone: SheetId, tabs: &[SheetId]) -> Option<Template> {
    let place = |sheet: SheetId| tabs.iter().position(|tab| *tab == sheet);
    // The tab next to `from` on the way to `to`.
    let next = |from: SheetId, to: SheetId| {
        let (from, to) = (place(from)?, place(to)?);
        tabs.get(if from < to { from + 1 } else { from.checked_sub(1)? }).copied()
    };
    let mapped = map_references(template.expression(), &mut |reference| {
        let Some(SheetReference::Sheets(first, last)) = reference.sheet else { return None };
        let (first, last) = match (first == gone, last == gone) {
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
