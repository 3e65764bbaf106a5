//! Frozen panes of OpenDocument files, which are among the settings of the view. Their names are those of
//! LibreOffice; OpenDocument leaves them to programs (part 3, 3.10).

use std::collections::BTreeMap;
use std::io::BufRead;

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
                    "config-item" if sheet.is_some() && name.contains("Split") => {
                        if let Ok(number) = part.text()?.trim().parse() {
                            numbers.insert(name, number);
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
        if rows <= 0.0 && columns <= 0.0 {
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
            tables += &format!(
                "<config:config-item config:name=\"{name}\" config:type=\"{kind}\">{value}</config:config-item>"
            );
        }
        tables += "</config:config-item-map-entry>";
    }
    format!(
        "<office:settings {NAMESPACES}><config:config-item-set config:name=\"ooo:view-settings\">\
         <config:config-item-map-indexed config:name=\"Views\"><config:config-item-map-entry>\
         <config:config-item config:name=\"ViewId\" config:type=\"string\">view1</config:config-item>\
         <config:config-item-map-named config:name=\"Tables\">{tables}</config:config-item-map-named>\
         </config:config-item-map-entry></config:config-item-map-indexed></config:config-item-set>\
         </office:settings>"
    )
}
