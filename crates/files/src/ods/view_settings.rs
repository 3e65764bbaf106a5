//! Frozen panes, zoom, gridlines, headings and zeros of OpenDocument files, which are among the settings of the
//! view. Their names are those of LibreOffice; OpenDocument leaves them to programs (part 3, 3.10).

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::BufRead;
use std::ops::RangeInclusive;

use quadrille_workbook::{Field, ItemKind, Workbook};

use super::numbers::escaped;
use crate::contents::Contents;
use crate::error::FileError;
use crate::xlsx::xml::{Node, XmlReader};

/// LibreOffice reads the settings only if the prefix of their name is declared.
const NAMESPACES: &str = "xmlns:config=\"urn:oasis:names:tc:opendocument:xmlns:config:1.0\" \
    xmlns:ooo=\"http://openoffice.org/2004/office\"";
/// The value of a split mode for panes that do not scroll.
const FROZEN: f64 = 2.0;
/// Frozen rows or columns, at most, as in the items.
const FROZEN_MAX: f64 = 1_000.0;
/// Zoom in percent, as in the items.
const ZOOM: RangeInclusive<f64> = 10.0..=400.0;
/// The value of `ZoomType` for a percentage; others fit the sheet to the window.
const PERCENT: f64 = 0.0;
/// Settings of one sheet, at most.
const SETTINGS_MAX: usize = 100;
/// Settings that a file has once for all sheets: headings of rows and columns, and zeros.
const OF_VIEW: [(&str, Field); 2] =
    [("HasColumnRowHeaders", Field::ShowHeadings), ("ShowZeroValues", Field::ShowZeros)];

/// Reads the settings of the sheets, up to the end of the part.
pub(super) fn read<R: BufRead>(part: &mut XmlReader<R>, contents: &mut Contents) -> Result<(), FileError> {
    // The sheet whose settings are read, and the depth within the list of sheets.
    let mut sheet: Option<String> = None;
    let mut is_in_tables = false;
    let mut numbers: BTreeMap<String, f64> = BTreeMap::new();
    loop {
        match part.next()? {
            Node::Start(element) => {
                let name = element.attribute("config:name").unwrap_or_default();
                match element.name() {
                    "config-item-map-named" => is_in_tables = name == "Tables",
                    "config-item-map-entry" if is_in_tables => {
                        sheet = Some(name);
                        numbers.clear();
                    }
                    "config-item" => {
                        let text = part.text()?;
                        let number = match text.trim() {
                            "true" => Some(1.0),
                            "false" => Some(0.0),
                            text => text.parse().ok().filter(|number: &f64| number.is_finite()),
                        };
                        let field = OF_VIEW.iter().find(|(setting, _)| *setting == name);
                        match (number, field) {
                            (Some(number), _) if sheet.is_some() && numbers.len() < SETTINGS_MAX => {
                                numbers.insert(name, number);
                            }
                            (Some(0.0), Some((_, field))) => {
                                for sheet in &mut contents.sheets {
                                    sheet.settings.flag(*field, Some(false), true);
                                }
                            }
                            _ => {}
                        }
                    }
                    _ => {}
                }
            }
            node if node.ends("config-item-map-entry") => {
                let Some(name) = sheet.take() else { continue };
                let Some(sheet) = contents.sheets.iter_mut().find(|sheet| sheet.name == name) else {
                    continue;
                };
                for (direction, field) in
                    [("Horizontal", Field::FrozenColumns), ("Vertical", Field::FrozenRows)]
                {
                    let number = |end: &str| numbers.get(&format!("{direction}Split{end}")).copied();
                    let count = number("Position").filter(|_| number("Mode") == Some(FROZEN));
                    sheet.settings.number(field, count.filter(|count| (1.0..=FROZEN_MAX).contains(count)));
                }
                let number = |name: &str| numbers.get(name).copied();
                sheet.settings.flag(Field::ShowGridlines, number("ShowGrid").map(|shows| shows != 0.0), true);
                let zoom = number("ZoomValue").filter(|zoom| *zoom != 100.0 && ZOOM.contains(zoom));
                let is_percent = number("ZoomType").is_none_or(|kind| kind == PERCENT);
                sheet.settings.number(Field::Zoom, zoom.filter(|_| is_percent));
            }
            node if node.ends("config-item-map-named") => is_in_tables = false,
            Node::EndOfPart => return Ok(()),
            _ => {}
        }
    }
}

/// The `office:settings` element.
pub(super) fn settings(workbook: &Workbook) -> String {
    let mut tables = String::new();
    for sheet in workbook.sheets() {
        let settings = sheet.items().of_kind(ItemKind::SheetSettings).next();
        let frozen = |field| settings.and_then(|(_, item)| item.number(field)).unwrap_or(0.0);
        let (rows, columns) = (frozen(Field::FrozenRows), frozen(Field::FrozenColumns));
        let zoom = settings.and_then(|(_, item)| item.number(Field::Zoom)).map(f64::round);
        let hides_grid = settings.and_then(|(_, item)| item.boolean(Field::ShowGridlines)) == Some(false);
        if rows <= 0.0 && columns <= 0.0 && zoom.is_none() && !hides_grid {
            continue;
        }
        let mode = |count: f64| if count > 0.0 { FROZEN } else { 0.0 };
        // 0 to 3: above on the left and right, below on the left and right.
        let active = if rows > 0.0 { 2.0 } else { 0.0 } + if columns > 0.0 { 1.0 } else { 0.0 };
        tables += &format!("<config:config-item-map-entry config:name=\"{}\">", escaped(sheet.name()));
        for (name, kind, value) in [
            ("HorizontalSplitMode", "short", mode(columns)),
            ("VerticalSplitMode", "short", mode(rows)),
            ("HorizontalSplitPosition", "int", columns),
            ("VerticalSplitPosition", "int", rows),
            ("ActiveSplitRange", "short", active),
            ("PositionLeft", "int", 0.0),
            ("PositionRight", "int", columns),
            ("PositionTop", "int", 0.0),
            ("PositionBottom", "int", rows),
        ] {
            tables += &setting(name, kind, value);
        }
        if let Some(zoom) = zoom {
            tables += &setting("ZoomType", "short", PERCENT);
            tables += &setting("ZoomValue", "int", zoom);
        }
        tables += &setting("ShowGrid", "boolean", !hides_grid);
        tables += "</config:config-item-map-entry>";
    }
    let is_hidden_everywhere = |field: Field| {
        let mut sheets = workbook.sheets().iter();
        sheets.all(|sheet| {
            let settings = sheet.items().of_kind(ItemKind::SheetSettings).next();
            settings.and_then(|(_, item)| item.boolean(field)) == Some(false)
        })
    };
    let hidden = OF_VIEW.iter().filter(|(_, field)| is_hidden_everywhere(*field));
    let of_view: String = hidden.map(|(name, _)| setting(name, "boolean", false)).collect();
    format!(
        "<office:settings {NAMESPACES}><config:config-item-set config:name=\"ooo:view-settings\">\
         <config:config-item-map-indexed config:name=\"Views\"><config:config-item-map-entry>\
         <config:config-item config:name=\"ViewId\" config:type=\"string\">view1</config:config-item>\
         <config:config-item-map-named config:name=\"Tables\">{tables}</config:config-item-map-named>{of_view}\
         </config:config-item-map-entry></config:config-item-map-indexed></config:config-item-set>\
         </office:settings>"
    )
}

fn setting(name: &str, kind: &str, value: impl Display) -> String {
    format!("<config:config-item config:name=\"{name}\" config:type=\"{kind}\">{value}</config:config-item>")
}
