//! Scenarios of a worksheet (ECMA-376 part 1, 18.3.1.76): read into items, and written as XML that
//! `rust_xlsxwriter` does not write.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use quadrille_cell::{Range, column_name};
use quadrille_formula::Expression;
use quadrille_operation::ItemValue;
use quadrille_workbook::{Field, FieldValue, Item, ItemKind, Sheet, Workbook, range_of_reference};
use quick_xml::escape::escape;

use super::added_parts::AddedParts;
use super::archive::Part;
use super::xml::{Element, Node};
use crate::contents::{Contents, FieldTexts, ItemContents};
use crate::error::FileError;

/// Cells of a scenario; Excel has no more.
const CELLS_MAX: usize = 32;

/// The fields of an item from the attributes of a `scenario` element.
pub(super) fn attributes(element: &Element) -> FieldTexts {
    let mut fields = FieldTexts::default();
    fields.text(Field::Name, element.attribute("name"));
    fields.text(Field::Text, element.attribute("comment"));
    fields.text(Field::Author, element.attribute("user"));
    fields.flag(Field::Hidden, element.flag("hidden"), false);
    fields
}

/// Reads the cells of a `scenario` element up to its end.
pub(super) fn read(
    part: &mut Part,
    mut fields: FieldTexts,
    contents: &mut Contents,
) -> Result<(), FileError> {
    let mut cells = Vec::new();
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "inputCells" => {
                let cell = element.attribute("r").and_then(|cell| Range::parse_a1(&cell).ok());
                let is_deleted = element.flag("deleted") == Some(true);
                if let Some(cell) = cell.filter(|cell| cell.cell_count() == 1 && !is_deleted)
                    && cells.len() < CELLS_MAX
                {
                    let (row, column) = (cell.first().row.get() + 1, column_name(cell.first().column));
                    let value = element.attribute("val").unwrap_or_default();
                    cells.push(ItemValue::Record(BTreeMap::from([
                        (Field::Formula.name().to_owned(), ItemValue::Text(format!("=${column}${row}"))),
                        (Field::Value.name().to_owned(), ItemValue::Text(value)),
                    ])));
                }
            }
            node if node.ends("scenario") => break,
            Node::EndOfPart => break,
            _ => {}
        }
    }
    fields.put(Field::Cells, ItemValue::List(cells));
    contents.put_item(ItemContents { kind: ItemKind::Scenario, anchors: Vec::new(), fields, parent: None });
    Ok(())
}

/// The `scenarios` elements of the sheets that have some, by the names of their parts.
pub(super) fn elements(workbook: &Workbook, added: &AddedParts) -> BTreeMap<String, String> {
    let mut parts = BTreeMap::new();
    for (index, sheet) in workbook.sheets().iter().enumerate() {
        let mut scenarios = String::new();
        for (_, item) in sheet.items().of_kind(ItemKind::Scenario) {
            scenarios += &scenario(sheet, item);
        }
        if !scenarios.is_empty() {
            let element = format!("<scenarios current=\"0\">{scenarios}</scenarios>");
            parts.insert(added.sheet_part(index), element);
        }
    }
    parts
}

/// Returns the text of a worksheet part with the element at the position that the schema requires:
/// after the cells and their protection.
pub(super) fn with_scenarios(text: &str, element: &str) -> String {
    let ends = ["</sheetData>", "<sheetData/>", "</protectedRanges>"];
    let end = ends.iter().filter_map(|end| Some(text.rfind(end)? + end.len())).max();
    let protection = text.rfind("<sheetProtection");
    let protection_end = protection.and_then(|at| Some(at + text[at..].find('>')? + 1));
    match end.max(protection_end) {
        Some(at) => [&text[..at], element, &text[at..]].concat(),
        None => text.to_owned(),
    }
}

/// The element of a scenario; empty if none of its cells exists.
fn scenario(sheet: &Sheet, item: &Item) -> String {
    let Some(FieldValue::List(listed)) = item.fields.get(&Field::Cells) else { return String::new() };
    let mut cells = String::new();
    let mut count = 0;
    for cell in listed {
        let FieldValue::Record(cell) = cell else { continue };
        let (Some(FieldValue::Formula { at, template }), Some(FieldValue::Text(value))) =
            (cell.get(&Field::Formula), cell.get(&Field::Value))
        else {
            continue;
        };
        let Expression::Reference(reference) = template.expression() else { continue };
        if let Some((_, range)) = range_of_reference(reference, sheet.id(), *at) {
            let _infallible =
                write!(cells, "<inputCells r=\"{}\" val=\"{}\"/>", range.first(), escape(&**value));
            count += 1;
        }
    }
    if count == 0 {
        return String::new();
    }
    let text = |name: &str, field| {
        item.text(field).map(|text| format!(" {name}=\"{}\"", escape(&**text))).unwrap_or_default()
    };
    // Excel requires a name.
    let name = item.text(Field::Name).map_or("Scenario", |name| name);
    let hidden = if item.boolean(Field::Hidden) == Some(true) { " hidden=\"1\"" } else { "" };
    format!(
        "<scenario name=\"{}\" locked=\"1\"{hidden} count=\"{count}\"{}{}>{cells}</scenario>",
        escape(name),
        text("user", Field::Author),
        text("comment", Field::Text),
    )
}
