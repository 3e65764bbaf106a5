//! Planning of commands on defined names.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_formula::{
    Area, CellReference, Coordinate, Expression, Host, Reference, SheetReference, Template, map_names,
    name_scope, parse, scoped_name, visit_calls, visit_names,
};
use quadrille_workbook::{Field, FieldValue, Input, Items, Sheet, Workbook};

use crate::plan::planner::{Plan, Planner};
use crate::rebase::is_same_name;
use crate::{CommandError, ItemPatch, Operation, OperationError, validate_name};

impl Planner<'_> {
    /// Returns the name as operations spell it, with its sheet if it is local.
    pub fn scoped(&self, name: &str, is_local: bool, sheet: u32) -> Result<String, CommandError> {
        let (name, sheet) = (name.trim(), self.sheet(sheet)?.id());
        Ok(if is_local { scoped_name(sheet, name) } else { name.to_owned() })
    }

    /// Completes `plan`, which defines the name `to`, so that it replaces the name `from` in all
    /// formulas.
    pub fn rename(&self, from: &str, to: &str, mut plan: Vec<Operation>) -> Plan {
        if is_same_name(from, to) {
            return Ok(plan);
        }
        if self.workbook.name(from).is_none() {
            return Err(CommandError::UnknownName { name: from.to_owned() });
        }
        if self.workbook.name(to).is_some() {
            let name = name_scope(to).map_or(to, |(_, name)| name).to_owned();
            return Err(OperationError::BadName { name, reason: "is taken" }.into());
        }
        plan.push(Operation::DefineName { name: from.into(), definition: None });
        let scope = name_scope(from);
        let renamed = |sheet: Option<SheetId>, name: &str| {
            if is_same_name(name, from) {
                return Some(to.to_owned());
            }
            // In its own sheet, a local name is usually written without the sheet.
            let local = scope.filter(|(own, local)| sheet == Some(*own) && is_same_name(name, local));
            local.and(name_scope(to)).map(|(_, to)| to.to_owned())
        };
        plan.extend(formulas_rewritten(self.workbook, &|sheet, template| {
            with_other_names(template, &|name| {
                // A local name of the sheet hides the workbook's name.
                let is_hidden = scope.is_none()
                    && sheet.is_some_and(|sheet| self.workbook.name(&scoped_name(sheet, from)).is_some());
                if is_hidden { None } else { renamed(sheet, name) }
            })
        }));
        Ok(plan)
    }

    /// Plans the definition of a name, or its removal if `definition` is `None`.
    pub fn define_name(&self, name: &str, definition: Option<&str>, sheet: &Sheet) -> Plan {
        let Some(text) = definition else {
            if self.workbook.name(name).is_none() {
                return Err(CommandError::UnknownName { name: name.to_owned() });
            }
            return Ok(vec![Operation::DefineName { name: Arc::from(name), definition: None }]);
        };
        validate_name(name_scope(name).map_or(name, |(_, name)| name), &self.limits)?;
        let host = Host { sheet: sheet.id(), cell: CellAddress::default() };
        let template = parse(text.strip_prefix('=').unwrap_or(text), host, self.workbook);
        let definition = Template::new(absolute(template.expression(), sheet.id()));
        Ok(vec![Operation::DefineName { name: Arc::from(name), definition: Some(definition) }])
    }
}

/// Returns the operations that replace the formulas of cells, names and items (conditional formats,
/// data validation, charts) for which `rewritten` returns another. The function is given the sheet
/// of the formula.
pub(super) fn formulas_rewritten(
    workbook: &Workbook,
    rewritten: &dyn Fn(Option<SheetId>, &Template) -> Option<Template>,
) -> Vec<Operation> {
    let mut plan = Vec::new();
    for sheet in workbook.sheets() {
        for (column, first, last, template) in sheet.formula_runs(Range::whole_sheet()) {
            if let Some(template) = rewritten(Some(sheet.id()), template) {
                let row = |row: u32| CellAddress::clamped(row, column.get());
                let range = Range::new(row(first), row(last));
                plan.push(Operation::FillCells { sheet: sheet.id(), range, input: Input::Formula(template) });
            }
        }
    }
    for (name, template) in workbook.names() {
        let sheet = name_scope(name).map(|(sheet, _)| sheet);
        if let Some(template) = rewritten(sheet, template) {
            plan.push(Operation::DefineName { name: name.clone(), definition: Some(template) });
        }
    }
    let homes = workbook.sheets().iter().map(|sheet| Some(sheet.id())).chain([None]);
    for sheet in homes {
        for (item, content) in workbook.items_of(sheet).into_iter().flat_map(Items::iter) {
            let mut patch = ItemPatch::new(content.kind);
            for (field, value) in &content.fields {
                let map = &|at, template: &_| {
                    Some(FieldValue::Formula { at, template: rewritten(sheet, template)? })
                };
                if let Some(value) = value_mapped(value, map) {
                    patch.fields.insert(*field, Some(value));
                }
            }
            if !patch.is_empty() {
                plan.push(Operation::PatchItem { sheet, item, patch });
            }
        }
    }
    plan
}

/// Maps the formulas of fields in place, as [`value_mapped`] does. Returns whether one has changed.
pub(super) fn map_fields(
    fields: &mut BTreeMap<Field, FieldValue>,
    map: &dyn Fn(CellAddress, &Template) -> Option<FieldValue>,
) -> bool {
    let mut is_other = false;
    for value in fields.values_mut() {
        if let Some(other) = value_mapped(value, map) {
            *value = other;
            is_other = true;
        }
    }
    is_other
}

/// Returns the value with its formulas, each with the cell in which it reads so, replaced; `None` if none
/// changes.
pub(super) fn value_mapped(
    value: &FieldValue,
    map: &dyn Fn(CellAddress, &Template) -> Option<FieldValue>,
) -> Option<FieldValue> {
    match value {
        FieldValue::Formula { at, template } => map(*at, template),
        FieldValue::List(values) => {
            let mut values = values.clone();
            let mut is_other = false;
            for value in &mut values {
                if let Some(other) = value_mapped(value, map) {
                    *value = other;
                    is_other = true;
                }
            }
            is_other.then_some(FieldValue::List(values))
        }
        FieldValue::Record(fields) => {
            let mut fields = fields.clone();
            map_fields(&mut fields, map).then_some(FieldValue::Record(fields))
        }
        FieldValue::Boolean(_) | FieldValue::Number(_) | FieldValue::Text(_) | FieldValue::Color(_) => None,
    }
}

/// Returns the formula with names replaced. Parameters of LET and LAMBDA do not change.
pub(super) fn with_other_names(
    template: &Template,
    renamed: &dyn Fn(&str) -> Option<String>,
) -> Option<Template> {
    let mut found = Vec::new();
    visit_names(template, &mut |name| found.extend(renamed(name).map(|_| name.to_lowercase())));
    visit_calls(template, &mut |function, _| {
        found.extend(renamed(function).map(|_| function.to_lowercase()));
    });
    if found.is_empty() {
        return None;
    }
    map_names(template, &mut |name| {
        if found.contains(&name.to_lowercase()) { renamed(name) } else { None }
    })
}

/// Returns the expression with absolute references that include their sheet, so that a name has the
/// same meaning wherever it is used.
fn absolute(expression: &Expression, sheet: SheetId) -> Expression {
    let inner = |expression: &Expression| absolute(expression, sheet);
    let boxed = |expression: &Expression| Box::new(absolute(expression, sheet));
    match expression {
        Expression::Reference(reference) => Expression::Reference(Reference {
            sheet: reference.sheet.clone().or(Some(SheetReference::Sheet(sheet))),
            area: absolute_area(&reference.area),
        }),
        Expression::Call { function, arguments } => {
            Expression::Call { function: function.clone(), arguments: arguments.iter().map(inner).collect() }
        }
        Expression::Apply { callee, arguments } => {
            Expression::Apply { callee: boxed(callee), arguments: arguments.iter().map(inner).collect() }
        }
        Expression::Unary(operator, operand) => Expression::Unary(*operator, boxed(operand)),
        Expression::Binary(operator, left, right) => Expression::Binary(*operator, boxed(left), boxed(right)),
        Expression::Parenthesised(operand) => Expression::Parenthesised(boxed(operand)),
        Expression::Array(rows) => {
            Expression::Array(rows.iter().map(|row| row.iter().map(inner).collect()).collect())
        }
        Expression::Number(_)
        | Expression::Text(_)
        | Expression::Boolean(_)
        | Expression::Error(_)
        | Expression::Missing
        | Expression::Name(_)
        | Expression::Invalid(_) => expression.clone(),
    }
}

fn absolute_area(area: &Area) -> Area {
    let cell = |reference: &CellReference| CellReference {
        row: absolute_coordinate(reference.row),
        column: absolute_coordinate(reference.column),
    };
    match area {
        Area::Cell(reference) => Area::Cell(cell(reference)),
        Area::Cells(first, last) => Area::Cells(cell(first), cell(last)),
        Area::Rows(first, last) => Area::Rows(absolute_coordinate(*first), absolute_coordinate(*last)),
        Area::Columns(first, last) => Area::Columns(absolute_coordinate(*first), absolute_coordinate(*last)),
    }
}

/// Relative to A1, an offset is an index.
fn absolute_coordinate(coordinate: Coordinate) -> Coordinate {
    match coordinate {
        Coordinate::Relative(offset) => u32::try_from(offset).map_or(coordinate, Coordinate::Absolute),
        Coordinate::Absolute(_) => coordinate,
    }
}
