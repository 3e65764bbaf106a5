//! Cells as JSON: what `/api/v1/rooms/{room}/sheets/{sheet}/cells/{range}` reads and writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, ErrorValue, Range, Value};
use quadrille_formula::Host;
use quadrille_number_format::{NumberFormat, read_typed};
use quadrille_operation::{Operation, Transaction};
use quadrille_workbook::{
    Color, Format, FormatPatch, HorizontalAlignment, Input, Sheet, VerticalAlignment, Workbook,
};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// Reads cells of one sheet, keeping the parsed number formats it meets.
pub struct CellReader<'a> {
    workbook: &'a Workbook,
    sheet: &'a Sheet,
    number_formats: BTreeMap<Arc<str>, NumberFormat>,
}

impl<'a> CellReader<'a> {
    pub fn new(workbook: &'a Workbook, sheet: &'a Sheet) -> CellReader<'a> {
        CellReader { workbook, sheet, number_formats: BTreeMap::new() }
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
        Some(format!("={}", quadrille_formula::print(template, host, self.workbook)))
    }

    /// What the cell shows.
    pub fn text(&mut self, address: CellAddress, value: &Value) -> String {
        let code = self.sheet.format(address).number_format.clone().unwrap_or_else(|| "General".into());
        let format = self.number_formats.entry(code).or_insert_with_key(|code| NumberFormat::parse(code));
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
    let mut json = Map::new();
    let flags = [
        ("bold", format.bold),
        ("italic", format.italic),
        ("underline", format.underline),
        ("strikethrough", format.strikethrough),
        ("wrap", format.wrap),
    ];
    if let Some(code) = &format.number_format {
        json.insert("numberFormat".into(), code.to_string().into());
    }
    json.extend(
        flags.into_iter().filter(|(_, set)| *set).map(|(name, _)| (name.to_owned(), Json::Bool(true))),
    );
    let horizontal = format.horizontal.map(|alignment| match alignment {
        HorizontalAlignment::Left => "left",
        HorizontalAlignment::Center => "center",
        HorizontalAlignment::Right => "right",
    });
    let vertical = format.vertical.map(|alignment| match alignment {
        VerticalAlignment::Top => "top",
        VerticalAlignment::Middle => "middle",
        VerticalAlignment::Bottom => "bottom",
    });
    let color = |color: Option<Color>| color.map(|Color(rgb)| format!("#{rgb:06x}"));
    let texts = [
        ("horizontal", horizontal.map(str::to_owned)),
        ("vertical", vertical.map(str::to_owned)),
        ("textColor", color(format.text_color)),
        ("fillColor", color(format.fill_color)),
    ];
    json.extend(texts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?.into()))));
    json
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
    format: Option<GivenFormat>,
    /// Sent back by those who write what they have read; what is shown follows from the rest.
    #[serde(rename = "text")]
    _text: Option<String>,
}

/// `null` counts as given, unlike an absent member.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct GivenFormat {
    #[serde(deserialize_with = "present")]
    number_format: Option<Json>,
    bold: Option<bool>,
    italic: Option<bool>,
    underline: Option<bool>,
    strikethrough: Option<bool>,
    wrap: Option<bool>,
    #[serde(deserialize_with = "present")]
    horizontal: Option<Json>,
    #[serde(deserialize_with = "present")]
    vertical: Option<Json>,
    #[serde(deserialize_with = "present")]
    text_color: Option<Json>,
    #[serde(deserialize_with = "present")]
    fill_color: Option<Json>,
}

/// The body of `PUT …/cells/{range}`: `{"cells": [[…]]}`, or one cell for every cell of the range.
pub fn write_cells(
    workbook: &Workbook,
    sheet: &Sheet,
    range: Range,
    body: &Json,
) -> Result<Transaction, ApiError> {
    let rows = body.as_object().and_then(|object| object.get("cells"));
    let mut write = Write::new(workbook, sheet);
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
    /// Row-wise neighbours go into one operation.
    run: Option<(CellAddress, Vec<Input>)>,
    contents: Vec<Operation>,
    formats: Vec<Operation>,
}

impl<'a> Write<'a> {
    fn new(workbook: &'a Workbook, sheet: &'a Sheet) -> Write<'a> {
        Write { workbook, sheet, run: None, contents: Vec::new(), formats: Vec::new() }
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
            Some(format) => patch(format).map_err(bad)?,
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
                    let typed = read_typed(&text);
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
        Input::Formula(quadrille_formula::parse(text, host, self.workbook))
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

fn patch(given: &GivenFormat) -> Result<FormatPatch, String> {
    Ok(FormatPatch {
        number_format: text_or_null(&given.number_format, "numberFormat")?.map(|code| code.map(Arc::from)),
        bold: given.bold,
        italic: given.italic,
        underline: given.underline,
        strikethrough: given.strikethrough,
        wrap: given.wrap,
        horizontal: one_of(
            &given.horizontal,
            "horizontal",
            &[
                ("left", HorizontalAlignment::Left),
                ("center", HorizontalAlignment::Center),
                ("right", HorizontalAlignment::Right),
            ],
        )?,
        vertical: one_of(
            &given.vertical,
            "vertical",
            &[
                ("top", VerticalAlignment::Top),
                ("middle", VerticalAlignment::Middle),
                ("bottom", VerticalAlignment::Bottom),
            ],
        )?,
        text_color: color(&given.text_color, "textColor")?,
        fill_color: color(&given.fill_color, "fillColor")?,
    })
}

fn text_or_null<'j>(json: &'j Option<Json>, name: &str) -> Result<Option<Option<&'j str>>, String> {
    match json {
        None => Ok(None),
        Some(Json::Null) => Ok(Some(None)),
        Some(Json::String(text)) => Ok(Some(Some(text))),
        Some(_) => Err(format!("'{name}' is a text or null")),
    }
}

fn one_of<T: Copy>(
    json: &Option<Json>,
    name: &str,
    choices: &[(&str, T)],
) -> Result<Option<Option<T>>, String> {
    let Some(Some(text)) = text_or_null(json, name)? else { return Ok(json.as_ref().map(|_| None)) };
    let chosen = choices.iter().find(|(choice, _)| *choice == text).map(|(_, value)| Some(Some(*value)));
    let names: Vec<&str> = choices.iter().map(|(choice, _)| *choice).collect();
    chosen.ok_or_else(|| format!("'{name}' is one of {}, or null", names.join(", ")))
}

fn color(json: &Option<Json>, name: &str) -> Result<Option<Option<Color>>, String> {
    let Some(Some(text)) = text_or_null(json, name)? else { return Ok(json.as_ref().map(|_| None)) };
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
    let rgb = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    rgb.map(|rgb| Some(Some(Color(rgb))))
        .ok_or_else(|| format!("'{name}' is a colour such as #1f6f5c, or null"))
}
