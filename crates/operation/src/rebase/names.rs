//! Defined names (R14, R15): comparison, and the cell to which definitions are relative.

use quadrille_cell::SheetId;
use quadrille_formula::Host;

/// Returns whether two names are equal without regard to case, as in formulas.
pub(crate) fn is_same_name(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}

/// The host of a name's definition: cell A1 of no sheet, because a name is not in a sheet.
pub(crate) fn name_host() -> Host {
    Host { sheet: SheetId(0), cell: quadrille_cell::CellAddress::default() }
}
