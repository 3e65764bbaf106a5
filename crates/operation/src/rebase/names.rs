//! Defined names: their comparison and the cell that their formulas are relative to.

use quadrille_cell::SheetId;
use quadrille_formula::Host;

/// Names compare without regard to case, as everywhere in formulas.
pub(crate) fn is_same_name(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}

/// Where a name's definition is taken to stand: nowhere, for it is not on a sheet.
pub(crate) fn name_host() -> Host {
    Host { sheet: SheetId(0), cell: quadrille_cell::CellAddress::default() }
}
