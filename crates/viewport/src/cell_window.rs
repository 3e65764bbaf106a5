//! The cell window: the rectangle of cells that the grid draws, without hidden rows, in one buffer.
//! `web/protocol/src/cell-window.ts` decodes it.
//!
//! Layout, in little-endian `u32` unless noted:
//!
//! 1. a header of ten words: magic, sheet, first column, columns, runs of rows, styles, bytes of
//!    text, merges, bytes of markers, 0;
//! 2. first row and count of each run of rows;
//! 3. the styles: text color, fill color, attribute bits, font, four borders, more attribute bits,
//!    pattern color, two diagonal borders ([`CellStyle`]);
//! 4. the merged ranges: first row, first column, last row, last column;
//! 5. for the cells, row by row: the end of each cell's text in UTF-16 code units (`u32`), then all
//!    style numbers (`u16`), then all value kinds (`u8`);
//! 6. the texts, then the markers ([`WindowMarks`] as JSON), both in UTF-8.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Dimension, Range, SheetId, Value};
use quadrille_document::Document;
use quadrille_rich_text::{RichText, pieces, to_runs};
use quadrille_workbook::{
    Border, BorderStyle, FillPattern, FontScript, Format, HorizontalAlignment, ItemKind, Overflow,
    ReadingOrder, Sheet, TextFormat, TextRuns, UnderlineStyle, VerticalAlignment,
};

use crate::cell_markers;
use crate::cell_marks::{MarkedCell, TextRun, WindowMarks};
use crate::to_json;
use crate::view_settings::ViewSettings;

const MAGIC: u32 = 0x3357_5100;
/// Color value for "automatic": the theme decides.
pub const NO_COLOR: u32 = 0xffff_ffff;
/// Longer texts are cut off: a cell cannot show them, and a window of them would take megabytes.
const TEXT_CHARS_MAX: usize = 1_000;
/// Of longer texts in HTML or another format, only this beginning is read.
const RICH_TEXT_CHARS_MAX: usize = 10_000;
/// A style number has 16 bits; cells beyond this number of styles get the default style.
const STYLES_MAX: usize = 1 << 16;
/// More cells than fit on any screen, including prefetched ones; rows beyond are left out.
const CELLS_MAX: u64 = 400_000;

const HAS_FORMULA: u8 = 8;

/// Text color, fill color, attribute bits, font, the top, right, bottom and left border, more
/// attribute bits, the color of the fill pattern, and the diagonal borders up and down.
pub type CellStyle = [u32; 12];

/// Encodes the visible rows of `range`, or the rows of `range` that are listed in `rows`, in that order, if
/// there are some. A sheet that does not exist is encoded as blank cells.
///
/// Takes time proportional to the number of cells, at most 400,000.
pub fn encode(
    document: &Document,
    sheet_id: SheetId,
    range: Range,
    rows: &[u32],
    settings: &ViewSettings,
) -> Vec<u8> {
    let sheet = document.workbook().sheet(sheet_id);
    let runs = match rows {
        [] => visible_row_runs(sheet, range),
        _ => rows.iter().take(rows_max(range)).map(|row| (*row, 1)).collect(),
    };
    let mut cells = Cells { shows_formulas: settings.shows_formulas, ..Cells::default() };
    let mut marks = cell_markers::Marker::new(document, sheet, range, settings);
    let merges = sheet.map_or_else(Vec::new, |sheet| merges_in(sheet, range));
    let mut merge_anchors = merge_anchors(&merges, range, &runs);
    for row in runs.iter().flat_map(|(first, count)| *first..first + count) {
        for column in range.first().column.get()..=range.last().column.get() {
            let cell = CellAddress::clamped(row, column);
            let anchor = if merge_anchors.is_empty() { None } else { merge_anchors.remove(&cell) };
            match sheet {
                Some(sheet) => cells.push(document, sheet, anchor.unwrap_or(cell), &mut marks),
                None => cells.push_blank(),
            }
        }
    }
    cells.into_bytes(sheet_id, range, &runs, &merges, marks.finish())
}

/// The number of rows with [`CELLS_MAX`] cells.
fn rows_max(range: Range) -> usize {
    (CELLS_MAX / u64::from(range.column_count())).max(1) as usize // fewer than `CELLS_MAX`
}

/// First row and count of each run of visible rows of `range`, limited to [`CELLS_MAX`] cells.
fn visible_row_runs(sheet: Option<&Sheet>, range: Range) -> Vec<(u32, u32)> {
    let mut rows_left = rows_max(range) as u32; // at most `CELLS_MAX`
    let (start, end) = (range.first().row.get(), range.last().row.get() + 1);
    let mut next = start;
    let mut runs = Vec::new();
    let mut push = |first: u32, until: u32| {
        let count = until.saturating_sub(first).min(rows_left);
        if count > 0 {
            rows_left -= count;
            runs.push((first, count));
        }
    };
    let hidden = sheet.into_iter().flat_map(|sheet| sheet.hidden_runs(Dimension::Rows));
    for (first, count) in hidden.skip_while(|(first, count)| first + count <= start) {
        if first >= end {
            break;
        }
        push(next, first);
        next = first + count;
    }
    push(next, end);
    if runs.is_empty() {
        runs.push((range.first().row.get(), 0));
    }
    runs
}

fn merges_in(sheet: &Sheet, range: Range) -> Vec<Range> {
    let merges = sheet.items().of_kind(ItemKind::Merge);
    merges
        .flat_map(|(_, item)| item.anchors.iter().copied())
        .filter(|merge| merge.intersects(range))
        .collect()
}

/// For merged ranges whose first cell is outside the window: the first visible cell of the range,
/// mapped to the first cell, whose contents it shows.
fn merge_anchors(merges: &[Range], range: Range, runs: &[(u32, u32)]) -> BTreeMap<CellAddress, CellAddress> {
    let is_visible = |row: u32| runs.iter().any(|(first, count)| (*first..first + count).contains(&row));
    let visible_anchor = |merge: &Range| {
        let inside = merge.intersection(range)?;
        let row = (inside.first().row.get()..=inside.last().row.get()).find(|row| is_visible(*row))?;
        let first = CellAddress::clamped(row, inside.first().column.get());
        (first != merge.first()).then_some((first, merge.first()))
    };
    let mut anchors = BTreeMap::new();
    for (cell, anchor) in merges.iter().filter_map(visible_anchor) {
        anchors.insert(cell, anchor);
    }
    anchors
}

/// The parts of the buffer while cells are added.
struct Cells {
    shows_formulas: bool,
    styles: Vec<CellStyle>,
    numbers: BTreeMap<CellStyle, u16>,
    fonts: Vec<Arc<str>>,
    /// End of each cell's text, in UTF-16 code units.
    ends: Vec<u32>,
    formats: Vec<u16>,
    kinds: Vec<u8>,
    text: String,
    text_units: u32,
}

impl Default for Cells {
    fn default() -> Cells {
        let mut fonts = Vec::new();
        let plain = style_of(&Format::default(), None, &mut fonts);
        Cells {
            shows_formulas: false,
            styles: vec![plain],
            numbers: quadrille_cell::collect_by_insertion([(plain, 0)]),
            fonts,
            ends: Vec::new(),
            formats: Vec::new(),
            kinds: Vec::new(),
            text: String::new(),
            text_units: 0,
        }
    }
}

impl Cells {
    fn push_blank(&mut self) {
        self.ends.push(self.text_units);
        self.formats.push(0);
        self.kinds.push(0);
    }

    fn push(
        &mut self,
        document: &Document,
        sheet: &Sheet,
        cell: CellAddress,
        marks: &mut cell_markers::Marker<'_>,
    ) {
        let value = sheet.value(cell);
        let has_formula = sheet.formula(cell).is_some();
        let formula = if has_formula { HAS_FORMULA } else { 0 };
        let own = document.format(sheet, cell);
        let rich = match (own.text_format, &value) {
            (Some(format), Value::Text(text)) if !self.shows_formulas => Some(rich_text(format, text)),
            _ => None,
        };
        let at = self.ends.len() as u32; // at most `CELLS_MAX`
        let computed = marks.mark(cell, &value, at, &own, rich.as_ref());
        let format = computed.as_ref().map_or(&*own, |computed| computed.format());
        let mut display = document.display_value(&value, format);
        let mut kind = kind_of(&value);
        if self.shows_formulas && has_formula {
            display.text = document.edit_text(sheet.id(), cell);
            display.color = None;
            kind = kind_of(&Value::Text("".into())); // aligned left, overflows into blank neighbors
        }
        if let Some(rich) = rich {
            display.text = rich.text;
        }
        let text = match display.text.char_indices().nth(TEXT_CHARS_MAX) {
            Some((end, _)) => &display.text[..end],
            None => &display.text,
        };
        self.text.push_str(text);
        self.text_units += utf16_length(text);
        self.ends.push(self.text_units);
        let color = display.color.map(|color| color.0);
        let style = style_of(format, color, &mut self.fonts);
        let number = self.number_of(style);
        if !self.shows_formulas
            && own.text_format.is_none()
            && let Some((text, runs)) = sheet.rich_text(cell)
            && display.text == *text
        {
            marks.put_runs(at, self.text_runs(runs, format, color));
        }
        self.formats.push(number);
        self.kinds.push(kind | formula);
    }

    /// The runs of a text, each with the style of the cell and the font of its own.
    fn text_runs(&mut self, runs: &TextRuns, format: &Format, color: Option<u32>) -> Vec<TextRun> {
        let mut end = 0;
        let mut marked = Vec::new();
        for run in runs.runs() {
            if end > 2 * TEXT_CHARS_MAX as u32 {
                break; // the text that is sent ends before
            }
            end += run.length;
            let font = run.font.to_patch();
            let own = font.apply_to(format);
            let color = if font.text_color.is_some() { own.text_color.map(|color| color.0) } else { color };
            let style = style_of(&own, color, &mut self.fonts);
            let cell_style = Some(self.number_of(style));
            marked.push(TextRun { end, cell_style, style: 0, size: 100, color: None });
        }
        marked
    }

    fn number_of(&mut self, style: CellStyle) -> u16 {
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

    fn into_bytes(
        self,
        sheet: SheetId,
        range: Range,
        runs: &[(u32, u32)],
        merges: &[Range],
        cells: Vec<MarkedCell>,
    ) -> Vec<u8> {
        let fonts = self.fonts.iter().map(ToString::to_string).collect::<Vec<_>>();
        let marks = match cells.is_empty() && fonts.is_empty() {
            true => Vec::new(),
            false => to_json(&WindowMarks { fonts, cells }),
        };
        let header = [
            MAGIC,
            sheet.0,
            range.first().column.get(),
            range.column_count(),
            runs.len() as u32,
            self.styles.len() as u32,
            self.text.len() as u32,
            merges.len() as u32,
            marks.len() as u32,
            0,
        ];
        let merges = merges.iter().flat_map(|merge| {
            let (first, last) = (merge.first(), merge.last());
            [first.row.get(), first.column.get(), last.row.get(), last.column.get()]
        });
        let words = header
            .into_iter()
            .chain(runs.iter().flat_map(|(first, count)| [*first, *count]))
            .chain(self.styles.into_iter().flatten())
            .chain(merges)
            .chain(self.ends);
        let mut bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        bytes.extend(self.formats.into_iter().flat_map(u16::to_le_bytes));
        bytes.extend(self.kinds);
        bytes.extend(self.text.into_bytes());
        bytes.extend(marks);
        bytes
    }
}

/// A text of a cell with its formats.
fn rich_text(format: TextFormat, text: &str) -> RichText {
    let end = text.char_indices().nth(RICH_TEXT_CHARS_MAX).map_or(text.len(), |(end, _)| end);
    to_runs(&pieces(format, &text[..end]), TEXT_CHARS_MAX)
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

fn style_of(format: &Format, text_color: Option<u32>, fonts: &mut Vec<Arc<str>>) -> CellStyle {
    // The position of a single line, and how wrapped or repeated text fills the cell.
    let (horizontal, horizontal_fill) = match format.horizontal {
        None => (0, 0),
        Some(HorizontalAlignment::Left) => (1, 0),
        Some(HorizontalAlignment::Center) => (2, 0),
        Some(HorizontalAlignment::Right) => (3, 0),
        Some(HorizontalAlignment::Justify) => (1, 1),
        Some(HorizontalAlignment::Distributed) => (2, 2),
        Some(HorizontalAlignment::Fill) => (1, 3),
        Some(HorizontalAlignment::CenterContinuous) => (2, 4),
    };
    let (vertical, vertical_fill) = match format.vertical {
        None => (0, 0),
        Some(VerticalAlignment::Top) => (1, 0),
        Some(VerticalAlignment::Middle) => (2, 0),
        Some(VerticalAlignment::Bottom) => (3, 0),
        Some(VerticalAlignment::Justify) => (1, 1),
        Some(VerticalAlignment::Distributed) => (2, 1),
    };
    // Justified and distributed text is wrapped, as in Excel.
    let wraps = format.wrap || matches!(horizontal_fill, 1 | 2) || vertical_fill == 1;
    let underline = match format.underline_style {
        None => 0,
        Some(UnderlineStyle::Double) => 1,
        Some(UnderlineStyle::SingleAccounting) => 2,
        Some(UnderlineStyle::DoubleAccounting) => 3,
    };
    let script = match format.script {
        None => 0,
        Some(FontScript::Superscript) => 1,
        Some(FontScript::Subscript) => 2,
    };
    let order = match format.reading_order {
        None => 0,
        Some(ReadingOrder::LeftToRight) => 1,
        Some(ReadingOrder::RightToLeft) => 2,
    };
    let pattern = format.fill_pattern.map_or(0, pattern_number);
    let more =
        horizontal_fill | vertical_fill << 3 | underline << 6 | script << 8 | order << 10 | pattern << 12;
    let pattern_color = format.fill_pattern_color.map_or(NO_COLOR, |color| color.0);
    let attributes = u32::from(format.bold)
        | u32::from(format.italic) << 1
        | u32::from(format.underline) << 2
        | u32::from(format.strikethrough) << 3
        | u32::from(wraps) << 4
        | u32::from(format.overflow == Some(Overflow::Clip)) << 5
        | u32::from(format.overflow == Some(Overflow::Shrink)) << 6
        | horizontal << 8
        | vertical << 10
        // The upper 16 bits hold the rotation in degrees, signed.
        | (i32::from(format.rotation.degrees()) as u32) << 16;
    let family = format.font_family.as_ref().map_or(0, |family| font_number(family, fonts));
    let size = format.font_size.map_or(0, |size| u32::from(size.0));
    let font = size | family << 16 | u32::from(format.indent) << 24;
    let fill_color = format.fill_color.map_or(NO_COLOR, |color| color.0);
    let borders = [format.border_top, format.border_right, format.border_bottom, format.border_left];
    let [top, right, bottom, left] = borders.map(border_word);
    let [up, down] = [format.border_diagonal_up, format.border_diagonal_down].map(border_word);
    let text_color = text_color.unwrap_or(NO_COLOR);
    [text_color, fill_color, attributes, font, top, right, bottom, left, more, pattern_color, up, down]
}

/// Number of the pattern in [`FillPattern::ALL`], counted from 1.
fn pattern_number(pattern: FillPattern) -> u32 {
    FillPattern::ALL.iter().position(|known| *known == pattern).map_or(0, |at| at as u32 + 1)
}

/// Number of the font, counted from 1. Fonts whose number exceeds a byte get 0, the default font.
fn font_number(family: &Arc<str>, fonts: &mut Vec<Arc<str>>) -> u32 {
    let position = fonts.iter().position(|font| font == family);
    let position = position.unwrap_or_else(|| {
        fonts.push(family.clone());
        fonts.len() - 1
    });
    u32::try_from(position + 1).ok().filter(|number| *number < 256).unwrap_or(0)
}

/// The line style in the upper byte and the color below; the numbers are those of `BorderLine` in
/// `web/protocol/src/cell-window.ts`.
fn border_word(border: Option<Border>) -> u32 {
    let Some(border) = border else { return 0 };
    let line: u32 = match border.style {
        BorderStyle::Hair => 1,
        BorderStyle::Dotted => 2,
        BorderStyle::Dashed => 3,
        BorderStyle::Thin => 4,
        BorderStyle::DashDot => 5,
        BorderStyle::DashDotDot => 6,
        BorderStyle::Medium => 7,
        BorderStyle::MediumDashed => 8,
        BorderStyle::MediumDashDot => 9,
        BorderStyle::MediumDashDotDot => 10,
        BorderStyle::SlantDashDot => 11,
        BorderStyle::Thick => 12,
        BorderStyle::Double => 13,
    };
    line << 24 | border.color.map_or(0, |color| color.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_document;
    use quadrille_workbook::FormatPatch;

    fn words(bytes: &[u8]) -> Vec<u32> {
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
    }

    #[test]
    fn a_window_holds_texts_kinds_and_ends_in_utf16() {
        let document = test_document("A1: äö | B1: 2 | A2: =B1*2 | B2: 😀");
        let range = Range::from_indices(0, 0, 1, 2).expect("within the sheet");
        let bytes = encode(&document, SheetId(1), range, &[], &ViewSettings::default());
        assert_eq!(words(&bytes[..48]), [MAGIC, 1, 0, 3, 1, 1, 10, 0, 0, 0, 0, 2]);
        let ends = 48 + 48;
        assert_eq!(words(&bytes[ends..ends + 24]), [2, 3, 3, 4, 6, 6]);
        let kinds = ends + 24 + 12;
        assert_eq!(bytes[kinds..kinds + 6], [2, 1, 0, 1 | HAS_FORMULA, 2, 0]);
        assert_eq!(&bytes[kinds + 6..], "äö24😀".as_bytes());
    }

    #[test]
    fn texts_in_html_are_sent_without_tags_and_with_their_formats() {
        let mut workbook = test_document("A1: <b>a</b> <a href=//x.org>b</a> | B1: <i>c</i>").snapshot();
        let sheet = workbook.sheet_mut(SheetId(1)).expect("the first sheet has number 1");
        let patch = FormatPatch { text_format: Some(Some(TextFormat::Html)), ..FormatPatch::default() };
        sheet.patch_format(Range::cell(CellAddress::default()), &patch);
        let range = Range::from_indices(0, 0, 0, 1).expect("within the sheet");
        let bytes =
            encode(&Document::from_workbook(workbook), SheetId(1), range, &[], &ViewSettings::default());
        let bytes = String::from_utf8_lossy(&bytes);
        let runs = r#"a b<i>c</i>{"fonts":[],"cells":[{"at":0,"mark":{"runs":[{"end":1,"style":1,"size":100},{"end":2,"style":0,"size":100},{"end":3,"style":4,"size":100,"color":743376}],"link":"//x.org"}}]}"#;
        assert!(bytes.ends_with(runs), "{bytes}");
    }

    #[test]
    fn parts_of_a_text_have_styles_of_their_own() {
        let mut workbook = test_document("A1: ab | B1: ac").snapshot();
        let sheet = workbook.sheet_mut(SheetId(1)).expect("the first sheet has number 1");
        let bold = FormatPatch { bold: Some(true), ..FormatPatch::default() };
        let runs = TextRuns::from_parts([("a", FormatPatch::default()), ("b", bold)]).expect("bold");
        let patch = FormatPatch {
            italic: Some(true),
            text_runs: Some(Some(Arc::new(runs))),
            ..FormatPatch::default()
        };
        // The runs have no effect on B1, which has another text.
        sheet.patch_format(Range::from_indices(0, 0, 0, 1).expect("within the sheet"), &patch);
        let range = Range::from_indices(0, 0, 0, 1).expect("within the sheet");
        let bytes =
            encode(&Document::from_workbook(workbook), SheetId(1), range, &[], &ViewSettings::default());
        let marks = r#"{"fonts":[],"cells":[{"at":0,"mark":{"runs":[{"end":1,"cellStyle":1,"style":0,"size":100},{"end":2,"cellStyle":2,"style":0,"size":100}]}}]}"#;
        assert!(bytes.ends_with(marks.as_bytes()), "{}", String::from_utf8_lossy(&bytes));
        // The attribute bits of the styles: none, italic, bold and italic.
        let attributes = [0, 1, 2].map(|style| words(&bytes[48 + 48 * style..])[2]);
        assert_eq!(attributes, [0, 2, 3]);
    }

    #[test]
    fn a_deleted_sheet_is_blank() {
        let document = Document::new();
        let range = Range::from_indices(0, 0, 1, 1).expect("within the sheet");
        let bytes = encode(&document, SheetId(99), range, &[], &ViewSettings::default());
        assert_eq!(bytes.len(), 48 + 48 + 4 * (4 + 2 + 1));
    }

    #[test]
    fn hidden_rows_are_left_out_and_merges_are_encoded() {
        let mut workbook = test_document("A1: a | A3: c").snapshot();
        let sheet = workbook.sheet_mut(SheetId(1)).expect("the first sheet has number 1");
        sheet.set_hidden(Dimension::Rows, 1, 1, true);
        let mut merge = quadrille_workbook::Item::new(ItemKind::Merge);
        merge.anchors.push(Range::from_indices(0, 0, 0, 1).expect("within the sheet"));
        sheet.set_item(quadrille_workbook::ItemId(5), Some(merge));
        let range = Range::from_indices(0, 0, 3, 0).expect("within the sheet");
        let bytes =
            encode(&Document::from_workbook(workbook), SheetId(1), range, &[], &ViewSettings::default());
        assert_eq!(words(&bytes[..56]), [MAGIC, 1, 0, 1, 2, 1, 2, 1, 0, 0, 0, 1, 2, 2]);
        assert_eq!(words(&bytes[104..120]), [0, 0, 0, 1]);
        assert_eq!(words(&bytes[120..132]), [1, 2, 2]);
    }

    #[test]
    fn listed_rows_are_encoded_in_their_order() {
        let workbook = test_document("A1: a | A2: bb | A3: ccc").snapshot();
        let range = Range::from_indices(0, 0, 2, 0).expect("within the sheet");
        let document = Document::from_workbook(workbook);
        let bytes = encode(&document, SheetId(1), range, &[2, 0], &ViewSettings::default());
        // Two runs of one row each, and the ends of the texts `ccc` and `a`.
        assert_eq!(words(&bytes[..56]), [MAGIC, 1, 0, 1, 2, 1, 4, 0, 0, 0, 2, 1, 0, 1]);
        assert_eq!(words(&bytes[104..112]), [3, 4]);
        assert!(bytes.ends_with(b"ccca"));
    }

    #[test]
    fn a_merge_that_begins_outside_the_window_shows_its_text() {
        let mut workbook = test_document("A1: title").snapshot();
        let sheet = workbook.sheet_mut(SheetId(1)).expect("the first sheet has number 1");
        let mut merge = quadrille_workbook::Item::new(ItemKind::Merge);
        merge.anchors.push(Range::from_indices(0, 0, 0, 5).expect("within the sheet"));
        sheet.set_item(quadrille_workbook::ItemId(5), Some(merge));
        let range = Range::from_indices(0, 3, 0, 4).expect("within the sheet");
        let bytes =
            encode(&Document::from_workbook(workbook), SheetId(1), range, &[], &ViewSettings::default());
        let ends = 48 + 48 + 16;
        assert_eq!(words(&bytes[ends..ends + 8]), [5, 5]);
        assert_eq!(&bytes[bytes.len() - 5..], b"title");
    }
}
