//! The rectangle of cells that the grid draws, in one buffer. Read by `web/protocol/src/window.ts`.
//!
//! Little-endian: a header of eight u32 (magic, sheet, first row, rows, first column, columns, styles, bytes of
//! text), the styles (text colour, fill colour, attribute bits), then for each cell, row by row, the end of its
//! text in UTF-16 units (u32), its style (u16) and its kind (u8), and at last the texts as UTF-8.

use std::collections::BTreeMap;

use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_document::Document;
use quadrille_workbook::{Format, HorizontalAlignment, Sheet, VerticalAlignment};

const MAGIC: u32 = 0x3157_5100;
/// Stands for "as the theme has it".
const NO_COLOR: u32 = 0xffff_ffff;
/// Longer texts are cut: nobody reads them in a cell, and a screen of them is megabytes.
const TEXT_CHARS_MAX: usize = 1_000;
/// Styles are numbered in 16 bits; a window has far fewer cells with a look of their own.
const STYLES_MAX: usize = 1 << 16;

const HAS_FORMULA: u8 = 8;

/// Text colour, fill colour, attribute bits.
type Style = [u32; 3];

/// A sheet that is gone is empty.
pub fn encode(document: &Document, sheet: SheetId, range: Range) -> Vec<u8> {
    let mut cells = Cells::default();
    if let Some(found) = document.workbook().sheet(sheet) {
        for cell in range.cells() {
            cells.push(document, found, cell);
        }
    } else {
        for _ in 0..range.cell_count() {
            cells.push_blank();
        }
    }
    cells.into_bytes(sheet, range)
}

struct Cells {
    styles: Vec<Style>,
    numbers: BTreeMap<Style, u16>,
    ends: Vec<u32>,
    looks: Vec<u16>,
    kinds: Vec<u8>,
    text: String,
    text_units: u32,
}

impl Default for Cells {
    fn default() -> Cells {
        let plain = style_of(&Format::default(), None);
        Cells {
            styles: vec![plain],
            numbers: BTreeMap::from([(plain, 0)]),
            ends: Vec::new(),
            looks: Vec::new(),
            kinds: Vec::new(),
            text: String::new(),
            text_units: 0,
        }
    }
}

impl Cells {
    fn push_blank(&mut self) {
        self.ends.push(self.text_units);
        self.looks.push(0);
        self.kinds.push(0);
    }

    fn push(&mut self, document: &Document, sheet: &Sheet, cell: CellAddress) {
        let value = sheet.value(cell);
        let format = sheet.format(cell);
        let formula = if sheet.formula(cell).is_some() { HAS_FORMULA } else { 0 };
        let display = document.display_value(&value, format);
        let shown = match display.text.char_indices().nth(TEXT_CHARS_MAX) {
            Some((end, _)) => &display.text[..end],
            None => &display.text,
        };
        self.text.push_str(shown);
        self.text_units += utf16_length(shown);
        self.ends.push(self.text_units);
        let look = self.number_of(style_of(format, display.color.map(|color| color.0)));
        self.looks.push(look);
        self.kinds.push(kind_of(&value) | formula);
    }

    fn number_of(&mut self, style: Style) -> u16 {
        if let Some(number) = self.numbers.get(&style) {
            return *number;
        }
        if self.styles.len() == STYLES_MAX {
            return 0;
        }
        let number = self.styles.len() as u16; // below `STYLES_MAX`
        self.styles.push(style);
        self.numbers.insert(style, number);
        number
    }

    fn into_bytes(self, sheet: SheetId, range: Range) -> Vec<u8> {
        let header = [
            MAGIC,
            sheet.0,
            range.first().row.get(),
            range.row_count(),
            range.first().column.get(),
            range.column_count(),
            self.styles.len() as u32,
            self.text.len() as u32,
        ];
        let words = header.into_iter().chain(self.styles.into_iter().flatten()).chain(self.ends);
        let mut bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        bytes.extend(self.looks.into_iter().flat_map(u16::to_le_bytes));
        bytes.extend(self.kinds);
        bytes.extend(self.text.into_bytes());
        bytes
    }
}

fn utf16_length(text: &str) -> u32 {
    let units = if text.is_ascii() { text.len() } else { text.encode_utf16().count() };
    units as u32 // at most two for each of `TEXT_CHARS_MAX`
}

fn kind_of(value: &Value) -> u8 {
    match value {
        Value::Blank => 0,
        Value::Number(_) => 1,
        Value::Text(_) => 2,
        Value::Boolean(_) => 3,
        Value::Error(_) => 4,
    }
}

fn style_of(format: &Format, text_color: Option<u32>) -> Style {
    let horizontal = match format.horizontal {
        None => 0,
        Some(HorizontalAlignment::Left) => 1,
        Some(HorizontalAlignment::Center) => 2,
        Some(HorizontalAlignment::Right) => 3,
    };
    let vertical = match format.vertical {
        None => 0,
        Some(VerticalAlignment::Top) => 1,
        Some(VerticalAlignment::Middle) => 2,
        Some(VerticalAlignment::Bottom) => 3,
    };
    let attributes = u32::from(format.bold)
        | u32::from(format.italic) << 1
        | u32::from(format.underline) << 2
        | u32::from(format.strikethrough) << 3
        | u32::from(format.wrap) << 4
        | horizontal << 8
        | vertical << 10;
    [text_color.unwrap_or(NO_COLOR), format.fill_color.map_or(NO_COLOR, |color| color.0), attributes]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn words(bytes: &[u8]) -> Vec<u32> {
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
    }

    #[test]
    fn a_window_holds_texts_kinds_and_ends_in_utf16() {
        let document = testing::document("A1: äö | B1: 2 | A2: =B1*2 | B2: 😀");
        let range = Range::from_indices(0, 0, 1, 2).expect("within the sheet");
        let bytes = encode(&document, SheetId(1), range);
        assert_eq!(words(&bytes[..32]), [MAGIC, 1, 0, 2, 0, 3, 1, 10]);
        let ends = 32 + 12;
        assert_eq!(words(&bytes[ends..ends + 24]), [2, 3, 3, 4, 6, 6]);
        let kinds = ends + 24 + 12;
        assert_eq!(bytes[kinds..kinds + 6], [2, 1, 0, 1 | HAS_FORMULA, 2, 0]);
        assert_eq!(&bytes[kinds + 6..], "äö24😀".as_bytes());
    }

    #[test]
    fn a_sheet_that_is_gone_is_blank() {
        let document = Document::new();
        let range = Range::from_indices(0, 0, 1, 1).expect("within the sheet");
        let bytes = encode(&document, SheetId(99), range);
        assert_eq!(bytes.len(), 32 + 12 + 4 * (4 + 2 + 1));
    }
}
