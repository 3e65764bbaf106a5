//! Workbooks, ranges and formulas as JSON for agents.

use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_document::{Document, Search};
use quadrille_formula::{
    Expression, Host, SheetReference, Template, resolve_area, visit_calls, visit_names, visit_references,
};
use quadrille_functions::lookup;
use quadrille_operation::ItemDetails;
use quadrille_workbook::{Sheet, Workbook};
use serde_json::{Map, Value as Json, json};

use crate::cells::{CellReader, value_json};
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::sheet_lookup::sheet_by_name;

/// Names that are defined by one another more deeply are not followed, as in formulas.
const NAMES_DEPTH_MAX: usize = 16;
/// Cells of a range that are searched for formulas.
const SEARCHED_CELLS_MAX: usize = 100_000;

/// `Sheet!A1:B2`, as formulas write it without quotes.
pub fn reference(sheet: &Sheet, range: Range) -> String {
    format!("{}!{range}", sheet.name())
}

/// The sheet of this name; the first one without a name.
///
/// # Errors
/// `no_such_sheet`.
pub fn sheet_of<'a>(workbook: &'a Workbook, name: Option<&str>) -> Result<&'a Sheet, ApiError> {
    match name {
        Some(name) => sheet_by_name(workbook, name),
        None => Ok(&workbook.sheets()[0]),
    }
}

/// A range in A1 notation.
///
/// # Errors
/// `bad_address`.
pub fn range_of(text: &str) -> Result<Range, ApiError> {
    Range::parse_a1(text).map_err(|error| ApiError::new(ErrorCode::BadAddress, error.to_string()))
}

/// The cells of a range, row by row.
pub fn cells_of(range: Range) -> impl Iterator<Item = CellAddress> {
    let (first, last) = (range.first(), range.last());
    (first.row.get()..=last.row.get()).flat_map(move |row| {
        (first.column.get()..=last.column.get()).map(move |column| CellAddress::clamped(row, column))
    })
}

/// The sheets of a workbook with their used ranges, and how many items of each kind they have.
pub fn workbook(document: &Document) -> Json {
    let workbook = document.workbook();
    let sheets = workbook.sheets().iter().map(|sheet| {
        let mut kinds: Map<String, Json> = Map::new();
        for (_, item) in sheet.items().iter() {
            let count = kinds.entry(item.kind.name()).or_insert(json!(0));
            *count = (count.as_u64().unwrap_or(0) + 1).into();
        }
        json!({
            "name": &**sheet.name(),
            "id": sheet.id().0,
            "usedRange": sheet.used_range().map(|range| range.to_string()),
            "items": kinds,
        })
    });
    json!({ "sheets": sheets.collect::<Vec<_>>() })
}

/// The values of a range, row by row, and its formulas by cell. Whole rows and columns end with the
/// used range.
///
/// # Errors
/// `too_many_cells` beyond [`limits::AGENT_CELLS_PER_READ_MAX`].
pub fn values(document: &Document, sheet: &Sheet, range: Range) -> Result<Json, ApiError> {
    let mut reader = CellReader::new(document.workbook(), sheet);
    let range = reader.clipped(range);
    if range.cell_count() > limits::AGENT_CELLS_PER_READ_MAX {
        let message =
            format!("a call reads at most {} cells, read a part: {range}", limits::AGENT_CELLS_PER_READ_MAX);
        return Err(ApiError::new(ErrorCode::TooManyCells, message));
    }
    let (mut rows, mut formulas): (Vec<Vec<Json>>, _) = (Vec::new(), Map::new());
    for cell in cells_of(range) {
        if cell.column == range.first().column {
            rows.push(Vec::new());
        }
        let value = sheet.value(cell);
        let shown = match &value {
            // A date or an amount is shown as people see it.
            Value::Number(_) if sheet.format(cell).number_format.is_some() => {
                json!({ "value": value_json(&value), "text": reader.text(cell, &value) })
            }
            Value::Error(error) => error.text().into(),
            _ => value_json(&value),
        };
        rows.last_mut().expect("a row begins with its first cell").push(shown);
        if let Some(formula) = reader.formula(cell) {
            formulas.insert(cell.to_string(), formula.into());
        }
    }
    Ok(json!({ "sheet": &**sheet.name(), "range": range.to_string(), "rows": rows, "formulas": formulas }))
}

/// The cells that contain a text, in their displayed values or in their formulas.
///
/// # Errors
/// `bad_query` for a text that is empty, too long or no pattern.
pub fn search(document: &Document, search: &Search, sheet: Option<&Sheet>) -> Result<Json, ApiError> {
    let finder = search.compile().map_err(|error| ApiError::new(ErrorCode::BadQuery, error.to_string()))?;
    let (mut cells, mut total) = (Vec::new(), 0);
    for found_in in document.workbook().sheets() {
        let is_other = sheet.is_some_and(|sheet| sheet.id() != found_in.id());
        let (false, Some(used)) = (is_other, found_in.used_range()) else { continue };
        let found = document.find(&finder, found_in.id(), used);
        total += found.total;
        for cell in found.cells {
            if cells.len() == limits::AGENT_MATCHES_SHOWN_MAX {
                break;
            }
            let text = document.display(found_in.id(), cell).text;
            let formula = CellReader::new(document.workbook(), found_in).formula(cell);
            cells.push(json!({
                "sheet": &**found_in.name(), "cell": cell.to_string(), "text": text, "formula": formula,
            }));
        }
    }
    Ok(json!({ "total": total, "cells": cells }))
}

/// A formula with its value, the functions that it calls and the ranges that it reads, and those of the
/// cells that these read, to a depth. An error is followed to the cell in which it arises.
///
/// # Errors
/// `bad_address` when the cell has no formula.
pub fn formula(document: &Document, sheet: &Sheet, cell: CellAddress, depth: u32) -> Result<Json, ApiError> {
    let workbook = document.workbook();
    let Some(template) = sheet.formula(cell) else { return Err(no_formula(sheet, cell)) };
    let mut functions = Map::new();
    visit_calls(template, &mut |name, _| {
        if let Some(function) = lookup(name) {
            let help = format!("{}({}): {}", function.name, function.arguments, function.summary);
            functions.insert(name.to_owned(), help.into());
        }
    });
    let source = document.error_source(sheet.id(), cell).map(|source| {
        let arises_in = workbook.sheet(source.sheet);
        json!({
            "error": source.error.text(),
            "cell": arises_in.map(|sheet| reference(sheet, Range::cell(source.cell))),
        })
    });
    let mut cells_left = limits::AGENT_PRECEDENTS_SHOWN_MAX;
    Ok(json!({
        "cell": reference(sheet, Range::cell(cell)),
        "formula": CellReader::new(workbook, sheet).formula(cell),
        "value": value_json(&sheet.value(cell)),
        "text": document.display(sheet.id(), cell).text,
        "functions": functions,
        "errorSource": source,
        "precedents": precedents(document, sheet, cell, depth, &mut cells_left),
    }))
}

/// A formula with the tree of its precedents.
///
/// # Errors
/// `bad_address` when the cell has no formula.
pub fn traced(document: &Document, sheet: &Sheet, cell: CellAddress, depth: u32) -> Result<Json, ApiError> {
    let formula = CellReader::new(document.workbook(), sheet).formula(cell);
    let Some(formula) = formula else { return Err(no_formula(sheet, cell)) };
    let mut left = limits::AGENT_PRECEDENTS_SHOWN_MAX;
    let precedents = precedents(document, sheet, cell, depth, &mut left);
    Ok(json!({
        "cell": reference(sheet, Range::cell(cell)),
        "formula": formula,
        "value": value_json(&sheet.value(cell)),
        "precedents": precedents,
        "isComplete": left > 0,
    }))
}

fn no_formula(sheet: &Sheet, cell: CellAddress) -> ApiError {
    let cell = reference(sheet, Range::cell(cell));
    ApiError::new(ErrorCode::BadAddress, format!("the cell has no formula: {cell}"))
}

/// The ranges that the formula of a cell reads, also by names; for single cells with their values. To
/// the depth also the precedents of the formulas in these ranges. `left` counts what is listed.
fn precedents(document: &Document, sheet: &Sheet, cell: CellAddress, depth: u32, left: &mut usize) -> Json {
    let workbook = document.workbook();
    let Some(template) = sheet.formula(cell) else { return json!([]) };
    let host = Host { sheet: sheet.id(), cell };
    let mut ranges: Vec<(Option<String>, SheetId, Range)> = Vec::new();
    visit_references(template, &mut |reference| {
        let id = match &reference.sheet {
            None => Some(host.sheet),
            Some(SheetReference::Sheet(id)) => Some(*id),
            // References over several sheets and to missing ones are not followed.
            Some(_) => None,
        };
        if let (Some(id), Some(range)) = (id, resolve_area(&reference.area, host.cell)) {
            ranges.push((None, id, range));
        }
    });
    visit_names(template, &mut |name| {
        let named = Template::new(Expression::Name(name.into()));
        if let Some((id, range)) = referenced_range(document, host, &named) {
            ranges.push((Some(name.to_owned()), id, range));
        }
    });
    let mut listed = Vec::new();
    for (name, id, range) in ranges {
        let Some(of) = workbook.sheet(id) else { continue };
        if *left == 0 {
            break;
        }
        *left -= 1;
        let mut precedent = json!({ "range": reference(of, range) });
        if let Some(name) = name {
            precedent["name"] = name.into();
        }
        if range.cell_count() == 1 {
            let first = range.first();
            precedent["value"] = value_json(&of.value(first));
            precedent["formula"] = CellReader::new(workbook, of).formula(first).into();
            if depth > 1 && of.formula(first).is_some() {
                precedent["precedents"] = precedents(document, of, first, depth - 1, left);
            }
        } else if depth > 1 {
            let formulas = formulas_in(document, of, range, depth - 1, left);
            if !formulas.is_empty() {
                precedent["formulas"] = formulas.into();
            }
        }
        listed.push(precedent);
    }
    listed.into()
}

/// The range to which a formula refers, directly or through names.
pub fn referenced_range<'a>(
    document: &'a Document,
    host: Host,
    mut template: &'a Template,
) -> Option<(SheetId, Range)> {
    for _ in 0..NAMES_DEPTH_MAX {
        match template.expression() {
            Expression::Name(name) => template = document.workbook().resolve_name(host.sheet, name)?,
            _ => return document.referenced_range(host, template),
        }
    }
    None
}

/// The formulas in a range, each with its precedents.
fn formulas_in(document: &Document, sheet: &Sheet, range: Range, depth: u32, left: &mut usize) -> Vec<Json> {
    let mut formulas = Vec::new();
    let used = sheet.used_range().and_then(|used| used.intersection(range));
    for cell in used.into_iter().flat_map(cells_of).take(SEARCHED_CELLS_MAX) {
        if *left == 0 {
            break;
        }
        if sheet.formula(cell).is_some() {
            *left -= 1;
            formulas.push(json!({
                "cell": reference(sheet, Range::cell(cell)),
                "value": value_json(&sheet.value(cell)),
                "formula": CellReader::new(document.workbook(), sheet).formula(cell),
                "precedents": precedents(document, sheet, cell, depth, left),
            }));
        }
    }
    formulas
}

/// The items of a sheet, at most [`limits::AGENT_ITEMS_SHOWN_MAX`] of them.
pub fn items(workbook: &Workbook, sheet: &Sheet, kind: Option<&str>) -> Json {
    let (mut listed, mut total) = (Vec::new(), 0);
    for (id, item) in sheet.items().iter() {
        if kind.is_none_or(|kind| kind == item.kind.name()) {
            total += 1;
            if listed.len() < limits::AGENT_ITEMS_SHOWN_MAX {
                listed.push(ItemDetails::new(Some(sheet.id()), id, item, workbook));
            }
        }
    }
    json!({ "sheet": &**sheet.name(), "items": listed, "total": total })
}
