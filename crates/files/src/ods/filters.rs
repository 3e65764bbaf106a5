//! Filters of OpenDocument files: the database ranges after the tables.

use std::fmt::Write as _;

use quadrille_cell::{CellAddress, Range};
use quadrille_operation::ItemValue;
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind, Sheet, Workbook};

use super::formulas::reference_from_openformula;
use super::numbers::escaped;
use crate::contents::{Contents, FieldTexts, ItemContents};
use crate::error::FileError;
use crate::xlsx::archive::Part;
use crate::xlsx::xml::{Element, Node};

/// A condition of a filter.
struct Condition {
    /// Column relative to the first column of the range.
    column: u32,
    operator: String,
    value: String,
    /// Values of a list condition; a cell matches if it has one of them.
    listed: Vec<String>,
    /// Number of the `filter-or` element around the condition; 0 if there is none.
    or_group: u32,
}

/// Reads up to the end of the `database-ranges` element. Database ranges without filter buttons are
/// ignored.
pub(super) fn read(part: &mut Part, contents: &mut Contents) -> Result<(), FileError> {
    let mut target: Option<(usize, Range)> = None;
    let mut conditions: Vec<Condition> = Vec::new();
    let (mut or_group, mut or_groups) = (0, 0);
    let mut is_nested = false;
    loop {
        match part.next()? {
            Node::Start(element) => match element.name() {
                "database-range" => {
                    let has_buttons =
                        element.attribute("table:display-filter-buttons").as_deref() == Some("true");
                    let address = element.attribute("table:target-range-address").unwrap_or_default();
                    target = cells(&address, contents).filter(|_| has_buttons);
                    conditions.clear();
                    (or_group, or_groups, is_nested) = (0, 0, false);
                }
                "filter-or" => {
                    or_groups += 1;
                    or_group = or_groups;
                }
                "filter-and" => is_nested |= or_group > 0,
                "filter-condition" => conditions.push(condition(&element, or_group)),
                "filter-set-item" => {
                    let value = element.attribute("table:value").unwrap_or_default();
                    if let Some(condition) = conditions.last_mut() {
                        condition.listed.push(value);
                    }
                }
                _ => {}
            },
            node if node.ends("filter-or") => or_group = 0,
            node if node.ends("database-range") => {
                if let Some((sheet, range)) = target.take() {
                    put_filter(contents, sheet, range, &conditions, is_nested);
                }
            }
            node if node.ends("database-ranges") => return Ok(()),
            Node::EndOfPart => return Ok(()),
            _ => {}
        }
    }
}

fn condition(element: &Element, or_group: u32) -> Condition {
    Condition {
        column: element.number("table:field-number").unwrap_or(0),
        operator: element.attribute("table:operator").unwrap_or_default(),
        value: element.attribute("table:value").unwrap_or_default(),
        listed: Vec::new(),
        or_group,
    }
}

/// Index of the sheet and the range of an address.
pub(super) fn cells(address: &str, contents: &Contents) -> Option<(usize, Range)> {
    let reference = reference_from_openformula(address);
    let (sheet, cells) = reference.rsplit_once('!')?;
    let sheet = match sheet.strip_prefix('\'').and_then(|sheet| sheet.strip_suffix('\'')) {
        Some(quoted) => quoted.replace("''", "'"),
        None => sheet.to_owned(),
    };
    let index = contents.sheets.iter().position(|known| known.name == sheet)?;
    Some((index, Range::parse_a1(&cells.replace('$', "")).ok()?))
}

fn put_filter(
    contents: &mut Contents,
    sheet: usize,
    range: Range,
    conditions: &[Condition],
    is_nested: bool,
) {
    let filter = ItemContents {
        kind: ItemKind::AutoFilter,
        anchors: vec![range],
        fields: FieldTexts::default(),
        parent: None,
    };
    let mut columns: Vec<u32> = conditions.iter().map(|condition| condition.column).collect();
    columns.sort_unstable();
    columns.dedup();
    // Filters here combine columns with `and` only, so an `or` over several columns or over nested
    // conditions is left out.
    let joins =
        |a: &Condition, b: &Condition| a.or_group > 0 && a.or_group == b.or_group && a.column != b.column;
    let is_joined = is_nested || conditions.iter().any(|a| conditions.iter().any(|b| joins(a, b)));
    if is_joined {
        columns.clear();
    }
    let mut left_out = is_joined;
    let parent = contents.sheets[sheet].items.len();
    contents.sheets[sheet].items.push(filter);
    for column in columns {
        let own: Vec<&Condition> = conditions.iter().filter(|condition| condition.column == column).collect();
        let header = CellAddress::new(range.first().row.get(), range.first().column.get() + column);
        match (header.filter(|header| range.contains(*header)), fields(&own)) {
            (Some(header), Some(fields)) => contents.sheets[sheet].items.push(ItemContents {
                kind: ItemKind::FilterColumn,
                anchors: vec![Range::cell(header)],
                fields,
                parent: Some(parent),
            }),
            _ => left_out = true,
        }
    }
    if left_out {
        contents.warn(
            "left out: filters that combine columns with OR, or filter by colour or pattern".to_owned(),
        );
    }
}

/// The fields of a filter column; `None` for conditions that are not supported.
fn fields(conditions: &[&Condition]) -> Option<FieldTexts> {
    let mut fields = FieldTexts::default();
    let is_list = |condition: &&Condition| condition.operator == "=" && !condition.listed.is_empty();
    if let [only] = conditions
        && (is_list(only) || only.operator == "empty")
    {
        fields.text(Field::Rule, Some("values"));
        let values = only.listed.iter().filter(|value| !value.is_empty());
        let values: Vec<ItemValue> = values.map(|value| ItemValue::Text(value.clone())).collect();
        let shows_blanks = only.operator == "empty" || values.len() < only.listed.len();
        fields.flag(Field::ShowBlanks, Some(shows_blanks), false);
        if !values.is_empty() {
            fields.put(Field::Shown, ItemValue::List(values));
        }
        return Some(fields);
    }
    if let [only] = conditions
        && let Some((end, unit)) = only.operator.split_once(' ')
    {
        let rule = Some(end).filter(|end| matches!(*end, "top" | "bottom"))?;
        fields.text(Field::Rule, Some(rule));
        fields.flag(Field::Percent, Some(unit == "percent"), false);
        fields.number(Field::Rank, only.value.parse().ok());
        return Some(fields);
    }
    let slots = [(Field::Operator, Field::Value1), (Field::Operator2, Field::Value2)];
    if conditions.len() > slots.len() || conditions.iter().any(is_list) {
        return None;
    }
    fields.text(Field::Rule, Some("condition"));
    for (condition, (operator, value)) in conditions.iter().zip(slots) {
        let (_, name) = OPERATORS.iter().find(|(open, _)| *open == condition.operator)?;
        fields.text(operator, Some(*name));
        fields.text(value, Some(condition.value.as_str()));
    }
    if let [first, _] = conditions {
        fields.text(Field::Join, Some(if first.or_group > 0 { "or" } else { "and" }));
    }
    Some(fields)
}

/// Operators in OpenDocument and in filter items.
const OPERATORS: [(&str, &str); 10] = [
    ("=", "equal"),
    ("!=", "notEqual"),
    (">", "greater"),
    (">=", "greaterOrEqual"),
    ("<", "less"),
    ("<=", "lessOrEqual"),
    ("contains", "contains"),
    ("!contains", "notContains"),
    ("begins-with", "beginsWith"),
    ("ends-with", "endsWith"),
];

/// The filters of all sheets as database ranges; empty if there are none.
pub(super) fn database_ranges(workbook: &Workbook) -> String {
    let mut ranges = String::new();
    for sheet in workbook.sheets() {
        for (id, filter) in sheet.items().of_kind(ItemKind::AutoFilter) {
            let Some(range) = filter.anchors.first() else { continue };
            let name = match table_of(sheet, *range) {
                Some(table) => format!("{table}_Filter"),
                None => format!("__Anonymous_Sheet_DB__{}", sheet.id().0),
            };
            let sheet_name = format!("'{}'", sheet.name().replace('\'', "''"));
            let address = format!("{sheet_name}.{}:{sheet_name}.{}", range.first(), range.last());
            let _ = write!(
                ranges,
                "<table:database-range table:name=\"{}\" table:target-range-address=\"{}\" \
                 table:display-filter-buttons=\"true\">{}</table:database-range>",
                escaped(&name),
                escaped(&address),
                conditions(sheet, id, *range)
            );
        }
    }
    match ranges.is_empty() {
        true => ranges,
        false => format!("<table:database-ranges>{ranges}</table:database-ranges>"),
    }
}

/// The name of the table to which a filter belongs. A sheet has one filter without a name, but each of
/// its tables can have one too.
fn table_of(sheet: &Sheet, filter: Range) -> Option<&str> {
    let mut tables = sheet.items().of_kind(ItemKind::Table);
    let is_own = |table: &Item| table.anchors.iter().any(|cells| cells.contains_range(filter));
    tables.find(|(_, table)| is_own(table))?.1.text(Field::Name).map(|name| &**name)
}

fn conditions(sheet: &Sheet, filter: ItemId, range: Range) -> String {
    let mut text = String::new();
    let columns = sheet.items().of_kind(ItemKind::FilterColumn);
    for (_, column) in columns.filter(|(_, column)| column.parent() == Some(filter)) {
        let Some(anchor) = column.anchors.first() else { continue };
        let field_number = anchor.first().column.get().saturating_sub(range.first().column.get());
        text += &conditions_of_column(column, field_number);
    }
    // Some programs read a `filter-or` only if it is the only child.
    let is_alone = text.matches("<table:filter-or>").count() == 1 && text.starts_with("<table:filter-or>");
    match text.is_empty() {
        true => text,
        false if is_alone && text.ends_with("</table:filter-or>") => {
            format!("<table:filter>{text}</table:filter>")
        }
        false => format!("<table:filter><table:filter-and>{text}</table:filter-and></table:filter>"),
    }
}

/// The conditions of a column; empty for colors, icons, averages and groups of dates, which
/// OpenDocument cannot express.
fn conditions_of_column(column: &Item, field_number: u32) -> String {
    let text = |field: Field| column.text(field).map(|text| &**text).unwrap_or_default();
    let one = |operator: &str, value: &str, inner: &str| {
        let number = if quadrille_cell::parse_number(value).is_some() { "number" } else { "text" };
        format!(
            "<table:filter-condition table:field-number=\"{field_number}\" table:value=\"{}\" \
             table:operator=\"{operator}\" table:data-type=\"{number}\">{inner}</table:filter-condition>",
            escaped(value)
        )
    };
    match text(Field::Rule) {
        "condition" => {
            let pairs = [(Field::Operator, Field::Value1), (Field::Operator2, Field::Value2)];
            let condition = |(operator, value)| {
                let (open, _) = OPERATORS.iter().find(|(_, name)| *name == text(operator))?;
                Some(one(&open.replace('<', "&lt;").replace('>', "&gt;"), text(value), ""))
            };
            let both: String = pairs.into_iter().filter_map(condition).collect();
            match text(Field::Join) == "or" {
                true => format!("<table:filter-or>{both}</table:filter-or>"),
                false => both,
            }
        }
        rule @ ("top" | "bottom") => {
            let is_percent = column.boolean(Field::Percent) == Some(true);
            let rank = column.number(Field::Rank).unwrap_or(10.0).to_string();
            one(&format!("{rule} {}", if is_percent { "percent" } else { "values" }), &rank, "")
        }
        "values" | "" if !column.fields.contains_key(&Field::ShownDates) => {
            let mut listed: Vec<&str> = Vec::new();
            if let Some(FieldValue::List(values)) = column.fields.get(&Field::Shown) {
                listed.extend(values.iter().filter_map(|value| match value {
                    FieldValue::Text(text) => Some(&**text),
                    _ => None,
                }));
            }
            if column.boolean(Field::ShowBlanks) == Some(true) {
                listed.push("");
            }
            let item = |value: &&str| format!("<table:filter-set-item table:value=\"{}\"/>", escaped(value));
            match listed.first() {
                Some(first) => one("=", first, &listed.iter().map(item).collect::<String>()),
                None => String::new(),
            }
        }
        _ => String::new(),
    }
}
