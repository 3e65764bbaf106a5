//! Reads the filters of a worksheet or of a table (ECMA-376 part 1, 18.3.2).

use std::fmt::Write as _;

use quadrille_cell::{CellAddress, Range};
use quadrille_operation::ItemValue;
use quadrille_workbook::{Field, ItemKind};

use super::archive::Part;
use super::conditional_formats::operator;
use super::styles::Styles;
use super::xml::{Element, Node};
use crate::contents::{Contents, FieldTexts, ItemContents};
use crate::error::FileError;

/// Groups of dates in one column, at most.
const DATE_GROUPS_MAX: usize = 10_000;

/// [`read`] within a table. A table has an `autoFilter` element even if no column is filtered;
/// such a filter is not imported.
pub fn read_of_table(
    part: &mut Part,
    range: Range,
    styles: &Styles,
    contents: &mut Contents,
) -> Result<(), FileError> {
    let count = |contents: &Contents| contents.sheets.last().map_or(0, |sheet| sheet.items.len());
    let before = count(contents);
    read(part, range, styles, contents)?;
    if count(contents) == before + 1
        && let Some(sheet) = contents.sheets.last_mut()
    {
        sheet.items.truncate(before);
    }
    Ok(())
}

/// Reads an `autoFilter` element over `range` up to its end.
pub fn read(
    part: &mut Part,
    range: Range,
    styles: &Styles,
    contents: &mut Contents,
) -> Result<(), FileError> {
    let filter = contents.put_item(item(ItemKind::AutoFilter, range, FieldTexts::default()));
    let mut column: Option<Column> = None;
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "filterColumn" => {
                let offset = element.number::<u32>("colId").unwrap_or(0);
                let first = range.first();
                let header = CellAddress::new(first.row.get(), first.column.get().saturating_add(offset));
                column = header.filter(|header| range.contains(*header)).map(Column::new);
            }
            // What programs show that do not know the icons of Excel 2010.
            Node::Start(element) if element.name() == "Fallback" => part.skip()?,
            Node::Start(element) => {
                if let Some(column) = &mut column {
                    column.read(&element, styles);
                }
            }
            node if node.ends("filterColumn") => {
                let Some(column) = column.take() else { continue };
                let header = Range::cell(column.header);
                match column.finish() {
                    Some(fields) => {
                        let column = item(ItemKind::FilterColumn, header, fields);
                        contents.put_item(ItemContents { parent: Some(filter), ..column });
                    }
                    // The rows of this filter remain hidden as if hidden manually.
                    None => contents.warn("left out: filters whose condition is not known".to_owned()),
                }
            }
            node if node.ends("autoFilter") => return Ok(()),
            Node::EndOfPart => return Ok(()),
            _ => {}
        }
    }
}

fn item(kind: ItemKind, range: Range, fields: FieldTexts) -> ItemContents {
    ItemContents { kind, anchors: vec![range], fields, parent: None }
}

/// The condition of a column.
struct Column {
    header: CellAddress,
    fields: FieldTexts,
    values: Vec<ItemValue>,
    /// Groups of dates, such as `2026-11`.
    dates: Vec<ItemValue>,
    conditions: u32,
    is_and: bool,
    is_supported: bool,
}

impl Column {
    fn new(header: CellAddress) -> Column {
        Column {
            header,
            fields: FieldTexts::default(),
            values: Vec::new(),
            dates: Vec::new(),
            conditions: 0,
            is_and: false,
            is_supported: true,
        }
    }

    /// Reads an element within the column.
    fn read(&mut self, element: &Element, styles: &Styles) {
        let fields = &mut self.fields;
        match element.name() {
            "filters" => {
                fields.text(Field::Rule, Some("values"));
                fields.flag(Field::ShowBlanks, element.flag("blank"), false);
            }
            "filter" => self.values.extend(element.attribute("val").map(ItemValue::Text)),
            "customFilters" => {
                fields.text(Field::Rule, Some("condition"));
                self.is_and = element.flag("and").unwrap_or(false);
            }
            "customFilter" => {
                self.conditions += 1;
                let name = element.attribute("operator");
                let operator = operator(name.as_deref().unwrap_or("equal"));
                let (field, value) = match self.conditions {
                    1 => (Field::Operator, Field::Value1),
                    _ => (Field::Operator2, Field::Value2),
                };
                fields.text(field, operator);
                fields.text(value, element.attribute("val"));
                if self.conditions == 2 {
                    fields.text(Field::Join, Some(if self.is_and { "and" } else { "or" }));
                }
            }
            "top10" => {
                let is_top = element.flag("top").unwrap_or(true);
                fields.text(Field::Rule, Some(if is_top { "top" } else { "bottom" }));
                fields.flag(Field::Percent, element.flag("percent"), false);
                fields.number(Field::Rank, element.number("val"));
            }
            "dynamicFilter" => match element.attribute("type").as_deref() {
                Some("aboveAverage") => fields.text(Field::Rule, Some("aboveAverage")),
                Some("belowAverage") => fields.text(Field::Rule, Some("belowAverage")),
                _ => self.is_supported = false,
            },
            "colorFilter" => {
                let is_fill = element.flag("cellColor").unwrap_or(true);
                let (rule, field) = match is_fill {
                    true => ("color", Field::FillColor),
                    false => ("textColor", Field::TextColor),
                };
                let format = element.number("dxfId").and_then(|number| styles.differential(number));
                match format {
                    // Without a color: the cells that have none.
                    Some(format) => {
                        fields.text(Field::Rule, Some(rule));
                        if let Some(color) = format.0.get(field.name()) {
                            fields.put(Field::Color, color.clone());
                        }
                    }
                    None => self.is_supported = false,
                }
            }
            "dateGroupItem" => match date_group(element) {
                Some(group) if self.dates.len() < DATE_GROUPS_MAX => self.dates.push(ItemValue::Text(group)),
                _ => self.is_supported = false,
            },
            // Without an icon: the cells that have none.
            "iconFilter" => {
                fields.text(Field::Rule, Some("icon"));
                let icon = element.number::<f64>("iconId");
                fields.text(Field::IconSet, element.attribute("iconSet").filter(|_| icon.is_some()));
                fields.number(Field::IconIndex, icon);
            }
            _ => {}
        }
    }

    /// The fields of the item; `None` for a condition that is not supported.
    fn finish(mut self) -> Option<FieldTexts> {
        if !self.is_supported {
            return None;
        }
        if !self.dates.is_empty() {
            self.fields.put(Field::ShownDates, ItemValue::List(self.dates));
        }
        if !self.values.is_empty() {
            self.fields.put(Field::Shown, ItemValue::List(self.values));
        }
        Some(self.fields)
    }
}

/// A group of dates as filters name it, such as `2026-11`; `None` if a part is missing.
fn date_group(element: &Element) -> Option<String> {
    const PARTS: [(&str, &str); 6] =
        [("year", ""), ("month", "-"), ("day", "-"), ("hour", "T"), ("minute", ":"), ("second", ":")];
    let last = element.attribute("dateTimeGrouping")?;
    let count = PARTS.iter().position(|(name, _)| *name == last)? + 1;
    let mut group = String::new();
    for (name, separator) in &PARTS[..count] {
        let width = if *name == "year" { 4 } else { 2 };
        let number = element.number::<u16>(name)?;
        let _infallible = write!(group, "{separator}{number:0width$}");
    }
    Some(group)
}
