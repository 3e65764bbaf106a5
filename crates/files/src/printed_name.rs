//! The spelling of a defined name.

use std::sync::Arc;

use quadrille_formula::{Expression, Host, Template, print};
use quadrille_workbook::Workbook;

/// A defined name as it is typed into a cell of the first sheet: with the name of the sheet of its scope.
pub(crate) fn printed_name(name: &Arc<str>, workbook: &Workbook) -> String {
    let host = Host { sheet: workbook.sheets()[0].id(), cell: Default::default() };
    print(&Template::new(Expression::Name(name.clone())), host, workbook)
}
