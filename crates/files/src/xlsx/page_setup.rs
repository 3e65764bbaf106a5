//! The view and print settings of a sheet: read, and as far as `rust_xlsxwriter` does not have them,
//! written.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use quadrille_cell::{ColumnIndex, Dimension, Range, RowIndex};
use quadrille_operation::ItemValue;
use quadrille_workbook::{Field, Item, ItemId, ItemKind, Sheet, Workbook};
use quick_xml::escape::escape;
use rust_xlsxwriter as xlsx;

use super::added_parts::AddedParts;
use super::colors::Theme;
use super::xml::Element;
use crate::contents::{Contents, FieldTexts, ItemContents};

/// Page breaks of rows, and of columns, that `rust_xlsxwriter` writes; Excel has 1,026.
const PAGE_BREAKS_MAX: usize = 1_023;
/// Characters of a header or footer, as in Excel.
const HEADER_LENGTH_MAX: usize = 255;
/// Headers and footers of pages other than the odd ones: the element and the field.
const OTHER_HEADERS: [(&str, Field); 4] = [
    ("evenHeader", Field::EvenHeader),
    ("evenFooter", Field::EvenFooter),
    ("firstHeader", Field::FirstHeader),
    ("firstFooter", Field::FirstFooter),
];

/// Paper sizes by number (ECMA-376 part 1, 18.3.1.63) with their names in items.
pub const PAPERS: [(u8, &str); 10] = [
    (1, "letter"),
    (3, "tabloid"),
    (5, "legal"),
    (7, "executive"),
    (8, "a3"),
    (9, "a4"),
    (11, "a5"),
    (70, "a6"),
    (12, "b4"),
    (13, "b5"),
];

/// Reads an element of the worksheet part that contains settings. Returns `false` for other
/// elements.
pub fn read(settings: &mut FieldTexts, element: &Element, theme: &Theme) -> bool {
    match element.name() {
        "sheetPr" => settings.text(Field::CodeName, element.attribute("codeName")),
        "tabColor" => settings.color(Field::TabColor, theme.color(element)),
        "sheetView" => {
            settings.flag(Field::ShowGridlines, element.flag("showGridLines"), true);
            settings.flag(Field::ShowHeadings, element.flag("showRowColHeaders"), true);
            settings.flag(Field::ShowFormulas, element.flag("showFormulas"), false);
            settings.flag(Field::ShowZeros, element.flag("showZeros"), true);
            settings.flag(Field::RightToLeft, element.flag("rightToLeft"), false);
            let zoom = element.number::<f64>("zoomScale").filter(|zoom| *zoom != 100.0);
            settings.number(Field::Zoom, zoom);
        }
        "pane" if element.attribute("state").is_some_and(|state| state.starts_with("frozen")) => {
            settings.number(Field::FrozenColumns, element.number("xSplit"));
            settings.number(Field::FrozenRows, element.number("ySplit"));
        }
        "pageMargins" => {
            for (field, name) in [
                (Field::MarginLeft, "left"),
                (Field::MarginRight, "right"),
                (Field::MarginTop, "top"),
                (Field::MarginBottom, "bottom"),
                (Field::MarginHeader, "header"),
                (Field::MarginFooter, "footer"),
            ] {
                settings.number(field, element.number(name));
            }
        }
        "pageSetup" => {
            let paper: Option<u8> = element.number("paperSize");
            let known = paper.and_then(|paper| PAPERS.iter().find(|(number, _)| *number == paper));
            settings.text(Field::Paper, known.map(|(_, name)| *name));
            let orientation = element.attribute("orientation");
            settings.text(
                Field::Orientation,
                orientation.filter(|orientation| orientation == "landscape" || orientation == "portrait"),
            );
            settings.number(Field::Scale, element.number::<f64>("scale").filter(|scale| *scale != 100.0));
            for (field, name) in [(Field::FitToWidth, "fitToWidth"), (Field::FitToHeight, "fitToHeight")] {
                settings.number(field, element.number(name));
            }
        }
        "printOptions" => {
            settings.flag(Field::PrintGridlines, element.flag("gridLines"), false);
            settings.flag(Field::PrintHeadings, element.flag("headings"), false);
            settings.flag(Field::CenterHorizontally, element.flag("horizontalCentered"), false);
            settings.flag(Field::CenterVertically, element.flag("verticalCentered"), false);
        }
        "headerFooter" => {
            settings.flag(Field::DifferentFirst, element.flag("differentFirst"), false);
            settings.flag(Field::DifferentOddEven, element.flag("differentOddEven"), false);
        }
        _ => return false,
    }
    true
}

/// Reads the text of a header or footer by the name of its element. Returns whether there is one of
/// this name.
pub fn read_header(settings: &mut FieldTexts, element: &str, text: &str) -> bool {
    let text: String = text.chars().take(HEADER_LENGTH_MAX).collect();
    match element {
        "oddHeader" => header(settings, &text, ODD_HEADER),
        "oddFooter" => header(settings, &text, ODD_FOOTER),
        _ => match OTHER_HEADERS.iter().find(|(name, _)| *name == element) {
            Some((_, field)) => settings.text(*field, Some(text)),
            None => return false,
        },
    }
    true
}

/// Whether the element has the text of a header or footer.
pub fn is_header(element: &str) -> bool {
    matches!(element, "oddHeader" | "oddFooter") || OTHER_HEADERS.iter().any(|(name, _)| *name == element)
}

const ODD_HEADER: [Field; 3] = [Field::HeaderLeft, Field::HeaderCenter, Field::HeaderRight];
const ODD_FOOTER: [Field; 3] = [Field::FooterLeft, Field::FooterCenter, Field::FooterRight];

/// Reads a `brk` element of `rowBreaks` or `colBreaks`. Breaks that are not manual follow from the
/// page setup.
pub fn page_break(element: &Element, dimension: Dimension, contents: &mut Contents) {
    let index = element.number::<u32>("id").filter(|id| *id > 0 && element.flag("man") == Some(true));
    let range = index.and_then(|index| whole(dimension, index));
    if let Some(range) = range {
        put_page_break(range, contents);
    }
}

/// Adds the page break before a whole row or column.
pub fn put_page_break(range: Range, contents: &mut Contents) {
    let fields = FieldTexts::default();
    let anchors = vec![range];
    contents.put_item(ItemContents { kind: ItemKind::PageBreak, anchors, fields, parent: None });
}

/// The row or the column with this index.
pub fn whole(dimension: Dimension, index: u32) -> Option<Range> {
    match dimension {
        Dimension::Rows => RowIndex::new(index).map(|row| Range::rows(row, row)),
        Dimension::Columns => ColumnIndex::new(index).map(|column| Range::columns(column, column)),
    }
}

/// The rows, or the columns, before which there is a manual page break.
pub(crate) fn page_breaks(sheet: &Sheet, dimension: Dimension) -> BTreeSet<u32> {
    let items = sheet.items().of_kind(ItemKind::PageBreak);
    let anchors = items.filter_map(|(_, item)| item.anchors.first().copied());
    let indexes = anchors.filter_map(|anchor| match dimension {
        Dimension::Rows => anchor.is_whole_rows().then_some(anchor.first().row.get()),
        Dimension::Columns => anchor.is_whole_columns().then_some(anchor.first().column.get()),
    });
    indexes.filter(|index| *index > 0).collect()
}

/// Writes the page breaks.
pub(super) fn write_page_breaks(sheet: &Sheet, target: &mut xlsx::Worksheet) -> Result<(), xlsx::XlsxError> {
    let breaks = |dimension| page_breaks(sheet, dimension).into_iter().take(PAGE_BREAKS_MAX);
    target.set_page_breaks(&breaks(Dimension::Rows).collect::<Vec<_>>())?;
    target.set_vertical_page_breaks(&breaks(Dimension::Columns).collect::<Vec<_>>())?;
    Ok(())
}

/// The anchors of the page breaks that a file has.
pub(crate) fn written_page_breaks(sheet: &Sheet) -> BTreeSet<Range> {
    let breaks = |dimension| {
        let indexes = page_breaks(sheet, dimension).into_iter().take(PAGE_BREAKS_MAX);
        indexes.filter_map(move |index| whole(dimension, index))
    };
    breaks(Dimension::Rows).chain(breaks(Dimension::Columns)).collect()
}

/// The header of odd pages, or of all.
pub(super) fn odd_header(settings: &Item) -> String {
    sections(settings, ODD_HEADER)
}

/// The footer of odd pages, or of all.
pub(super) fn odd_footer(settings: &Item) -> String {
    sections(settings, ODD_FOOTER)
}

fn sections(settings: &Item, fields: [Field; 3]) -> String {
    let parts = fields.into_iter().zip(["&L", "&C", "&R"]);
    parts.filter_map(|(field, mark)| settings.text(field).map(|text| format!("{mark}{text}"))).collect()
}

/// Adds the headers and footers of sheets that have different ones on the first or on even pages.
pub(super) fn add_headers(workbook: &Workbook, added: &mut AddedParts) {
    for (index, sheet) in workbook.sheets().iter().enumerate() {
        let Some(settings) = sheet.item(ItemId::SETTINGS) else { continue };
        let flag = |name: &str, field| match settings.boolean(field) {
            Some(true) => format!(" {name}=\"1\""),
            _ => String::new(),
        };
        let flags = flag("differentOddEven", Field::DifferentOddEven)
            + &flag("differentFirst", Field::DifferentFirst);
        let has_texts = OTHER_HEADERS.iter().any(|(_, field)| settings.text(*field).is_some());
        if flags.is_empty() && !has_texts {
            continue;
        }
        let mut element = format!("<headerFooter{flags}>");
        let odd = [("oddHeader", odd_header(settings)), ("oddFooter", odd_footer(settings))];
        let other = OTHER_HEADERS.map(|(name, field)| {
            (name, settings.text(field).map(|text| text.to_string()).unwrap_or_default())
        });
        for (name, text) in odd.into_iter().chain(other).filter(|(_, text)| !text.is_empty()) {
            let _infallible = write!(element, "<{name}>{}</{name}>", escape(&text));
        }
        element += "</headerFooter>";
        let part = added.sheet_part(index);
        added.change(part, move |text| with_headers(text, &element));
    }
}

/// The part with the element: in place of the one it has, or after the page setup.
fn with_headers(text: &str, element: &str) -> String {
    const END: &str = "</headerFooter>";
    if let (Some(start), Some(end)) = (text.find("<headerFooter"), text.find(END)) {
        return [&text[..start], element, &text[end + END.len()..]].concat();
    }
    let before = ["<pageSetup ", "<pageMargins "].iter().find_map(|start| text.rfind(start));
    match before.and_then(|at| Some(at + text[at..].find("/>")? + 2)) {
        Some(at) => [&text[..at], element, &text[at..]].concat(),
        None => text.to_owned(),
    }
}

/// Splits a header or footer such as `&LLeft&CCenter&RRight` into its three sections.
fn header(settings: &mut FieldTexts, text: &str, fields: [Field; 3]) {
    let mut parts = [String::new(), String::new(), String::new()];
    let mut current = 1;
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        let section = match (next, rest.peek()) {
            ('&', Some('L')) => Some(0),
            ('&', Some('C')) => Some(1),
            ('&', Some('R')) => Some(2),
            _ => None,
        };
        match section {
            Some(section) => {
                rest.next();
                current = section;
            }
            None => parts[current].push(next),
        }
    }
    for (field, part) in fields.into_iter().zip(parts) {
        settings.text(field, Some(part));
    }
}

/// Removes the numbers of pages to fit on, which have no effect without `fitToPage`.
pub fn clear_fit(settings: &mut FieldTexts) {
    for field in [Field::FitToWidth, Field::FitToHeight] {
        settings.0.remove(field.name());
    }
}

/// Completes `fitToPage`: a missing number of pages is 1.
pub fn set_default_fit(settings: &mut FieldTexts) {
    for field in [Field::FitToWidth, Field::FitToHeight] {
        settings.0.entry(field.name().to_owned()).or_insert(ItemValue::Number(1.0));
    }
}
