//! Analysis of templates: what the graph and the evaluator know before any value is computed.

use std::collections::BTreeSet;

use quadrille_cell::SheetId;
use quadrille_formula::{
    BinaryOperator, Coordinate, Expression, Reference, SheetReference, Template, visit_names,
};
use quadrille_functions::lookup;
use quadrille_workbook::{ImportFunction, Workbook};

use crate::hidden_rows::{FilterDependency, ignores_hidden_rows};
use crate::reference_pattern::ReferencePattern;

/// The dependencies of a run of formulas.
#[derive(Clone, Debug, Default)]
pub(crate) struct TemplateAnalysis {
    pub patterns: Vec<ReferencePattern>,
    /// Number of patterns that are references of the formula. The others are cells by which filters
    /// hide rows.
    pub reference_count: usize,
    /// Whether the formula ignores hidden rows.
    pub ignores_hidden_rows: bool,
    /// Whether the formula itself is a subtotal, which other subtotals skip.
    pub is_subtotal: bool,
    /// Whether the result depends on the evaluation context (time, random seed).
    pub volatile: bool,
    /// Whether the formula reads cells that only evaluation finds (INDIRECT, OFFSET, computed
    /// ranges).
    pub dynamic: bool,
    /// Whether the formula calls MULTIPLE.OPERATIONS, itself or through a name.
    pub replaces_values: bool,
    /// Whether the result may change when the formula or its references move although no value
    /// changed.
    pub positional: bool,
    pub uses_names: bool,
    /// Sheets in references, whether they exist or not.
    pub sheets: BTreeSet<SheetId>,
    /// Whether a reference covers all sheets between two tabs.
    pub spans_sheets: bool,
}

/// Names defined through one another more deeply are ignored, as in the evaluator.
pub(crate) const NAMES_DEPTH_MAX: usize = 16;

impl TemplateAnalysis {
    /// Analyses a template for formulas in one column of a sheet.
    pub fn new(template: &Template, sheet: SheetId, column: u32, workbook: &Workbook) -> TemplateAnalysis {
        let mut analysis = TemplateAnalysis::default();
        analysis.add(template, sheet, column, workbook, 0);
        analysis.patterns.shrink_to_fit();
        analysis.reference_count = analysis.patterns.len();
        analysis
    }

    /// Adds patterns for the filter columns that decide which of the rows read by `hosts` are
    /// hidden. `dependencies` returns the filter columns of a sheet.
    pub fn resolve_filter_dependencies<'a>(
        &mut self,
        dependencies: impl Fn(SheetId) -> &'a [FilterDependency],
        hosts: (u32, u32),
    ) {
        self.patterns.truncate(self.reference_count);
        for index in 0..self.reference_count {
            let pattern = self.patterns[index];
            let Some((first, last)) = pattern.rows_of(hosts.0, hosts.1) else { continue };
            for FilterDependency { column, rows, depends_on_whole_column } in dependencies(pattern.sheet) {
                if rows.1 < first || last < rows.0 {
                    continue;
                }
                let rows = match depends_on_whole_column {
                    true => (Coordinate::Absolute(rows.0), Coordinate::Absolute(rows.1)),
                    false => pattern.rows,
                };
                let filter_dependency = ReferencePattern { columns: (*column, *column), rows, ..pattern };
                if !self.patterns.contains(&filter_dependency) {
                    self.patterns.push(filter_dependency);
                }
            }
        }
    }

    /// Whether the formula depends on cells of its own sheet only, so that its patterns say
    /// everything.
    pub fn is_plain(&self) -> bool {
        let others = self.volatile || self.dynamic || self.positional || self.uses_names || self.spans_sheets;
        !others && !self.ignores_hidden_rows && self.sheets.is_empty()
    }

    /// Whether another formula in the same column has this analysis. `self` must be plain.
    pub fn is_plan_of(&self, template: &Template, column: u32) -> bool {
        if self.patterns.len() >= 32 {
            return false;
        }
        let mut other = TemplateAnalysis::default();
        // One bit per matched pattern, in any order.
        let mut matched = 0_u32;
        let mut is_same = true;
        quadrille_formula::visit(template.expression(), &mut |node| match node {
            Expression::Reference(reference) if reference.sheet.is_none() => {
                let Some(pattern) = self
                    .patterns
                    .first()
                    .map(|existing| existing.sheet)
                    .and_then(|sheet| ReferencePattern::new(sheet, &reference.area, column))
                else {
                    is_same = false;
                    return;
                };
                match self.patterns.iter().position(|existing| *existing == pattern) {
                    Some(index) => matched |= 1 << index,
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
        is_same && other.is_plain() && matched == (1 << self.patterns.len()) - 1
    }

    fn add(&mut self, template: &Template, sheet: SheetId, column: u32, workbook: &Workbook, depth: usize) {
        let mut has_names = false;
        quadrille_formula::visit(template.expression(), &mut |node| match node {
            Expression::Reference(reference) => self.add_reference(reference, sheet, column, workbook),
            Expression::Call { function, .. } => {
                self.add_function(function);
                self.is_subtotal |= depth == 0 && ignores_hidden_rows(function);
                // A named lambda.
                has_names |= lookup(function).is_none();
            }
            Expression::Name(_) => has_names = true,
            // `A1:B2` is one reference; the operator remains only between computed references and
            // covers cells that neither side names.
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
        let mut found = |name: &str| definitions.extend(workbook.resolve_name(sheet, name).cloned());
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
        self.ignores_hidden_rows |= ignores_hidden_rows(name);
        match name {
            // The library marks these as volatile, but they do not depend on the evaluation
            // context.
            "INDIRECT" | "OFFSET" => self.dynamic = true,
            "MULTIPLE.OPERATIONS" => (self.dynamic, self.replaces_values) = (true, true),
            // Sources of imported data are recorded as the reads of dynamic formulas are.
            _ if ImportFunction::from_name(name).is_some() => self.dynamic = true,
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
            // The source of the imported data is recorded as the reads of dynamic formulas are.
            Some(other @ SheetReference::Unknown(_)) => self.dynamic |= other.other_workbook().is_some(),
        }
    }
}

/// The sheets from one tab to another, in either order; `None` when one of them does not exist.
pub(crate) fn sheets_between(workbook: &Workbook, first: SheetId, last: SheetId) -> Option<Vec<SheetId>> {
    let (a, b) = (workbook.position(first)?, workbook.position(last)?);
    Some(workbook.sheets()[a.min(b)..=a.max(b)].iter().map(|sheet| sheet.id()).collect())
}
