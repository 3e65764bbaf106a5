//! What the graph and the evaluator need to know of a template before any value is known.

use std::collections::BTreeSet;

use quadrille_cell::SheetId;
use quadrille_formula::{BinaryOperator, Expression, Reference, SheetReference, Template, visit_names};
use quadrille_functions::lookup;
use quadrille_workbook::Workbook;

use crate::pattern::Pattern;

/// What a run of formulas depends on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub patterns: Vec<Pattern>,
    /// Depends on the stamp, or on cells that only evaluation finds (INDIRECT, OFFSET).
    pub volatile: bool,
    /// Reads cells that are in no pattern.
    pub dynamic: bool,
    /// May change its value when it or what it refers to moves, though no value changed.
    pub positional: bool,
    pub uses_names: bool,
    /// Sheets mentioned, whether they exist or not.
    pub sheets: BTreeSet<SheetId>,
    /// Refers to all sheets between two tabs.
    pub spans_sheets: bool,
}

/// Names defined through one another deeper than this are left out, as the evaluator leaves them.
pub(crate) const NAMES_DEPTH_MAX: usize = 16;

impl Plan {
    pub fn new(template: &Template, sheet: SheetId, column: u32, workbook: &Workbook) -> Plan {
        let mut plan = Plan::default();
        plan.add(template, sheet, column, workbook, 0);
        plan.patterns.shrink_to_fit();
        plan
    }

    fn add(&mut self, template: &Template, sheet: SheetId, column: u32, workbook: &Workbook, depth: usize) {
        let mut has_names = false;
        quadrille_formula::visit(template.expression(), &mut |node| match node {
            Expression::Reference(reference) => self.add_reference(reference, sheet, column, workbook),
            Expression::Call { function, .. } => {
                self.add_function(function);
                // A lambda with a name.
                has_names |= lookup(function).is_none();
            }
            Expression::Name(_) => has_names = true,
            // `A1:B2` is one reference; what is left to an operator spans cells that neither side names.
            Expression::Binary(BinaryOperator::Range, ..) => self.dynamic = true,
            Expression::Error(_) => self.positional = true,
            _ => {}
        });
        self.volatile |= self.dynamic;
        if !has_names {
            return;
        }
        self.uses_names = true;
        if depth >= NAMES_DEPTH_MAX {
            return;
        }
        let mut definitions: Vec<Template> = Vec::new();
        let mut found = |name: &str| definitions.extend(workbook.name(name).cloned());
        visit_names(template, &mut found);
        quadrille_formula::visit_calls(template, &mut |function, _| {
            if lookup(function).is_none() {
                found(function);
            }
        });
        for definition in definitions {
            self.add(&definition, sheet, column, workbook, depth + 1);
        }
    }

    fn add_function(&mut self, name: &str) {
        self.volatile |= lookup(name).is_some_and(|function| function.volatile);
        match name {
            "INDIRECT" | "OFFSET" => self.dynamic = true,
            "ROW" | "COLUMN" | "CELL" | "ADDRESS" | "SHEET" | "SHEETS" | "FORMULATEXT" => {
                self.positional = true
            }
            _ => {}
        }
    }

    fn add_reference(&mut self, reference: &Reference, host: SheetId, column: u32, workbook: &Workbook) {
        let mut add = |sheet: SheetId| {
            let Some(pattern) = Pattern::new(sheet, &reference.area, column) else { return };
            if !self.patterns.contains(&pattern) {
                self.patterns.push(pattern);
            }
        };
        match &reference.sheet {
            None => add(host),
            Some(SheetReference::Sheet(sheet)) => {
                add(*sheet);
                self.sheets.insert(*sheet);
            }
            Some(SheetReference::Sheets(first, last)) => {
                for sheet in sheets_between(workbook, *first, *last).unwrap_or_default() {
                    add(sheet);
                }
                self.sheets.extend([*first, *last]);
                self.spans_sheets = true;
            }
            Some(SheetReference::Unknown(_)) => {}
        }
    }
}

/// The sheets from one tab to another, whichever comes first; `None` when either is gone.
pub(crate) fn sheets_between(workbook: &Workbook, first: SheetId, last: SheetId) -> Option<Vec<SheetId>> {
    let (a, b) = (workbook.position(first)?, workbook.position(last)?);
    Some(workbook.sheets()[a.min(b)..=a.max(b)].iter().map(|sheet| sheet.id()).collect())
}
