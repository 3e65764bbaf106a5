//! Sheet-scoped names: `Sheet2!rate`.
//!
//! In the tree they are names with a canonical spelling: `#2!rate` is the name `rate` of the sheet
//! with id 2, so that renaming the sheet changes no formula. That spelling cannot be typed; names
//! are printed with the name of the sheet.

use quadrille_cell::SheetId;

/// Returns the canonical spelling of a sheet-scoped name.
pub fn scoped_name(sheet: SheetId, name: &str) -> String {
    format!("#{}!{name}", sheet.0)
}

/// Returns the sheet and the name of a sheet-scoped name in canonical spelling; `None` for
/// workbook-scoped names.
pub fn name_scope(name: &str) -> Option<(SheetId, &str)> {
    let (sheet, name) = name.strip_prefix('#')?.split_once('!')?;
    Some((SheetId(sheet.parse().ok()?), name))
}
