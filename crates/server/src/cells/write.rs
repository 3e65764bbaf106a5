//! Writing cells given as JSON, with as few operations as possible.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::sync::Arc;

use quadrille_cell::{CellAddress, ErrorValue, Range, Value};
use quadrille_formula::{Host, Template};
use quadrille_number_format::{InputContext, parse_input_with};
use quadrille_operation::{
    FormatChange, FormulaCell, ImpliedFormats, Operation, Transaction, formula_number_format,
    is_signed_formula,
};
use quadrille_workbook::{FormatPatch, Input, Sheet, Workbook};
use serde::Deserialize;
use serde_json::Value as Json;

use super::style_names::resolve_style_name;
use super::{Notation, ValueInputOption, WriteOptions};
use crate::error::{ApiError, ErrorCode};
use crate::{input_errors, limits};

/// Deserializes `null` as `Some(Null)`; an absent member is `None`.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

/// The change of a cell. An object without members changes nothing.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct GivenCell {
    /// A value, stored as given.
    #[serde(default, deserialize_with = "present")]
    value: Option<Json>,
    /// A formula, with or without `=`.
    formula: Option<String>,
    /// Text that is interpreted like typed input.
    input: Option<String>,
    format: Option<FormatChange>,
    /// Ignored; accepted so that a cell can be written as it was read.
    #[serde(rename = "text")]
    _text: Option<String>,
}

/// Plans the body of `PUT …/cells/{range}`: `{"cells": [[…]]}`, or one cell to be written to every
/// cell of the range. A format for the whole range is one operation, whatever its size.
///
/// # Errors
///
/// Fails with `bad_json` when the body does not fit the range, and with `too_many_cells` beyond
/// `CELLS_PER_WRITE_MAX`.
pub fn write_cells(
    workbook: &Workbook,
    sheet: &Sheet,
    range: Range,
    body: &Json,
    options: WriteOptions,
) -> Result<Transaction, ApiError> {
    let rows = body.as_object().and_then(|object| object.get("cells"));
    let mut writer = CellWriter::new(workbook, sheet, options);
    match rows {
        None => writer.fill(range, body)?,
        Some(rows) => {
            check_cell_count(range.cell_count(), range)?;
            let rows = array_of(rows, range.row_count(), "rows", range)?;
            for (row, cells) in rows.iter().enumerate() {
                let cells = array_of(cells, range.column_count(), "cells in each row", range)?;
                for (column, cell) in cells.iter().enumerate() {
                    let at = range.first();
                    let address =
                        CellAddress::clamped(at.row.get() + row as u32, at.column.get() + column as u32);
                    writer.cell(address, cell)?;
                }
            }
        }
    }
    Ok(writer.transaction())
}

/// Plans the body of `POST …/rows`: `{"rows": [[…]]}`, appended below the last used row. Also
/// returns the range.
///
/// # Errors
///
/// Fails with `bad_json` or `too_many_cells`.
pub fn append_rows(
    workbook: &Workbook,
    sheet: &Sheet,
    body: &Json,
    options: WriteOptions,
) -> Result<(Range, Transaction), ApiError> {
    let shape = || {
        ApiError::new(
            ErrorCode::BadJson,
            "the body must be {\"rows\": [[cell, …], …]} with at least one cell",
        )
    };
    let rows = body.as_object().and_then(|object| object.get("rows")?.as_array()).ok_or_else(shape)?;
    let width = rows.iter().map(|row| row.as_array().map_or(0, Vec::len)).max().unwrap_or(0);
    let first_row = sheet.used_range().map_or(0, |used| used.last().row.get() + 1);
    if width == 0 {
        return Err(shape());
    }
    let cells: u64 = rows.len() as u64 * width as u64;
    check_cell_count(cells, cells)?;
    let last_row = u64::from(first_row) + rows.len() as u64 - 1;
    let range = u32::try_from(last_row).ok();
    let range = range.and_then(|last_row| Range::from_indices(first_row, 0, last_row, width as u32 - 1));
    let range = range.ok_or_else(|| {
        ApiError::new(ErrorCode::TooManyCells, format!("the sheet cannot have {} more rows", rows.len()))
    })?;
    let mut writer = CellWriter::new(workbook, sheet, options);
    for (row, cells) in rows.iter().enumerate() {
        for (column, cell) in cells.as_array().ok_or_else(shape)?.iter().enumerate() {
            writer.cell(CellAddress::clamped(first_row + row as u32, column as u32), cell)?;
        }
    }
    Ok((range, writer.transaction()))
}

fn check_cell_count(count: u64, subject: impl Display) -> Result<(), ApiError> {
    if count <= limits::CELLS_PER_WRITE_MAX {
        return Ok(());
    }
    let message = format!("a request can write at most {} cells: {subject}", limits::CELLS_PER_WRITE_MAX);
    Err(ApiError::new(ErrorCode::TooManyCells, message))
}

fn array_of<'j>(json: &'j Json, count: u32, what: &str, range: Range) -> Result<&'j Vec<Json>, ApiError> {
    let array = json.as_array().filter(|array| array.len() == count as usize);
    array.ok_or_else(|| ApiError::new(ErrorCode::BadJson, format!("{range} needs {count} {what}")))
}

/// Collects cells into operations.
struct CellWriter<'a> {
    workbook: &'a Workbook,
    sheet: &'a Sheet,
    options: WriteOptions,
    /// Adjacent cells of a row, which become one operation.
    run: Option<(CellAddress, Vec<Input>)>,
    contents: Vec<Operation>,
    formats: FormatBlocks,
    /// Number formats that the request gives to single cells.
    implied: ImpliedFormats,
    /// Typed formulas without a number format so far, row by row.
    plain_formulas: Vec<(CellAddress, Template)>,
}

impl<'a> CellWriter<'a> {
    fn new(workbook: &'a Workbook, sheet: &'a Sheet, options: WriteOptions) -> CellWriter<'a> {
        CellWriter {
            workbook,
            sheet,
            options,
            run: None,
            contents: Vec::new(),
            formats: FormatBlocks::default(),
            implied: ImpliedFormats::default(),
            plain_formulas: Vec::new(),
        }
    }

    /// Writes one cell to every cell of a range. A formula has the same text in all of them.
    fn fill(&mut self, range: Range, given: &Json) -> Result<(), ApiError> {
        let (input, patch) = self.parse(range.first(), given)?;
        if !patch.is_empty() {
            self.formats.add(range, patch);
        }
        let Some(input) = input else { return Ok(()) };
        check_cell_count(range.cell_count(), range)?;
        if self.parse(range.last(), given)?.0.as_ref() == Some(&input) {
            self.contents.push(Operation::FillCells { sheet: self.sheet.id(), range, input });
            return Ok(());
        }
        for address in range.cells() {
            if let (Some(input), _) = self.parse(address, given)? {
                self.put(address, input);
            }
        }
        Ok(())
    }

    fn cell(&mut self, address: CellAddress, given: &Json) -> Result<(), ApiError> {
        let (input, patch) = self.parse(address, given)?;
        match (&patch.number_format, &input) {
            (Some(Some(code)), _) => self.implied.insert(address, code.clone()),
            (None, Some(Input::Formula(template))) if self.is_typed(given) && self.is_general(address) => {
                self.plain_formulas.push((address, template.clone()));
            }
            _ => {}
        }
        if let Some(input) = input {
            self.put(address, input);
        }
        if !patch.is_empty() {
            self.formats.add(Range::cell(address), patch);
        }
        Ok(())
    }

    /// Returns the new content of a cell, if any, and the change of its format.
    fn parse(&self, address: CellAddress, given: &Json) -> Result<(Option<Input>, FormatPatch), ApiError> {
        let bad = |reason: String| ApiError::new(ErrorCode::BadJson, format!("cell {address}: {reason}"));
        if let (Json::String(text), ValueInputOption::UserEntered) = (given, self.options.value_input) {
            let mut patch = FormatPatch::default();
            let input = self.typed(address, text, &mut patch);
            return Ok((Some(input), patch));
        }
        if !given.is_object() {
            return Ok((Some(scalar(given).map_err(bad)?), FormatPatch::default()));
        }
        if let Some(error) = error_value(given) {
            return Ok((Some(Value::Error(error).into()), FormatPatch::default()));
        }
        let mut named =
            given.get("format").filter(|format| format["cellStyle"].is_string()).map(|_| given.clone());
        if let Some(format) = named.as_mut().and_then(|named| named.get_mut("format")) {
            resolve_style_name(self.workbook, format)
                .map_err(|error| ApiError::new(error.code, format!("cell {address}: {}", error.message)))?;
        }
        let cell = GivenCell::deserialize(named.as_ref().unwrap_or(given))
            .map_err(|error| bad(input_errors::of_json(&error)))?;
        let mut patch = match &cell.format {
            Some(format) => format.to_patch().map_err(|error| bad(error.to_string()))?,
            None => FormatPatch::default(),
        };
        // A cell as read has its formula and its value; the formula is the input.
        let input = match (cell.input, cell.formula, cell.value) {
            (Some(_), Some(_), _) | (Some(_), _, Some(_)) => {
                return Err(bad("'input' cannot be combined with 'formula' or 'value'".into()));
            }
            (Some(text), None, None) => Some(self.typed(address, &text, &mut patch)),
            (None, Some(formula), _) => {
                Some(self.formula(address, formula.strip_prefix('=').unwrap_or(&formula)))
            }
            (None, None, Some(value)) => Some(match error_value(&value) {
                Some(error) => Value::Error(error).into(),
                None => scalar(&value).map_err(bad)?,
            }),
            (None, None, None) => None,
        };
        Ok((input, patch))
    }

    /// Reads a text like typed input. A number format that it implies is added unless one is given.
    fn typed(&self, address: CellAddress, text: &str, patch: &mut FormatPatch) -> Input {
        let typed = parse_input_with(text, InputContext::invariant(self.workbook.date_system()));
        let formula = text.strip_prefix('=').filter(|formula| !formula.trim().is_empty());
        let input = match (formula, &typed.value) {
            (Some(formula), _) => Some(self.formula(address, formula)),
            (None, Value::Text(_)) if text.starts_with(['+', '-']) => {
                let input = self.formula(address, text);
                let is_formula =
                    matches!(&input, Input::Formula(template) if is_signed_formula(template, self.workbook));
                is_formula.then_some(input)
            }
            _ => None,
        };
        if let Some(input) = input {
            if let Input::Formula(template) = &input
                && patch.number_format.is_none()
                && self.is_general(address)
            {
                patch.number_format = self.implied_format(address, template, None).map(Some);
            }
            return input;
        }
        if let Some(code) = typed.number_format.filter(|_| patch.number_format.is_none()) {
            patch.number_format = Some(Some(code.into()));
        }
        typed.value.into()
    }

    /// Whether a cell is read like typed input.
    fn is_typed(&self, given: &Json) -> bool {
        match given {
            Json::String(_) => self.options.value_input == ValueInputOption::UserEntered,
            given => given.get("input").is_some(),
        }
    }

    /// Whether a cell has no number format before the request.
    fn is_general(&self, address: CellAddress) -> bool {
        self.sheet.format(address).number_format.is_none()
    }

    /// The number format that a typed formula implies, as in the web client.
    fn implied_format(
        &self,
        cell: CellAddress,
        template: &Template,
        implied: Option<&ImpliedFormats>,
    ) -> Option<Arc<str>> {
        let locale = InputContext::invariant(self.workbook.date_system()).locale;
        let entered = FormulaCell { workbook: self.workbook, sheet: self.sheet, cell, locale, implied };
        formula_number_format(template, &entered)
    }

    /// Gives typed formulas the formats of cells that the same request writes, and of each other.
    fn imply_formats(&mut self) {
        /// The first pass finds formats above and to the left, the second those of totals below.
        const PASSES: usize = 2;
        let mut formats = BTreeMap::new();
        for _ in 0..PASSES {
            if self.implied.is_empty() {
                return;
            }
            for (cell, template) in std::mem::take(&mut self.plain_formulas) {
                match self.implied_format(cell, &template, Some(&self.implied)) {
                    Some(code) => {
                        self.implied.insert(cell, code.clone());
                        formats.insert((cell.row, cell.column), code);
                    }
                    None => self.plain_formulas.push((cell, template)),
                }
            }
        }
        for ((row, column), code) in formats {
            let patch = FormatPatch { number_format: Some(Some(code)), ..FormatPatch::default() };
            self.formats.add(Range::cell(CellAddress { row, column }), patch);
        }
    }

    fn formula(&self, address: CellAddress, text: &str) -> Input {
        let host = Host { sheet: self.sheet.id(), cell: address };
        Input::Formula(match self.options.notation {
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

    /// Ends the current run. A run directly below another of the same columns extends it, so a
    /// block is one operation.
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
        self.imply_formats();
        self.formats.close();
        let sheet = self.sheet.id();
        let formats = self.formats.blocks.into_iter();
        let mut operations = self.contents;
        operations.extend(formats.map(|(range, patch)| Operation::SetFormat { sheet, range, patch }));
        Transaction { operations }
    }
}

/// Merges the formats of cells, which arrive row by row, into blocks.
#[derive(Default)]
struct FormatBlocks {
    blocks: Vec<(Range, FormatPatch)>,
    /// The last block is part of a row and may be extended.
    is_open: bool,
    /// Index of the lowest block with these first and last columns.
    above: HashMap<(u32, u32), usize>,
}

impl FormatBlocks {
    fn add(&mut self, range: Range, patch: FormatPatch) {
        if self.is_open
            && let Some((open, open_patch)) = self.blocks.last_mut()
            && open.last().row == range.first().row
            && open.last().column.get() + 1 == range.first().column.get()
            && *open_patch == patch
        {
            *open = open.union(range);
            return;
        }
        self.close();
        self.blocks.push((range, patch));
        self.is_open = true;
    }

    /// Closes the open block. A block directly below one with the same columns and format extends
    /// it.
    fn close(&mut self) {
        let Some((range, patch)) = self.blocks.pop_if(|_| self.is_open) else { return };
        self.is_open = false;
        let columns = (range.first().column.get(), range.last().column.get());
        if let Some(index) = self.above.get(&columns)
            && let Some((above, above_patch)) = self.blocks.get_mut(*index)
            && above.last().row.get() + 1 == range.first().row.get()
            && *above_patch == patch
        {
            *above = above.union(range);
            return;
        }
        self.above.insert(columns, self.blocks.len());
        self.blocks.push((range, patch));
    }
}

/// Parses `null`, a number, a boolean or a text.
fn scalar(json: &Json) -> Result<Input, String> {
    Ok(match json {
        Json::Null => Input::Blank,
        Json::Bool(boolean) => Value::Boolean(*boolean).into(),
        Json::Number(number) => {
            let number = number.as_f64().filter(|number| number.is_finite());
            Value::number(number.ok_or("the number is too large for a cell")?).into()
        }
        Json::String(text) => Value::text(text.as_str()).into(),
        Json::Array(_) | Json::Object(_) => {
            return Err("a value must be null, a number, true, false, a text or {\"error\": \"#N/A\"}".into());
        }
    })
}

/// Parses `{"error": "#N/A"}`.
fn error_value(json: &Json) -> Option<ErrorValue> {
    let object = json.as_object().filter(|object| object.len() == 1)?;
    ErrorValue::parse(object.get("error")?.as_str()?)
}

#[cfg(test)]
mod tests {
    use quadrille_cell::SheetId;
    use serde_json::json;

    use super::*;

    /// The kind and range of each operation planned for the body.
    fn operations(range: &str, body: Json, notation: Notation) -> Vec<String> {
        let workbook = Workbook::new();
        let range = Range::parse_a1(range).expect("a range");
        let sheet = workbook.sheet(SheetId(1)).expect("its first sheet");
        let options = WriteOptions { notation, ..WriteOptions::default() };
        let transaction = write_cells(&workbook, sheet, range, &body, options).expect("a good body");
        let described = transaction.operations.iter().map(|operation| match operation {
            Operation::SetCells { range, .. } => format!("set {range}"),
            Operation::FillCells { range, .. } => format!("fill {range}"),
            Operation::SetFormat { range, .. } => format!("format {range}"),
            other => format!("{other:?}"),
        });
        described.collect()
    }

    #[test]
    fn one_cell_for_a_range_is_one_operation_for_content_and_one_for_format() {
        let a1 = |range: &str, body: Json| operations(range, body, Notation::A1);
        assert_eq!(a1("A:Z", json!({"format": {"bold": true}})), ["format A:Z"]);
        assert_eq!(a1("A1:Z999", json!(5)), ["fill A1:Z999"]);
        assert_eq!(
            a1("A1:B9", json!({"input": "50%", "format": {"bold": true}})),
            ["fill A1:B9", "format A1:B9"]
        );
        assert_eq!(a1("B1:C9", json!({"formula": "=ROW()*$A$1"})), ["fill B1:C9"]);
        // The same text is a different relative formula in each cell.
        assert_eq!(a1("B1:C9", json!({"formula": "=A1"})), ["set B1:C9"]);
        assert_eq!(operations("B1:C9", json!({"formula": "=RC[-1]"}), Notation::R1c1), ["fill B1:C9"]);
        assert_eq!(a1("A1:B9", json!({})), [] as [&str; 0]);
    }

    #[test]
    fn formats_of_a_table_take_one_operation_per_block() {
        let head = json!({"value": "x", "format": {"bold": true}});
        let share = json!({"value": 0.5, "format": {"numberFormat": "0%"}});
        let rows =
            json!({"cells": [[head, head, head], [1, share, 2], [3, share, share], [4, share, share]]});
        assert_eq!(
            operations("B2:D5", rows, Notation::A1),
            ["set B2:D5", "format B2:D2", "format C3", "format C4:D5"]
        );
    }

    #[test]
    fn blocks_with_other_rows_or_formats_stay_separate() {
        let format = |bold: bool| json!({"format": {"bold": bold}});
        let rows = json!({"cells": [[format(true), {}], [{}, {}], [format(true), format(false)], [format(false), format(false)]]});
        assert_eq!(
            operations("A1:B4", rows, Notation::A1),
            ["format A1", "format A3", "format B3", "format A4:B4"]
        );
    }
}
