//! Cells as JSON: what `/api/v1/rooms/{room}/sheets/{sheet}/cells/{range}` reads and writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, ErrorValue, Range, Value};
use quadrille_formula::Host;
use quadrille_number_format::{NumberFormat, Typing, read_typed_in};
use quadrille_operation::{FormatChange, Operation, Transaction};
use quadrille_workbook::{Format, FormatPatch, Input, Sheet, Workbook};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// How references in formulas are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notation {
    #[default]
    A1,
    R1c1,
}

/// Reads cells of one sheet, keeping the parsed number formats it meets.
pub struct CellReader<'a> {
    workbook: &'a Workbook,
    sheet: &'a Sheet,
    notation: Notation,
    number_formats: BTreeMap<Arc<str>, NumberFormat>,
}

impl<'a> CellReader<'a> {
    pub fn new(workbook: &'a Workbook, sheet: &'a Sheet) -> CellReader<'a> {
        CellReader { workbook, sheet, notation: Notation::A1, number_formats: BTreeMap::new() }
    }

    pub fn writing(self, notation: Notation) -> CellReader<'a> {
        CellReader { notation, ..self }
    }

    /// One cell: `value`, the `text` shown, and `formula` and `format` where there are any.
    pub fn cell(&mut self, address: CellAddress) -> Json {
        let value = self.sheet.value(address);
        let mut cell = Map::new();
        cell.insert("value".into(), value_json(&value));
        cell.insert("text".into(), self.text(address, &value).into());
        if let Some(formula) = self.formula(address) {
            cell.insert("formula".into(), formula.into());
        }
        let format = format_json(self.sheet.format(address));
        if !format.is_empty() {
            cell.insert("format".into(), format.into());
        }
        Json::Object(cell)
    }

    /// The cells of `range` row by row; what lies beyond the used part of a sheet is left out of whole rows and
    /// columns.
    pub fn range(&mut self, range: Range) -> Result<(Range, Json), ApiError> {
        let range = self.clipped(range);
        if range.cell_count() > limits::CELLS_PER_READ_MAX {
            let message = format!("one request reads at most {} cells: {range}", limits::CELLS_PER_READ_MAX);
            return Err(ApiError::new(ErrorCode::TooManyCells, message));
        }
        let (first, last) = (range.first(), range.last());
        let rows = (first.row.get()..=last.row.get()).map(|row| {
            let cells = (first.column.get()..=last.column.get())
                .map(|column| self.cell(CellAddress::clamped(row, column)));
            Json::Array(cells.collect())
        });
        let rows = Json::Array(rows.collect());
        Ok((range, rows))
    }

    fn clipped(&self, range: Range) -> Range {
        if !range.is_whole_columns() && !range.is_whole_rows() {
            return range;
        }
        let used = self.sheet.used_range().unwrap_or(Range::cell(CellAddress::default()));
        let end = CellAddress {
            row: range.last().row.min(used.last().row).max(range.first().row),
            column: range.last().column.min(used.last().column).max(range.first().column),
        };
        Range::new(range.first(), end)
    }

    /// With its `=`.
    pub fn formula(&self, address: CellAddress) -> Option<String> {
        let template = self.sheet.formula(address)?;
        let host = Host { sheet: self.sheet.id(), cell: address };
        Some(match self.notation {
            Notation::A1 => format!("={}", quadrille_formula::print(template, host, self.workbook)),
            Notation::R1c1 => format!("={}", quadrille_formula::print_r1c1(template, host, self.workbook)),
        })
    }

    /// What the cell shows.
    pub fn text(&mut self, address: CellAddress, value: &Value) -> String {
        let code = self.sheet.format(address).number_format.clone().unwrap_or_else(|| "General".into());
        let dates = self.workbook.date_system();
        let format = self
            .number_formats
            .entry(code)
            .or_insert_with_key(|code| NumberFormat::parse(code).counting(dates));
        format.format(value).text
    }
}

pub fn value_json(value: &Value) -> Json {
    match value {
        Value::Blank => Json::Null,
        Value::Number(number) => number_json(*number),
        Value::Boolean(boolean) => Json::Bool(*boolean),
        Value::Text(text) => Json::String(text.to_string()),
        Value::Error(error) => json!({ "error": error.text() }),
    }
}

/// Whole numbers without a point: `5`, not `5.0`.
pub fn number_json(number: f64) -> Json {
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0; // 2^53: below this every whole number is exact
    match number {
        whole if whole.fract() == 0.0 && whole.abs() < EXACT_MAX => json!(whole as i64),
        other => json!(other),
    }
}

/// The attributes that differ from an untouched cell's.
pub fn format_json(format: &Format) -> Map<String, Json> {
    match serde_json::to_value(FormatChange::from(format)) {
        Ok(Json::Object(attributes)) => attributes,
        _ => Map::new(), // a struct with named fields is an object
    }
}

/// `null` counts as given, unlike an absent member.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

/// What to do to one cell. An object without members leaves the cell as it is.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct GivenCell {
    /// Exactly this value.
    #[serde(default, deserialize_with = "present")]
    value: Option<Json>,
    /// A formula, with or without `=`.
    formula: Option<String>,
    /// A text read as if a person had typed it.
    input: Option<String>,
    format: Option<FormatChange>,
    /// Sent back by those who write what they have read; what is shown follows from the rest.
    #[serde(rename = "text")]
    _text: Option<String>,
}

/// The body of `PUT …/cells/{range}`: `{"cells": [[…]]}`, or one cell for every cell of the range.
pub fn write_cells(
    workbook: &Workbook,
    sheet: &Sheet,
    range: Range,
    body: &Json,
    notation: Notation,
) -> Result<Transaction, ApiError> {
    let rows = body.as_object().and_then(|object| object.get("cells"));
    let mut write = Write { notation, ..Write::new(workbook, sheet) };
    if range.cell_count() > limits::CELLS_PER_WRITE_MAX {
        let message = format!("one request writes at most {} cells: {range}", limits::CELLS_PER_WRITE_MAX);
        return Err(ApiError::new(ErrorCode::TooManyCells, message));
    }
    match rows {
        None => range.cells().try_for_each(|address| write.cell(address, body))?,
        Some(rows) => {
            let rows = array_of(rows, range.row_count(), "rows", range)?;
            for (row, cells) in rows.iter().enumerate() {
                let cells = array_of(cells, range.column_count(), "cells in each row", range)?;
                for (column, cell) in cells.iter().enumerate() {
                    let at = range.first();
                    let address =
                        CellAddress::clamped(at.row.get() + row as u32, at.column.get() + column as u32);
                    write.cell(address, cell)?;
                }
            }
        }
    }
    Ok(write.transaction())
}

/// The body of `POST …/rows`: `{"rows": [[…]]}`, put below the last used row.
pub fn append_rows(
    workbook: &Workbook,
    sheet: &Sheet,
    body: &Json,
) -> Result<(Range, Transaction), ApiError> {
    let shape =
        || ApiError::new(ErrorCode::BadJson, "the body is {\"rows\": [[cell, …], …]} with at least one cell");
    let rows = body.as_object().and_then(|object| object.get("rows")?.as_array()).ok_or_else(shape)?;
    let width = rows.iter().map(|row| row.as_array().map_or(0, Vec::len)).max().unwrap_or(0);
    let first_row = sheet.used_range().map_or(0, |used| used.last().row.get() + 1);
    if width == 0 {
        return Err(shape());
    }
    let cells: u64 = rows.len() as u64 * width as u64;
    if cells > limits::CELLS_PER_WRITE_MAX {
        let message = format!("one request writes at most {} cells: {cells}", limits::CELLS_PER_WRITE_MAX);
        return Err(ApiError::new(ErrorCode::TooManyCells, message));
    }
    let last_row = u64::from(first_row) + rows.len() as u64 - 1;
    let range = u32::try_from(last_row).ok();
    let range = range.and_then(|last_row| Range::from_indices(first_row, 0, last_row, width as u32 - 1));
    let range = range.ok_or_else(|| {
        ApiError::new(ErrorCode::TooManyCells, format!("the sheet has no room for {} more rows", rows.len()))
    })?;
    let mut write = Write::new(workbook, sheet);
    for (row, cells) in rows.iter().enumerate() {
        for (column, cell) in cells.as_array().ok_or_else(shape)?.iter().enumerate() {
            write.cell(CellAddress::clamped(first_row + row as u32, column as u32), cell)?;
        }
    }
    Ok((range, write.transaction()))
}

fn array_of<'j>(json: &'j Json, count: u32, what: &str, range: Range) -> Result<&'j Vec<Json>, ApiError> {
    let array = json.as_array().filter(|array| array.len() == count as usize);
    array.ok_or_else(|| ApiError::new(ErrorCode::BadJson, format!("{range} takes {count} {what}")))
}

/// Collects what is written, in as few operations as the order of cells allows.
struct Write<'a> {
    workbook: &'a Workbook,
    sheet: &'a Sheet,
    notation: Notation,
    /// Row-wise neighbours go into one operation.
    run: Option<(CellAddress, Vec<Input>)>,
    contents: Vec<Operation>,
    formats: Vec<Operation>,
}

impl<'a> Write<'a> {
    fn new(workbook: &'a Workbook, sheet: &'a Sheet) -> Write<'a> {
        Write {
            workbook,
            sheet,
            notation: Notation::A1,
            run: None,
            contents: Vec::new(),
            formats: Vec::new(),
        }
    }

    fn cell(&mut self, address: CellAddress, given: &Json) -> Result<(), ApiError> {
        let bad = |why: String| ApiError::new(ErrorCode::BadJson, format!("cell {address}: {why}"));
        if !given.is_object() {
            let input = scalar(given).map_err(bad)?;
            self.put(address, input);
            return Ok(());
        }
        if let Some(error) = error_value(given) {
            self.put(address, Value::Error(error).into());
            return Ok(());
        }
        let cell = GivenCell::deserialize(given).map_err(|error| bad(error.to_string()))?;
        let mut patch = match &cell.format {
            Some(format) => format.to_patch().map_err(|error| bad(error.to_string()))?,
            None => FormatPatch::default(),
        };
        // A formula that was read comes with its value; the formula is what was entered.
        let input = match (cell.input, cell.formula, cell.value) {
            (Some(_), Some(_), _) | (Some(_), _, Some(_)) => {
                return Err(bad("'input' stands alone, without 'formula' or 'value'".into()));
            }
            (Some(text), None, None) => Some(match text.strip_prefix('=') {
                Some(formula) if !formula.trim().is_empty() => self.formula(address, formula),
                _ => {
                    let typed = read_typed_in(&text, Typing::stored(self.workbook.date_system()));
                    if let Some(code) = typed.number_format.filter(|_| patch.number_format.is_none()) {
                        patch.number_format = Some(Some(code.into()));
                    }
                    Input::from(typed.value)
                }
            }),
            (None, Some(formula), _) => {
                Some(self.formula(address, formula.strip_prefix('=').unwrap_or(&formula)))
            }
            (None, None, Some(value)) => Some(match error_value(&value) {
                Some(error) => Value::Error(error).into(),
                None => scalar(&value).map_err(bad)?,
            }),
            (None, None, None) => None,
        };
        if let Some(input) = input {
            self.put(address, input);
        }
        if !patch.is_empty() {
            let operation =
                Operation::SetFormat { sheet: self.sheet.id(), range: Range::cell(address), patch };
            self.formats.push(operation);
        }
        Ok(())
    }

    fn formula(&self, address: CellAddress, text: &str) -> Input {
        let host = Host { sheet: self.sheet.id(), cell: address };
        Input::Formula(match self.notation {
            Notation::A1 => quadrille_formula::parse(text, host, self.workbook),
            Notation::R1c1 => quadrille_formula::parse_r1c1(text, host, self.workbook),
        })
    }

    fn put(&mut self, address: CellAddress, input: Input) {
        if let Some((first, inputs)) = &mut self.run
            && first.row == address.row
            && first.column.get() + inputs.len() as u32 == address.column.get()
        {
            inputs.push(input);
            return;
        }
        self.end_run();
        self.run = Some((address, vec![input]));
    }

    /// A run that stands right below another of the same width becomes part of it: a full block is one operation.
    fn end_run(&mut self) {
        let Some((first, mut row)) = self.run.take() else { return };
        let last = CellAddress::clamped(first.row.get(), first.column.get() + row.len() as u32 - 1);
        if let Some(Operation::SetCells { range, inputs, .. }) = self.contents.last_mut()
            && range.first().column == first.column
            && range.last().column == last.column
            && range.last().row.get() + 1 == first.row.get()
        {
            *range = range.union(Range::new(first, last));
            inputs.append(&mut row);
            return;
        }
        let range = Range::new(first, last);
        self.contents.push(Operation::SetCells { sheet: self.sheet.id(), range, inputs: row });
    }

    fn transaction(mut self) -> Transaction {
        self.end_run();
        let mut operations = self.contents;
        operations.append(&mut self.formats);
        Transaction { operations }
    }
}

/// `null`, a number, a boolean or a text, taken exactly as it is.
fn scalar(json: &Json) -> Result<Input, String> {
    Ok(match json {
        Json::Null => Input::Blank,
        Json::Bool(boolean) => Value::Boolean(*boolean).into(),
        Json::Number(number) => {
            let number = number.as_f64().filter(|number| number.is_finite());
            Value::number(number.ok_or("a number beyond what a cell holds")?).into()
        }
        Json::String(text) => Value::text(text.as_str()).into(),
        Json::Array(_) | Json::Object(_) => {
            return Err("a value is null, a number, true, false, a text, or {\"error\": \"#N/A\"}".into());
        }
    })
}

/// `{"error": "#N/A"}`.
fn error_value(json: &Json) -> Option<ErrorValue> {
    let object = json.as_object().filter(|object| object.len() == 1)?;
    ErrorValue::parse(object.get("error")?.as_str()?)
}
