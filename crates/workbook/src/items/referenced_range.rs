//! The range that a formula field of an item refers to.

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_formula::{Expression, Reference, SheetReference, Template, resolve_area};

use crate::{Field, Item, Workbook};

/// Names defined through one another more deeply are not followed, as in formulas.
const NAMES_DEPTH_MAX: usize = 16;

impl Workbook {
    /// The sheet and range that a formula field of an item on the sheet `host` refers to, directly
    /// or by a defined name. `None` for anything but one range of one sheet.
    pub fn referenced_range(&self, host: SheetId, item: &Item, field: Field) -> Option<(SheetId, Range)> {
        let (at, template) = item.formula(field)?;
        self.range_of_formula(host, at, template)
    }

    /// The sheet and range that a formula of the sheet `host`, as it reads in the cell `at`, refers
    /// to, directly or by a defined name. `None` for anything but one range of one sheet.
    pub fn range_of_formula(
        &self,
        host: SheetId,
        at: CellAddress,
        template: &Template,
    ) -> Option<(SheetId, Range)> {
        let mut template = template;
        for _ in 0..=NAMES_DEPTH_MAX {
            match without_parentheses(template.expression()) {
                Expression::Reference(reference) => return range_of_reference(reference, host, at),
                Expression::Name(name) => template = self.resolve_name(host, name)?,
                _ => return None,
            }
        }
        None
    }
}

/// The expression inside of its outer parentheses.
pub fn without_parentheses(expression: &Expression) -> &Expression {
    match expression {
        Expression::Parenthesised(inner) => without_parentheses(inner),
        other => other,
    }
}

/// The sheet and range of a reference as it reads in the cell `at` of the sheet `host`. `None` for a
/// reference to several sheets or to a sheet that does not exist.
pub fn range_of_reference(reference: &Reference, host: SheetId, at: CellAddress) -> Option<(SheetId, Range)> {
    let sheet = match &reference.sheet {
        None => host,
        Some(SheetReference::Sheet(sheet)) => *sheet,
        Some(_) => return None,
    };
    Some((sheet, resolve_area(&reference.area, at)?))
}
