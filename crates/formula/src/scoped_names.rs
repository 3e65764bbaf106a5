//! Names of one sheet alone: `Sheet2!rate`.
//!
//! Like references to tables they are names in one spelling: `#2!rate` is the `rate` of the sheet with identity 2, so
//! that renaming the sheet changes no formula. Nobody can type that spelling; it is printed with the sheet's name.

use quadrille_cell::SheetId;

/// What `name` is called as the name of one sheet alone.
pub fn scoped_name(sheet: SheetId, name: &str) -> String {
    format!("#{}!{name}", sheet.0)
}

/// The sheet that the name belongs to, and what it is called there; `None` for the names of a whole workbook.
pub fn name_scope(name: &str) -> Option<(SheetId, &str)> {
    let (sheet, name) = name.strip_prefix('#')?.split_once('!')?;
    Some((SheetId(sheet.parse().ok()?), name))
}
