//! Applying operations to a workbook. Total and deterministic: an operation that cannot be applied,
//! because its sheet does not exist or its numbers are out of bounds, does nothing on every replica
//! alike.

use crate::apply::step::{Applied, Step, Touch, Touched};
pub(crate) mod capture;
mod items;
mod restructure;
mod rewrite;
pub(crate) mod step;

use std::sync::Arc;

use quadrille_cell::{Dimension, Range, SheetId};
use quadrille_formula::{Template, name_scope, without_deleted_sheet};
use quadrille_workbook::{Format, FormatPatch, Input, Workbook};

use crate::cell_styles::style_format;
use crate::rebase::permutation::{inverse_of, is_permutation};
use crate::{Limits, Operation, Transaction};

/// Applies the operations of a transaction in order. Returns the inverse and the touched parts of
/// the workbook.
pub fn apply(workbook: &mut Workbook, transaction: &Transaction) -> Applied {
    let mut inverses = Vec::with_capacity(transaction.operations.len());
    let mut touched = Touched::default();
    for operation in &transaction.operations {
        let step = apply_operation(workbook, operation);
        inverses.push(step.inverse.operations);
        touched.changes.extend(step.touched.changes);
    }
    let operations = inverses.into_iter().rev().flatten().collect();
    Applied { inverse: Transaction { operations }, touched }
}

/// Applies one operation. Returns its inverse and the touched parts of the workbook.
pub fn apply_operation(workbook: &mut Workbook, operation: &Operation) -> Applied {
    let mut step = Step::default();
    match operation {
        Operation::SetCells { sheet, range, inputs } => {
            set_cells(workbook, *sheet, *range, inputs, &mut step);
        }
        Operation::FillCells { sheet, range, input } => {
            fill_cells(workbook, *sheet, *range, input, &mut step);
        }
        Operation::SetFormat { sheet, range, patch } => {
            set_format(workbook, *sheet, *range, patch, &mut step);
        }
        Operation::Restructure(edit) => restructure::restructure(workbook, edit, &mut step),
        Operation::SetSizes { sheet, dimension, first, count, size } => {
            set_sizes(workbook, *sheet, *dimension, (*first, *count), *size, &mut step);
        }
        Operation::PermuteRows { sheet, range, order } => {
            permute_rows(workbook, *sheet, *range, order, &mut step);
        }
        Operation::AddSheet { sheet, name, position } => {
            add_sheet(workbook, *sheet, name, *position, &mut step);
        }
        Operation::RemoveSheet { sheet } => remove_sheet(workbook, *sheet, &mut step),
        Operation::RenameSheet { sheet, name } => rename_sheet(workbook, *sheet, name, &mut step),
        Operation::MoveSheet { sheet, position } => move_sheet(workbook, *sheet, *position, &mut step),
        Operation::DefineName { name, definition } => {
            define_name(workbook, name, definition.as_ref(), &mut step);
        }
        Operation::SetHidden { sheet, dimension, first, count, is_hidden } => {
            set_hidden(workbook, *sheet, *dimension, (*first, *count), *is_hidden, &mut step);
        }
        Operation::PutItem { sheet, item, content } => {
            items::put(workbook, *sheet, *item, content, &mut step);
        }
        Operation::PatchItem { sheet, item, patch } => {
            items::patch(workbook, *sheet, *item, patch, &mut step);
        }
        Operation::RemoveItem { sheet, item } => items::remove(workbook, *sheet, *item, &mut step),
        Operation::Tick => {}
    }
    let concerns_tables = step.touches.iter().any(|touch| match touch {
        Touch::Contents(sheet, range) => workbook.has_table_headers(*sheet, *range),
        Touch::Restructured(_) | Touch::Sheets | Touch::Items(_) => true,
        Touch::Rewritten(..)
        | Touch::Formats(..)
        | Touch::Sizes(..)
        | Touch::Hidden(..)
        | Touch::Names
        | Touch::Import(_) => false,
    });
    if concerns_tables && workbook.refresh_tables() {
        step.touches.push(Touch::Names);
    }
    Applied { inverse: Transaction { operations: step.inverse }, touched: Touched { changes: step.touches } }
}

fn set_cells(workbook: &mut Workbook, id: SheetId, range: Range, inputs: &[Input], step: &mut Step) {
    if inputs.len() as u64 != range.cell_count() {
        return;
    }
    let Some(sheet) = workbook.sheet_mut(id) else { return };
    step.inverse = capture::overwritten(sheet, range);
    // Column by column, so that the runs and blocks of a column are extended without a new search.
    let width = range.column_count() as usize;
    let cells: Vec<_> = (0..width).flat_map(|column| (column..inputs.len()).step_by(width)).collect();
    let first = range.first();
    for index in cells {
        let row = first.row.get() + (index / width) as u32;
        let column = first.column.get() + (index % width) as u32;
        sheet.set_input(quadrille_cell::CellAddress::clamped(row, column), &inputs[index]);
    }
    step.touches.push(Touch::Contents(id, range));
}

fn fill_cells(workbook: &mut Workbook, id: SheetId, range: Range, input: &Input, step: &mut Step) {
    let Some(sheet) = workbook.sheet_mut(id) else { return };
    step.inverse = capture::overwritten(sheet, range);
    sheet.fill_input(range, input);
    step.touches.push(Touch::Contents(id, range));
}

fn set_format(workbook: &mut Workbook, id: SheetId, range: Range, patch: &FormatPatch, step: &mut Step) {
    let style = patch.cell_style.flatten().map(|style| style_format(workbook, style));
    let Some(sheet) = workbook.sheet_mut(id) else { return };
    if patch.is_empty() {
        return;
    }
    step.inverse = capture::overwritten_formats(sheet, range, patch);
    match style {
        Some(style) => sheet.set_format(range, patch.apply_to(&Format::default()).with_style(&style)),
        None => sheet.patch_format(range, patch),
    }
    step.touches.push(Touch::Formats(id, range));
}

fn set_sizes(
    workbook: &mut Workbook,
    id: SheetId,
    dimension: Dimension,
    (first, count): (u32, u32),
    size: Option<u16>,
    step: &mut Step,
) {
    let count = count.min(dimension.len_max().saturating_sub(first));
    let Some(sheet) = workbook.sheet_mut(id) else { return };
    if count == 0 {
        return;
    }
    step.inverse = capture::overwritten_sizes(sheet, dimension, first, count);
    sheet.set_sizes(dimension, first, count, size);
    step.touches.push(Touch::Sizes(id, dimension));
}

fn set_hidden(
    workbook: &mut Workbook,
    id: SheetId,
    dimension: Dimension,
    (first, count): (u32, u32),
    is_hidden: bool,
    step: &mut Step,
) {
    let count = count.min(dimension.len_max().saturating_sub(first));
    let Some(sheet) = workbook.sheet_mut(id) else { return };
    if count == 0 {
        return;
    }
    step.inverse = capture::overwritten_hidden(sheet, dimension, first, count);
    sheet.set_hidden(dimension, first, count, is_hidden);
    step.touches.push(Touch::Sizes(id, dimension));
    if dimension == Dimension::Rows {
        step.touches.push(Touch::Hidden(id, first, first + count - 1));
    }
}

fn permute_rows(workbook: &mut Workbook, id: SheetId, range: Range, order: &[u32], step: &mut Step) {
    if order.len() != range.row_count() as usize || !is_permutation(order) {
        return;
    }
    let Some(sheet) = workbook.sheet_mut(id) else { return };
    sheet.permute_rows(range, order);
    step.inverse.push(Operation::PermuteRows { sheet: id, range, order: inverse_of(order).into() });
    step.touches.extend([Touch::Contents(id, range), Touch::Formats(id, range)]);
    items::permute_rows(workbook, id, range, order, step);
}

fn add_sheet(workbook: &mut Workbook, id: SheetId, name: &str, position: u32, step: &mut Step) {
    if workbook.sheet(id).is_some() || workbook.sheets().len() >= Limits::DEFAULT.sheets {
        return;
    }
    let name = free_sheet_name(workbook, name, None);
    if workbook.add_sheet(id, &name, position as usize) {
        step.inverse.push(Operation::RemoveSheet { sheet: id });
        step.touches.push(Touch::Sheets);
    }
}

fn remove_sheet(workbook: &mut Workbook, id: SheetId, step: &mut Step) {
    let (Some(position), true) = (workbook.position(id), workbook.sheets().len() > 1) else { return };
    if workbook.sheets().len() > 1 {
        shrink_sheet_spans(workbook, id, step);
    }
    let own_names: Vec<Arc<str>> = names_of_sheet(workbook, id).map(|(name, _)| name.clone()).collect();
    let mut names = Step::default();
    for name in own_names {
        define_name(workbook, &name, None, &mut names);
    }
    let Some(removed) = workbook.remove_sheet(id) else { return };
    let spans = std::mem::take(&mut step.inverse);
    step.inverse.push(Operation::AddSheet {
        sheet: id,
        name: removed.name().clone(),
        position: position as u32,
    });
    step.inverse.extend(capture::whole(&removed));
    step.inverse.extend(spans);
    step.inverse.extend(names.inverse);
    step.touches.push(Touch::Sheets);
    step.touches.extend(names.touches);
}

/// Shrinks the references over several sheets (`Jan:Mar!A1`) that begin or end at the removed
/// sheet: they begin or end at the next sheet instead.
fn shrink_sheet_spans(workbook: &mut Workbook, removed: SheetId, step: &mut Step) {
    let tabs: Vec<SheetId> = workbook.sheets().iter().map(|sheet| sheet.id()).collect();
    let mut changed = Vec::new();
    for sheet in workbook.sheets().iter().filter(|sheet| sheet.id() != removed) {
        for (column, first, last, template) in sheet.formula_runs(Range::whole_sheet()) {
            if let Some(after) = without_deleted_sheet(template, removed, &tabs) {
                let row = |row: u32| quadrille_cell::CellAddress::clamped(row, column.get());
                let range = Range::new(row(first), row(last));
                let input = Input::Formula(template.clone());
                step.inverse.push(Operation::FillCells { sheet: sheet.id(), range, input });
                changed.push((sheet.id(), range, Input::Formula(after)));
            }
        }
    }
    for (sheet, range, input) in changed {
        if let Some(sheet) = workbook.sheet_mut(sheet) {
            sheet.fill_input(range, &input);
        }
        step.touches.push(Touch::Contents(sheet, range));
    }
    let names: Vec<(Arc<str>, Template, Template)> = workbook
        .names()
        // Names of the removed sheet are removed with it.
        .filter(|(name, _)| name_scope(name).is_none_or(|(scope, _)| scope != removed))
        .filter_map(|(name, before)| {
            Some((name.clone(), before.clone(), without_deleted_sheet(before, removed, &tabs)?))
        })
        .collect();
    for (name, before, after) in names {
        workbook.define_name(&name, Some(after));
        step.inverse.push(Operation::DefineName { name, definition: Some(before) });
        step.touches.push(Touch::Names);
    }
}

/// Returns the names defined in one sheet.
pub(crate) fn names_of_sheet(
    workbook: &Workbook,
    sheet: SheetId,
) -> impl Iterator<Item = (&Arc<str>, &Template)> {
    workbook.names().filter(move |(name, _)| name_scope(name).is_some_and(|(scope, _)| scope == sheet))
}

fn rename_sheet(workbook: &mut Workbook, id: SheetId, name: &str, step: &mut Step) {
    let Some(sheet) = workbook.sheet(id) else { return };
    let before: Arc<str> = sheet.name().clone();
    let name = free_sheet_name(workbook, name, Some(id));
    if *before == *name {
        return;
    }
    if workbook.rename_sheet(id, &name) {
        step.inverse.push(Operation::RenameSheet { sheet: id, name: before });
        step.touches.push(Touch::Sheets);
    }
}

fn move_sheet(workbook: &mut Workbook, id: SheetId, position: u32, step: &mut Step) {
    let Some(before) = workbook.position(id) else { return };
    workbook.move_sheet(id, position as usize);
    if workbook.position(id) != Some(before) {
        step.inverse.push(Operation::MoveSheet { sheet: id, position: before as u32 });
        step.touches.push(Touch::Sheets);
    }
}

fn define_name(workbook: &mut Workbook, name: &Arc<str>, definition: Option<&Template>, step: &mut Step) {
    let before = workbook
        .names()
        .find(|(known, _)| crate::rebase::is_same_name(known, name))
        .map(|(known, template)| (known.clone(), template.clone()));
    let has_no_sheet = name_scope(name).is_some_and(|(sheet, _)| workbook.sheet(sheet).is_none());
    if has_no_sheet || before.is_none() && definition.is_none() {
        return;
    }
    workbook.define_name(name, definition.cloned());
    step.inverse.push(match before {
        Some((name, template)) => Operation::DefineName { name, definition: Some(template) },
        None => Operation::DefineName { name: name.clone(), definition: None },
    });
    step.touches.push(Touch::Names);
}

/// Returns `name`, or the first free of `name (2)`, `name (3)` … The sheet `own` may keep its name.
fn free_sheet_name(workbook: &Workbook, name: &str, own: Option<SheetId>) -> String {
    let is_free = |name: &str| workbook.sheet_by_name(name).is_none_or(|sheet| Some(sheet.id()) == own);
    if is_free(name) {
        return name.to_owned();
    }
    (2u32..)
        .map(|number| format!("{name} ({number})"))
        .find(|name| is_free(name))
        .expect("there are fewer sheets than numbers")
}
