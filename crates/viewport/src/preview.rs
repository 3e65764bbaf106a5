//! A room at first sight, for a page whose engine is still on its way: its sheets, the shape of one of them and a window
//! of its cells, in one buffer. Read by `web/protocol/src/first-look.ts`.
//!
//! Little-endian u32: magic, bytes of JSON, bytes of the shape, bytes of the window. Then [`Preview`] as JSON, filled up with
//! spaces to a multiple of four, then the two as `sheet_dimensions.rs` and `cell_window.rs` lay them out.

use quadrille_cell::{Range, SheetId};
use quadrille_document::Document;
use serde::Serialize;
use ts_rs::TS;

use crate::view_settings::ViewSettings;
use crate::{cell_window, sheet_dimensions, to_json};

const MAGIC: u32 = 0x3157_5100;

/// What is told beside the cells.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Preview {
    /// Everything up to here is in it.
    #[ts(type = "number")]
    pub revision: u64,
    /// The one that is shown.
    pub sheet: u32,
    pub sheets: Vec<PreviewSheet>,
    /// What the workbook is called, if anybody has said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    /// False when formulas took too long; those that are not calculated are blank.
    pub is_complete: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct PreviewSheet {
    pub id: u32,
    pub name: String,
}

/// The document as it is, calculated or not.
pub fn encode(document: &Document, revision: u64, sheet: SheetId, range: Range) -> Vec<u8> {
    let sheets = document.workbook().sheets().iter();
    let sheets = sheets.map(|sheet| PreviewSheet { id: sheet.id().0, name: sheet.name().to_string() });
    let is_complete = document.is_calculated();
    let title = document.workbook().title().map(str::to_owned);
    let told = Preview { revision, sheet: sheet.0, sheets: sheets.collect(), title, is_complete };
    let mut json = to_json(&told);
    json.resize(json.len().next_multiple_of(4), b' ');
    let (shape, window) = (
        sheet_dimensions::encode(document, sheet, None),
        cell_window::encode(document, sheet, range, &ViewSettings::default()),
    );
    let head = [MAGIC, json.len() as u32, shape.len() as u32, window.len() as u32];
    let mut bytes: Vec<u8> = head.into_iter().flat_map(u32::to_le_bytes).collect();
    bytes.extend(json);
    bytes.extend(shape);
    bytes.extend(window);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_document;

    #[test]
    fn a_preview_holds_sheets_dimensions_and_a_window() {
        let document = test_document("A1: 2 | B1: =A1*3 | Größe!A1: x");
        let range = Range::from_indices(0, 0, 4, 3).expect("within the sheet");
        let bytes = encode(&document, 7, SheetId(1), range);
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let (json, shape) = (word(4) as usize, word(8) as usize);
        assert_eq!(word(0), MAGIC);
        assert_eq!(json % 4, 0);
        let told: serde_json::Value = serde_json::from_slice(&bytes[16..16 + json]).expect("JSON");
        let sheets = serde_json::json!([{ "id": 1, "name": "Sheet1" }, { "id": 2, "name": "Größe" }]);
        let expected = serde_json::json!({ "revision": 7, "sheet": 1, "sheets": sheets, "isComplete": true });
        assert_eq!(told, expected);
        assert_eq!(bytes[16 + json..][..shape], sheet_dimensions::encode(&document, SheetId(1), None));
        assert_eq!(
            bytes[16 + json + shape..],
            cell_window::encode(&document, SheetId(1), range, &ViewSettings::default())
        );
        assert_eq!(bytes.len(), 16 + json + shape + word(12) as usize);
    }
}
