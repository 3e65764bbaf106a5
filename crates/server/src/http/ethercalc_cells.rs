//! Cells as JSON with the members of SocialCalc's cells, in its order.
//!
//! The numbers by which SocialCalc's cells refer to formats are left out: they mean something only
//! within a save.

use std::collections::HashMap;

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_files::socialcalc_content;
use quadrille_workbook::{Field, Item, ItemKind, Sheet, Workbook};
use serde::Serialize;
use serde_json::Value as Json;

use super::internal_error::internal;
use crate::cells::CellReader;
use crate::error::{ApiError, ErrorCode};
use crate::limits::CELLS_PER_READ_MAX;

/// A cell of SocialCalc.
#[derive(Serialize)]
struct EtherCalcCell {
    coord: String,
    /// A number, or a text.
    datavalue: Json,
    /// v (number), t (text), f (formula) or c (constant).
    datatype: &'static str,
    /// The formula without `=`, or the constant as it was typed.
    formula: String,
    /// Begins with n (number), t (text), b (blank) or e (error).
    valuetype: String,
    /// The text as the sheet shows it, which in EtherCalc is HTML.
    displaystring: String,
    readonly: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
}

/// The cells of a sheet, or of the first one, as a JSON object by coordinate, row by row.
///
/// # Errors
/// `no_such_sheet`, and `too_many_cells` beyond `CELLS_PER_READ_MAX`.
pub fn all(workbook: &Workbook, sheet: Option<SheetId>) -> Result<String, ApiError> {
    let mut reader = Reader::new(workbook, sheet)?;
    let Some(used) = reader.sheet.used_range() else { return Ok("{}".to_owned()) };
    if used.cell_count() > CELLS_PER_READ_MAX {
        let message = format!("the sheet has too many cells for one response: {used}");
        return Err(ApiError::new(ErrorCode::TooManyCells, message));
    }
    let mut text = "{".to_owned();
    for cell in used.cells().filter_map(|address| reader.cell(address)) {
        if text.len() > 1 {
            text.push(',');
        }
        let json = serde_json::to_string(&cell).map_err(|_| internal("writing cells"))?;
        text += &format!("\"{}\":{json}", cell.coord);
    }
    text.push('}');
    Ok(text)
}

/// A cell of a sheet, or of the first one, as JSON; `null` when it is empty.
///
/// # Errors
/// `no_such_sheet`.
pub fn one(workbook: &Workbook, sheet: Option<SheetId>, address: CellAddress) -> Result<String, ApiError> {
    let cell = Reader::new(workbook, sheet)?.cell(address);
    Ok(serde_json::to_string(&cell).expect("texts and numbers can be JSON"))
}

struct Reader<'a> {
    workbook: &'a Workbook,
    sheet: &'a Sheet,
    shown: CellReader<'a>,
    comments: HashMap<CellAddress, String>,
    locks: Vec<&'a Item>,
}

impl<'a> Reader<'a> {
    fn new(workbook: &'a Workbook, sheet: Option<SheetId>) -> Result<Reader<'a>, ApiError> {
        let removed = || ApiError::new(ErrorCode::NoSuchSheet, "the sheet was removed");
        let sheet = match sheet {
            Some(sheet) => workbook.sheet(sheet).ok_or_else(removed)?,
            None => &workbook.sheets()[0],
        };
        let note = |item: &Item| Some((item.anchors.first()?.first(), item.text(Field::Text)?.to_string()));
        let comments = sheet.items().of_kind(ItemKind::Note).filter_map(|(_, item)| note(item)).collect();
        let locks = sheet.items().of_kind(ItemKind::ProtectedRange).map(|(_, item)| &**item);
        let locks = locks.filter(|item| item.boolean(Field::WarningOnly) != Some(true)).collect();
        Ok(Reader { workbook, sheet, shown: CellReader::new(workbook, sheet), comments, locks })
    }

    fn cell(&mut self, address: CellAddress) -> Option<EtherCalcCell> {
        let content = socialcalc_content(self.workbook, self.sheet, address);
        let comment = self.comments.get(&address).cloned();
        if content.is_none() && comment.is_none() {
            return None;
        }
        let content = content.unwrap_or_default();
        let fields: Vec<String> = content.split(':').map(decoded).collect();
        let field = |index: usize| fields.get(index).cloned().unwrap_or_default();
        let (datatype, valuetype, datavalue, formula) = match fields.first().map(String::as_str) {
            Some("v") => ("v", "n".to_owned(), number(field(1)), String::new()),
            Some("t") => ("t", "t".to_owned(), field(1).into(), String::new()),
            Some("vtf") => ("f", field(1), value_of(&field(1), field(2)), field(3)),
            Some("vtc") => ("c", field(1), value_of(&field(1), field(2)), field(3)),
            _ => ("v", "b".to_owned(), "".into(), String::new()),
        };
        let errors = valuetype.strip_prefix('e').map(str::to_owned);
        Some(EtherCalcCell {
            coord: address.to_string(),
            datavalue,
            datatype,
            formula,
            valuetype,
            displaystring: html_escaped(&self.shown.text(address, &self.sheet.value(address))),
            readonly: self.locks.iter().any(|lock| is_locked(lock, address)),
            errors,
            comment,
        })
    }
}

/// Whether a protection covers a cell.
fn is_locked(lock: &Item, address: CellAddress) -> bool {
    let is_among = lock.anchors.iter().any(|range: &Range| range.contains(address));
    // The anchors of a protected sheet are the cells that are not protected.
    is_among != (lock.boolean(Field::WholeSheet) == Some(true))
}

/// The value of a formula or constant: a number, unless it is a text or an error.
fn value_of(valuetype: &str, text: String) -> Json {
    if valuetype.starts_with('n') { number(text) } else { text.into() }
}

fn number(text: String) -> Json {
    text.parse::<f64>().map_or(Json::String(text), crate::cells::number_json)
}

fn html_escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Reverses the escapes of a save.
fn decoded(field: &str) -> String {
    field.replace("\\c", ":").replace("\\n", "\n").replace("\\b", "\\")
}
