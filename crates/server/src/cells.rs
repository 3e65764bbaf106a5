//! Cells as JSON, for `/api/v1/rooms/{room}/sheets/{sheet}/cells/{range}`. Reading is here, writing
//! in `write.rs`.

mod style_names;
mod write;

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, Value};
use quadrille_formula::Host;
use quadrille_number_format::NumberFormat;
use quadrille_operation::FormatChange;
use quadrille_workbook::{Sheet, Workbook};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::error::{ApiError, ErrorCode};
use crate::limits;

pub use style_names::resolve_style_name;
pub use write::{append_rows, write_cells};

/// Notation of references in formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notation {
    #[default]
    A1,
    R1c1,
}

/// What a plain text means in a cell that is written, with the names of the Google Sheets API.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ValueInputOption {
    /// It is stored as it is.
    #[default]
    Raw,
    /// It is read like typed input: formulas, numbers, dates.
    UserEntered,
}

/// How cells that are written are read; the query of these requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
pub struct WriteOptions {
    #[serde(default)]
    pub notation: Notation,
    #[serde(default, rename = "valueInputOption")]
    pub value_input: ValueInputOption,
}

/// Reads cells of a sheet as JSON. Caches the parsed number formats.
pub struct CellReader<'a> {
    workbook: &'a Workbook,
    sheet: &'a Sheet,
    notation: Notation,
    number_formats: BTreeMap<Arc<str>, NumberFormat>,
}

impl<'a> CellReader<'a> {
    /// A reader that writes formulas in A1 notation.
    pub fn new(workbook: &'a Workbook, sheet: &'a Sheet) -> CellReader<'a> {
        CellReader { workbook, sheet, notation: Notation::A1, number_formats: BTreeMap::new() }
    }

    /// Sets the notation of formulas.
    pub fn with_notation(self, notation: Notation) -> CellReader<'a> {
        CellReader { notation, ..self }
    }

    /// Returns a cell: `value`, the displayed `text`, and `formula` and `format` if present.
    pub fn cell(&mut self, address: CellAddress) -> Json {
        let value = self.sheet.value(address);
        let mut cell = Map::new();
        cell.insert("value".into(), value_json(&value));
        cell.insert("text".into(), self.text(address, &value).into());
        if let Some(formula) = self.formula(address) {
            cell.insert("formula".into(), formula.into());
        }
        let format =
            format_json(FormatChange::from(self.sheet.format(address)).with_text_runs(self.sheet, address));
        if !format.is_empty() {
            cell.insert("format".into(), format.into());
        }
        Json::Object(cell)
    }

    /// Returns the cells of `range` row by row, with the range read: whole rows and columns are
    /// clipped to the used range.
    ///
    /// # Errors
    ///
    /// Fails with `too_many_cells` beyond `CELLS_PER_READ_MAX`.
    pub fn range(&mut self, range: Range) -> Result<(Range, Json), ApiError> {
        let range = self.clipped(range);
        if range.cell_count() > limits::CELLS_PER_READ_MAX {
            let message = format!("a request can read at most {} cells: {range}", limits::CELLS_PER_READ_MAX);
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

    /// Returns the range, with whole rows and columns clipped to the used range.
    pub fn clipped(&self, range: Range) -> Range {
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

    /// Returns the formula with its `=`; `None` when the cell has none.
    pub fn formula(&self, address: CellAddress) -> Option<String> {
        let template = self.sheet.formula(address)?;
        let host = Host { sheet: self.sheet.id(), cell: address };
        Some(match self.notation {
            Notation::A1 => format!("={}", quadrille_formula::print(template, host, self.workbook)),
            Notation::R1c1 => format!("={}", quadrille_formula::print_r1c1(template, host, self.workbook)),
        })
    }

    /// Returns the displayed text of a cell with this value.
    pub fn text(&mut self, address: CellAddress, value: &Value) -> String {
        let code = self.sheet.format(address).number_format.clone().unwrap_or_else(|| "General".into());
        let dates = self.workbook.date_system();
        let format = self
            .number_formats
            .entry(code)
            .or_insert_with_key(|code| NumberFormat::parse(code).with_date_system(dates));
        format.format(value).text
    }
}

/// Returns a value as JSON; errors are `{"error": "#N/A"}`.
pub fn value_json(value: &Value) -> Json {
    match value {
        Value::Blank => Json::Null,
        Value::Number(number) => number_json(*number),
        Value::Boolean(boolean) => Json::Bool(*boolean),
        Value::Text(text) => Json::String(text.to_string()),
        Value::Error(error) => json!({ "error": error.text() }),
    }
}

/// Returns the values of the cells of `range`, row by row.
pub fn values_json(sheet: &Sheet, range: Range) -> Json {
    let (first, last) = (range.first(), range.last());
    let rows = (first.row.get()..=last.row.get()).map(|row| {
        let columns = first.column.get()..=last.column.get();
        columns.map(|column| value_json(&sheet.value(CellAddress::clamped(row, column)))).collect::<Json>()
    });
    rows.collect()
}

/// Returns a number as JSON. Integers have no decimal point: `5`, not `5.0`.
pub fn number_json(number: f64) -> Json {
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0; // 2^53: below this every integer is exact
    match number {
        whole if whole.fract() == 0.0 && whole.abs() < EXACT_MAX => json!(whole as i64),
        other => json!(other),
    }
}

fn format_json(format: FormatChange) -> Map<String, Json> {
    match serde_json::to_value(format) {
        Ok(Json::Object(attributes)) => attributes,
        _ => Map::new(), // unreachable: a struct with named fields is an object
    }
}
