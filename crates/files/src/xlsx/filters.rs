//! Reads the filters of a worksheet or of a table (ECMA-376 part 1, 18.3.2).

use quadrille_cell::{CellAddress, DateSystem, Range};
use quadrille_number_format::date::serial_with_carry;
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
    dates: DateSystem,
    contents: &mut Contents,
) -> Result<(), FileError> {
    let count = |contents: &Contents| contents.sheets.last().map_or(0, |sheet| sheet.items.len());
    let before = count(contents);
    read(part, range, styles, dates, contents)?;
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
    dates: DateSystem,
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
            Node::Start(element) => {
                if let Some(column) = &mut column {
                    column.read(&element, styles, dates);
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
                    None => contents.warn(
                        "left out: filters by icon, by hour, or by dates that do not follow one another"
                            .to_owned(),
                    ),
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
    /// Spans of serial numbers, whose ends are exclusive.
    days: Vec<(i64, i64)>,
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
            days: Vec::new(),
            conditions: 0,
            is_and: false,
            is_supported: true,
        }
    }

    /// Reads an element within the column.
    fn read(&mut self, element: &Element, styles: &Styles, dates: DateSystem) {
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
            "dateGroupItem" => match days_of_group(element, dates) {
                Some(days) if self.days.len() < DATE_GROUPS_MAX => self.days.push(days),
                _ => self.is_supported = false,
            },
            "iconFilter" => self.is_supported = false,
            _ => {}
        }
    }

    /// The fields of the item; `None` for a condition that is not supported.
    fn finish(mut self) -> Option<FieldTexts> {
        if !self.is_supported {
            return None;
        }
        if !self.days.is_empty() {
            // Dates are compared as numbers: a span of days is one condition, and several are none.
            let is_alone = self.values.is_empty() && !self.fields.0.contains_key(Field::ShowBlanks.name());
            let (first, end) = joined(&mut self.days).filter(|_| is_alone)?;
            let mut fields = FieldTexts::default();
            fields.text(Field::Rule, Some("condition"));
            fields.text(Field::Operator, Some("greaterOrEqual"));
            fields.text(Field::Value1, Some(first.to_string()));
            fields.text(Field::Join, Some("and"));
            fields.text(Field::Operator2, Some("less"));
            fields.text(Field::Value2, Some(end.to_string()));
            return Some(fields);
        }
        if !self.values.is_empty() {
            self.fields.put(Field::Shown, ItemValue::List(self.values));
        }
        Some(self.fields)
    }
}

/// The days of a year, a month or a day as serial numbers; `None` for hours and shorter groups.
fn days_of_group(element: &Element, dates: DateSystem) -> Option<(i64, i64)> {
    let number = |name: &str| element.number::<i64>(name);
    let year = number("year")?;
    let (first, end) = match element.attribute("dateTimeGrouping").as_deref() {
        Some("year") => (serial_with_carry(year, 1, 1)?, serial_with_carry(year.checked_add(1)?, 1, 1)?),
        Some("month") => {
            let month = number("month")?;
            (serial_with_carry(year, month, 1)?, serial_with_carry(year, month.checked_add(1)?, 1)?)
        }
        Some("day") => {
            let day = serial_with_carry(year, number("month")?, number("day")?)?;
            (day, day.checked_add(1)?)
        }
        _ => return None,
    };
    Some((first - dates.offset_from_1900(), end - dates.offset_from_1900()))
}

/// The span that all spans make up together; `None` if there are days between them.
fn joined(days: &mut [(i64, i64)]) -> Option<(i64, i64)> {
    days.sort_unstable();
    let mut spans = days.iter().copied();
    let first = spans.next()?;
    spans.try_fold(first, |(start, end), (next, last)| (next <= end).then_some((start, end.max(last))))
}
