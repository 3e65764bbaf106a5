//! Checkboxes of Excel, which styles of cells have ([MS-XLSX] 2.3.9): a style refers to the feature property
//! bag of its cell control. Here they are a rule of data validation.

use std::collections::{BTreeSet, HashMap};

use quadrille_cell::{CellAddress, Range, Value};
use quadrille_operation::ItemValue;
use quadrille_workbook::{Field, Format, Item, ItemKind, Sheet};
use rust_xlsxwriter as xlsx;

use super::archive::Part;
use super::styled_cells::{StyledCells, joined};
use super::write_target::corners;
use super::xml::Node;
use crate::contents::{Contents, FieldTexts, ItemContents};
use crate::error::FileError;

/// Ranges of checkboxes of one sheet, at most; the limit of an item.
const RANGES_MAX: usize = 1_000;
/// Property bags of a file, at most. Excel writes four for checkboxes.
const BAGS_MAX: usize = 10_000;
/// Cells of one range that get checkboxes, at most; of larger ranges, those in the used range.
const CELLS_MAX: u64 = 100_000;

/// A feature property bag.
#[derive(Default)]
struct Bag {
    kind: String,
    /// The bags to which it refers by the names of its properties.
    bags: HashMap<String, usize>,
    /// The bags of its list, in the order in which styles count them.
    list: Vec<usize>,
}

/// Reads the part with the feature property bags. Returns the complements of styles (`xfComplement`) that are
/// checkboxes.
pub(super) fn complements(mut part: Part) -> Result<BTreeSet<usize>, FileError> {
    let mut bags: Vec<Bag> = Vec::new();
    let mut is_list = false;
    loop {
        match part.next()? {
            Node::Start(element) => match element.name() {
                "bag" if bags.len() < BAGS_MAX => {
                    let kind = element.attribute("type").unwrap_or_default();
                    bags.push(Bag { kind, ..Bag::default() });
                }
                "a" => is_list = true,
                "bagId" => {
                    let property = element.attribute("k");
                    let number = part.text()?.trim().parse().ok();
                    if let (Some(bag), Some(number)) = (bags.last_mut(), number) {
                        match property {
                            Some(property) => _ = bag.bags.insert(property, number),
                            None if is_list && bag.list.len() < BAGS_MAX => bag.list.push(number),
                            None => {}
                        }
                    }
                }
                _ => {}
            },
            node if node.ends("a") => is_list = false,
            Node::EndOfPart => break,
            _ => {}
        }
    }
    let follow = |bag: usize, property: &str| bags.get(bag).and_then(|bag| bag.bags.get(property)).copied();
    let is_checkbox = |complement: usize| {
        let control = follow(complement, "XFControls").and_then(|controls| follow(controls, "CellControl"));
        control.and_then(|control| bags.get(control)).is_some_and(|control| control.kind == "Checkbox")
    };
    let list = bags.iter().find(|bag| bag.kind == "XFComplements").map_or(&[][..], |bag| &bag.list);
    let found = list.iter().enumerate().filter(|(_, bag)| is_checkbox(**bag));
    Ok(found.map(|(index, _)| index).collect())
}

/// Adds a rule for the cells of the sheet added last that are checkboxes.
pub(super) fn put_rule(cells: StyledCells, contents: &mut Contents) {
    let anchors = joined(cells.into_ranges(RANGES_MAX));
    if anchors.is_empty() {
        return;
    }
    if anchors.len() > RANGES_MAX {
        contents.warn(format!("left out: checkboxes in more than {RANGES_MAX} ranges"));
        return;
    }
    // A rule that allows any value has a message for the cells.
    let is_open = |item: &&mut ItemContents| {
        let rule = item.fields.0.get(Field::Rule.name());
        item.kind == ItemKind::Validation
            && item.anchors == anchors
            && rule == Some(&ItemValue::Text("any".into()))
    };
    let sheet = contents.sheets.last_mut();
    if let Some(item) = sheet.and_then(|sheet| sheet.items.iter_mut().find(is_open)) {
        item.fields.text(Field::Rule, Some("checkbox"));
        return;
    }
    let mut fields = FieldTexts::default();
    fields.text(Field::Rule, Some("checkbox"));
    contents.put_item(ItemContents { kind: ItemKind::Validation, anchors, fields, parent: None });
}

/// Whether a rule is one of checkboxes that files can have: with TRUE and FALSE, without values of their own.
pub(crate) fn is_written(rule: &Item) -> bool {
    let has = |field: Field| rule.text(field).is_some();
    rule.text(Field::Rule).is_some_and(|rule| &**rule == "checkbox")
        && !has(Field::CheckedValue)
        && !has(Field::UncheckedValue)
}

/// Gives the cells of rules with checkboxes a style that has them. `style` is that of a format.
pub(super) fn write(
    target: &mut xlsx::Worksheet,
    sheet: &Sheet,
    used: Option<Range>,
    style: &dyn Fn(&Format) -> xlsx::Format,
) -> Result<(), xlsx::XlsxError> {
    for (_, rule) in sheet.items().of_kind(ItemKind::Validation).filter(|(_, rule)| is_written(rule)) {
        for range in &rule.anchors {
            let range = match range.cell_count() > CELLS_MAX {
                true => used.and_then(|used| used.intersection(*range)),
                false => Some(*range),
            };
            let Some(range) = range else { continue };
            write_range(target, sheet, range, &Format::default(), style)?;
            // Runs have other formats than the default one.
            for (part, format) in sheet.format_runs(range) {
                let Some(part) = part.intersection(range) else { continue };
                write_range(target, sheet, part, format, style)?;
            }
        }
    }
    Ok(())
}

fn write_range(
    target: &mut xlsx::Worksheet,
    sheet: &Sheet,
    range: Range,
    format: &Format,
    style: &dyn Fn(&Format) -> xlsx::Format,
) -> Result<(), xlsx::XlsxError> {
    if !format.quote_prefix {
        let (top, left, bottom, right) = corners(range);
        let style = style(format).set_checkbox();
        // Setting the format of a range does not extend the part of the sheet that is written.
        target.set_cell_format(top, left, &style)?.set_cell_format(bottom, right, &style)?;
        return target.set_range_format(top, left, bottom, right, &style).map(drop);
    }
    // Excel would read a formula or number as text when the cell is edited.
    let plain = style(&Format { quote_prefix: false, ..format.clone() }).set_checkbox();
    for row in range.first().row.get()..=range.last().row.get() {
        for column in range.first().column.get()..=range.last().column.get() {
            if !matches!(sheet.value(CellAddress::clamped(row, column)), Value::Text(_)) {
                target.set_cell_format(row, column as u16, &plain)?;
            }
        }
    }
    Ok(())
}
