//! What the graph and the evaluator need to know of a template before any value is known.

use std::collections::BTreeSet;

use quadrille_cell::SheetId;
use quadrille_formula::{
    BinaryOperator, Coordinate, Expression, Reference, SheetReference, Template, visit_names,
};
use quadrille_functions::lookup;
use quadrille_workbook::Workbook;

use crate::hidden_rows::{FilterDependency, ignores_hidden_rows};
use crate::reference_pattern::ReferencePattern;

/// What a run of formulas depends on.
#[derive(Clone, Debug, Default)]
pub(crate) struct TemplateAnalysis {
    pub patterns: Vec<ReferencePattern>,
    /// How many of the patterns are those of the formula's references. The others are cells by which filters hide rows.
    pub own: usize,
    /// Leaves out rows that are hidden.
    pub leaves_out: bool,
    /// The formula itself is a subtotal, which others leave out.
    pub is_subtotal: bool,
    /// Depends on the stamp.
    pub volatile: bool,
    /// Reads cells that only evaluation finds, and that are in no pattern (INDIRECT, OFFSET).
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

impl TemplateAnalysis {
    pub fn new(template: &Template, sheet: SheetId, column: u32, workbook: &Workbook) -> TemplateAnalysis {
        let mut plan = TemplateAnalysis::default();
        plan.add(template, sheet, column, workbook, 0);
        plan.patterns.shrink_to_fit();
        plan.own = plan.patterns.len();
        plan
    }

    /// Takes in the cells that decide whether rows are hidden which the formulas in `hosts` read. `deciding` are the columns
    /// of a sheet.
    pub fn judge<'a>(&mut self, deciding: impl Fn(SheetId) -> &'a [FilterDependency], hosts: (u32, u32)) {
        self.patterns.truncate(self.own);
        for place in 0..self.own {
            let pattern = self.patterns[place];
            let Some((first, last)) = pattern.rows_of(hosts.0, hosts.1) else { continue };
            for FilterDependency { column, rows, ranks } in deciding(pattern.sheet) {
                if rows.1 < first || last < rows.0 {
                    continue;
                }
                let rows = match ranks {
                    true => (Coordinate::Absolute(rows.0), Coordinate::Absolute(rows.1)),
                    false => pattern.rows,
                };
                let deciding = ReferencePattern { columns: (*column, *column), rows, ..pattern };
                if !self.patterns.contains(&deciding) {
                    self.patterns.push(deciding);
                }
            }
        }
    }

    /// Whether the plan says all about formulas like this one: nothing but cells of the host's own sheet.
    pub fn is_plain(&self) -> bool {
        let others = self.volatile || self.dynamic || self.positional || self.uses_names || self.spans_sheets;
        !others && !self.leaves_out && self.sheets.is_empty()
    }

    /// Whether another formula in the same column has this plan, which is a plain one.
    pub fn is_plan_of(&self, template: &Template, column: u32) -> bool {
        if self.patterns.len() >= 32 {
            return false;
        }
        let mut other = TemplateAnalysis::default();
        // One bit for each pattern that is met, in whatever order.
        let mut met = 0_u32;
        let mut is_same = true;
        quadrille_formula::visit(template.expression(), &mut |node| match node {
            Expression::Reference(reference) if reference.sheet.is_none() => {
                let Some(pattern) = self
                    .patterns
                    .first()
                    .map(|known| known.sheet)
                    .and_then(|sheet| ReferencePattern::new(sheet, &reference.area, column))
                else {
                    is_same = false;
                    return;
                };
                match self.patterns.iter().position(|known| *known == pattern) {
                    Some(place) => met |= 1 << place,
                    None => is_same = false,
                }
            }
            Expression::Call { function, .. } => {
                other.add_function(function);
                is_same &= lookup(function).is_some();
            }
            Expression::Reference(_) | Expression::Name(_) | Expression::Error(_) => is_same = false,
            Expression::Binary(BinaryOperator::Range, ..) => is_same = false,
            _ => {}
        });
        is_same && other.is_plain() && met == (1 << self.patterns.len()) - 1
    }

    fn add(&mut self, template: &Template, sheet: SheetId, column: u32, workbook: &Workbook, depth: usize) {
        let mut has_names = false;
        quadrille_formula::visit(template.expression(), &mut |node| match node {
            Expression::Reference(reference) => self.add_reference(reference, sheet, column, workbook),
            Expression::Call { function, .. } => {
                self.add_function(function);
                self.is_subtotal |= depth == 0 && ignores_hidden_rows(function);
                // A lambda with a name.
                has_names |= lookup(function).is_none();
            }
            Expression::Name(_) => has_names = true,
            // `A1:B2` is one reference; what is left to an operator spans cells that neither side names.
            Expression::Binary(BinaryOperator::Range, ..) => self.dynamic = true,
            Expression::Error(_) => self.positional = true,
            _ => {}
        });
        if !has_names {
            return;
        }
        self.uses_names = true;
        if depth >= NAMES_DEPTH_MAX {
            return;
        }
        let mut definitions: Vec<Template> = Vec::new();
        let mut found = |name: &str| definitions.extend(workbook.name_seen_from(sheet, name).cloned());
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
        self.leaves_out |= ignores_hidden_rows(name);
        match name {
            // Not on the stamp, whatever else they are said to be.
            "INDIRECT" | "OFFSET" => self.dynamic = true,
            "ROW" | "COLUMN" | "CELL" | "ADDRESS" | "SHEET" | "SHEETS" | "FORMULATEXT" => {
                self.positional = true
            }
            _ => {}
        }
        if !matches!(name, "INDIRECT" | "OFFSET") {
            self.volatile |= lookup(name).is_some_and(|function| function.volatile);
        }
    }

    fn add_reference(&mut self, reference: &Reference, host: SheetId, column: u32, workbook: &Workbook) {
        let mut add = |sheet: SheetId| {
            let Some(pattern) = ReferencePattern::new(sheet, &reference.area, column) else { return };
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
