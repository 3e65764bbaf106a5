//! The preview of a room, which a client draws while its engine is loading: the sheets, the
//! dimensions of one sheet and a window of its cells, in one buffer. `web/protocol/src/preview.ts`
//! decodes it.
//!
//! Layout: four little-endian `u32` (magic, bytes of JSON, bytes of the dimensions, bytes of the
//! window), then [`Preview`] as JSON padded with spaces to a multiple of four bytes, then the
//! dimensions and the window as `sheet_dimensions.rs` and `cell_window.rs` encode them.

use quadrille_cell::{Range, SheetId};
use quadrille_document::Document;
use serde::Serialize;
use ts_rs::TS;

use crate::view_settings::ViewSettings;
use crate::{cell_window, sheet_dimensions, to_json};

const MAGIC: u32 = 0x3157_5100;

/// The JSON part of a preview.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Preview {
    /// Revision of the document.
    #[ts(type = "number")]
    pub revision: u64,
    /// Id of the sheet whose cells are in the window.
    pub sheet: u32,
    pub sheets: Vec<PreviewSheet>,
    /// Title of the workbook, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    /// False if calculation exceeded its budget; formulas that are not calculated are blank.
    pub is_complete: bool,
}

/// A tab.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct PreviewSheet {
    pub id: u32,
    pub name: String,
    /// The sheet shows a chart instead of its cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub is_chart: Option<bool>,
}

/// Encodes the preview of `sheet` and the cells of `range` in the document's current state, without
/// calculating.
pub fn encode(document: &Document, revision: u64, sheet: SheetId, range: Range) -> Vec<u8> {
    let sheets = document.workbook().sheets().iter();
    let sheets = sheets.map(|sheet| PreviewSheet {
        id: sheet.id().0,
        name: sheet.name().to_string(),
        is_chart: sheet.items().own_sheet_chart().map(|_| true),
    });
    let is_complete = document.is_calculated();
    let title = document.workbook().title().map(str::to_owned);
    let header = Preview { revision, sheet: sheet.0, sheets: sheets.collect(), title, is_complete };
    let mut json = to_json(&header);
    json.resize(json.len().next_multiple_of(4), b' ');
    let (dimensions, window) = (
        sheet_dimensions::encode(document, sheet, &ViewSettings::default()),
        cell_window::encode(document, sheet, range, &[], &ViewSettings::default()),
    );
    let head = [MAGIC, json.len() as u32, dimensions.len() as u32, window.len() as u32];
    let mut bytes: Vec<u8> = head.into_iter().flat_map(u32::to_le_bytes).collect();
    bytes.extend(json);
    bytes.extend(dimensions);
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
        let (json, dimensions) = (word(4) as usize, word(8) as usize);
        assert_eq!(word(0), MAGIC);
        assert_eq!(json % 4, 0);
        let header: serde_json::Value = serde_json::from_slice(&bytes[16..16 + json]).expect("JSON");
        let sheets = serde_json::json!([{ "id": 1, "name": "Sheet1" }, { "id": 2, "name": "Größe" }]);
        let expected = serde_json::json!({ "revision": 7, "sheet": 1, "sheets": sheets, "isComplete": true });
        assert_eq!(header, expected);
        assert_eq!(
            bytes[16 + json..][..dimensions],
            sheet_dimensions::encode(&document, SheetId(1), &ViewSettings::default())
        );
        assert_eq!(
            bytes[16 + json + dimensions..],
            cell_window::encode(&document, SheetId(1), range, &[], &ViewSettings::default())
        );
        assert_eq!(bytes.len(), 16 + json + dimensions + word(12) as usize);
    }
}
