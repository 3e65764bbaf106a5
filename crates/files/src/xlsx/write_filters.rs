//! Writes the conditions of filters (ECMA-376 part 1, 18.3.2), which belong to a sheet or to a table.
//! `rust_xlsxwriter` has neither conditions of tables nor conditions by colors, ranks and averages.

use std::fmt::Write as _;
use std::io::{Cursor, Read};

use quadrille_cell::Range;
use quadrille_workbook::{Color, Field, FieldValue, Item, ItemId, ItemKind, Sheet, Workbook};
use quick_xml::escape::escape;
use zip::ZipArchive;

use super::added_parts::AddedParts;

const STYLES: &str = "xl/styles.xml";

/// Where a file has a filter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum FilterPlace<'a> {
    Sheet,
    /// In the part of a table with the same columns and header.
    Table(&'a Item),
}

/// Where a file has a filter; `None` if it cannot have it: a sheet has one filter outside of tables.
pub(crate) fn place_of_filter(sheet: &Sheet, id: ItemId) -> Option<FilterPlace<'_>> {
    let range = *sheet.item(id)?.anchors.first()?;
    if let Some(table) = table_at(sheet, range) {
        let (of_table, of_filter) = (table.anchors.first()?, range);
        let is_same = of_table.first() == of_filter.first()
            && of_table.last().column == of_filter.last().column
            && table.boolean(Field::HeaderRow).unwrap_or(true)
            && table.text(Field::Name).is_some();
        return is_same.then_some(FilterPlace::Table(table));
    }
    let is_of_sheet = |item: &Item| item.anchors.first().is_some_and(|at| table_at(sheet, *at).is_none());
    let mut filters = sheet.items().of_kind(ItemKind::AutoFilter);
    let first = filters.find(|(_, item)| is_of_sheet(item));
    first.is_some_and(|(first, _)| first == id).then_some(FilterPlace::Sheet)
}

/// The table with cells of the range.
fn table_at(sheet: &Sheet, range: Range) -> Option<&Item> {
    let mut tables = sheet.items().of_kind(ItemKind::Table).map(|(_, table)| &**table);
    tables.find(|table| table.anchors.iter().any(|anchor| anchor.intersects(range)))
}

/// Adds the conditions of all filters to the file that `rust_xlsxwriter` wrote.
pub(super) fn add_filters(workbook: &Workbook, file: &[u8], added: &mut AddedParts) {
    let mut formats = Formats { first: None, written: String::new(), count: 0 };
    for (index, sheet) in workbook.sheets().iter().enumerate() {
        for (id, filter) in sheet.items().of_kind(ItemKind::AutoFilter) {
            let (Some(place), Some(range)) = (place_of_filter(sheet, id), filter.anchors.first()) else {
                continue;
            };
            let columns = columns(sheet, id, *range, file, &mut formats);
            if columns.is_empty() {
                continue;
            }
            match place {
                FilterPlace::Sheet => {
                    let part = added.sheet_part(index);
                    added.change(part, move |text| with_columns(text, &columns));
                }
                FilterPlace::Table(table) => {
                    let start = table.text(Field::Name).map(|name| {
                        format!(" displayName=\"{}\" ref=\"{}\"", escape(&**name), table.anchors[0])
                    });
                    let Some(start) = start else { continue };
                    added.change_below("xl/tables/", move |text| match text.contains(&start) {
                        true => with_columns(text, &columns),
                        false => text.to_owned(),
                    });
                }
            }
        }
    }
    if formats.count > 0 {
        added.change(STYLES, move |text| formats.put_into(text));
    }
}

/// The part with the columns in its `autoFilter` element.
fn with_columns(text: &str, columns: &str) -> String {
    let Some(start) = text.find("<autoFilter ") else { return text.to_owned() };
    let Some(end) = text[start..].find("/>") else { return text.to_owned() };
    let end = start + end;
    format!("{}>{columns}</autoFilter>{}", &text[..end], &text[end + 2..])
}

/// The `filterColumn` elements of a filter, in the order of the columns.
fn columns(sheet: &Sheet, filter: ItemId, range: Range, file: &[u8], formats: &mut Formats) -> String {
    let mut columns: Vec<(u32, String)> = Vec::new();
    let last = range.last().column.get() - range.first().column.get();
    for (_, item) in sheet.items().of_kind(ItemKind::FilterColumn) {
        let anchor = item.anchors.first().filter(|_| item.parent() == Some(filter));
        let column = anchor.map(|anchor| anchor.first().column.get());
        let offset = column.and_then(|column| column.checked_sub(range.first().column.get()));
        if let Some(offset) = offset.filter(|offset| *offset <= last) {
            let condition = condition(item, file, formats);
            if !condition.is_empty() {
                columns.push((offset, condition));
            }
        }
    }
    columns.sort();
    columns.dedup_by_key(|(offset, _)| *offset);
    let element =
        |(offset, condition)| format!("<filterColumn colId=\"{offset}\">{condition}</filterColumn>");
    columns.into_iter().map(element).collect()
}

/// The condition of a column; empty if every row meets it.
fn condition(item: &Item, file: &[u8], formats: &mut Formats) -> String {
    let text = |field: Field| item.text(field).map(|text| &**text).unwrap_or_default();
    match text(Field::Rule) {
        "condition" => {
            let pairs = [(Field::Operator, Field::Value1), (Field::Operator2, Field::Value2)];
            let conditions = pairs.into_iter().filter(|(operator, _)| !text(*operator).is_empty());
            let conditions: Vec<String> =
                conditions.map(|(operator, value)| custom_filter(text(operator), text(value))).collect();
            let and = if conditions.len() > 1 && text(Field::Join) != "or" { " and=\"1\"" } else { "" };
            match conditions.is_empty() {
                true => String::new(),
                false => format!("<customFilters{and}>{}</customFilters>", conditions.concat()),
            }
        }
        rule @ ("top" | "bottom") => {
            let percent = item.boolean(Field::Percent).map(u8::from).unwrap_or(0);
            let rank = item.number(Field::Rank).unwrap_or(10.0);
            format!("<top10 top=\"{}\" percent=\"{percent}\" val=\"{rank}\"/>", u8::from(rule == "top"))
        }
        rule @ ("aboveAverage" | "belowAverage") => format!("<dynamicFilter type=\"{rule}\"/>"),
        rule @ ("color" | "textColor") => {
            let is_fill = rule == "color";
            let number = formats.add(item.color(Field::Color), is_fill, file);
            format!("<colorFilter dxfId=\"{number}\" cellColor=\"{}\"/>", u8::from(is_fill))
        }
        "icon" => icon_filter(text(Field::IconSet), item.number(Field::IconIndex).unwrap_or(0.0)),
        _ => {
            let blank = item.boolean(Field::ShowBlanks);
            let list = |field: Field| match item.fields.get(&field) {
                Some(FieldValue::List(values)) => Some(values.iter().filter_map(|value| match value {
                    FieldValue::Text(value) => Some(&**value),
                    _ => None,
                })),
                _ => None,
            };
            let (values, dates) = (list(Field::Shown), list(Field::ShownDates));
            if values.is_none() && dates.is_none() && blank.is_none() {
                return String::new();
            }
            let mut filters = String::new();
            for value in values.into_iter().flatten() {
                let _infallible = write!(filters, "<filter val=\"{}\"/>", escape(value));
            }
            filters.extend(dates.into_iter().flatten().filter_map(date_group));
            let blank = if blank == Some(true) { " blank=\"1\"" } else { "" };
            format!("<filters{blank}>{filters}</filters>")
        }
    }
}

/// The icons that Excel 2010 added are in a namespace of their own ([MS-XLSX], CT_IconFilter).
fn icon_filter(set: &str, icon: f64) -> String {
    const ADDED: [&str; 3] = ["3Stars", "3Triangles", "5Boxes"];
    let set = escape(set);
    match &*set {
        // The cells without an icon.
        "" => "<iconFilter iconSet=\"3Arrows\"/>".to_owned(),
        added if ADDED.contains(&added) => format!(
            "<mc:AlternateContent xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\">\
             <mc:Choice Requires=\"x14\" \
             xmlns:x14=\"http://schemas.microsoft.com/office/spreadsheetml/2009/9/main\">\
             <x14:iconFilter iconSet=\"{set}\" iconId=\"{icon}\"/></mc:Choice></mc:AlternateContent>"
        ),
        _ => format!("<iconFilter iconSet=\"{set}\" iconId=\"{icon}\"/>"),
    }
}

/// The element of a group such as `2026-11`; `None` if it is not one.
fn date_group(group: &str) -> Option<String> {
    const PARTS: [&str; 6] = ["year", "month", "day", "hour", "minute", "second"];
    let numbers: Option<Vec<u16>> = group.split(['-', 'T', ':']).map(|part| part.parse().ok()).collect();
    let numbers = numbers?;
    let last = PARTS.get(numbers.len().checked_sub(1)?)?;
    let parts = PARTS.iter().zip(&numbers).map(|(name, number)| format!("{name}=\"{number}\" "));
    Some(format!("<dateGroupItem {}dateTimeGrouping=\"{last}\"/>", parts.collect::<String>()))
}

fn custom_filter(operator: &str, value: &str) -> String {
    let (operator, value) = match operator {
        "notEqual" => ("notEqual", value.to_owned()),
        "greater" => ("greaterThan", value.to_owned()),
        "greaterOrEqual" => ("greaterThanOrEqual", value.to_owned()),
        "less" => ("lessThan", value.to_owned()),
        "lessOrEqual" => ("lessThanOrEqual", value.to_owned()),
        "contains" => ("", format!("*{value}*")),
        "notContains" => ("notEqual", format!("*{value}*")),
        "beginsWith" => ("", format!("{value}*")),
        "endsWith" => ("", format!("*{value}")),
        _ => ("", value.to_owned()),
    };
    let operator = if operator.is_empty() { String::new() } else { format!(" operator=\"{operator}\"") };
    format!("<customFilter{operator} val=\"{}\"/>", escape(&value))
}

/// The differential formats of filters by color, which follow those of the file.
struct Formats {
    /// The number of formats that the file has; read when it is needed.
    first: Option<usize>,
    written: String,
    count: usize,
}

impl Formats {
    /// Adds a format with this color, or without any, and returns its number.
    fn add(&mut self, color: Option<Color>, is_fill: bool, file: &[u8]) -> usize {
        let first = *self.first.get_or_insert_with(|| count_of_formats(file));
        let rgb = color.map(|Color(rgb)| format!("rgb=\"FF{rgb:06X}\""));
        self.written += &match (is_fill, rgb) {
            (true, Some(rgb)) => format!(
                "<dxf><fill><patternFill patternType=\"solid\"><fgColor {rgb}/><bgColor {rgb}/>\
                 </patternFill></fill></dxf>"
            ),
            (true, None) => "<dxf><fill><patternFill patternType=\"none\"/></fill></dxf>".to_owned(),
            (false, Some(rgb)) => format!("<dxf><font><color {rgb}/></font></dxf>"),
            (false, None) => "<dxf><font><color auto=\"1\"/></font></dxf>".to_owned(),
        };
        self.count += 1;
        first + self.count - 1
    }

    fn put_into(&self, text: &str) -> String {
        let first = self.first.unwrap_or(0);
        let start =
            format!("<dxfs count=\"{}\">{}", first + self.count, if first == 0 { &self.written } else { "" });
        match first {
            0 => text.replacen("<dxfs count=\"0\"/>", &format!("{start}</dxfs>"), 1),
            _ => text.replacen(&format!("<dxfs count=\"{first}\">"), &start, 1).replacen(
                "</dxfs>",
                &format!("{}</dxfs>", self.written),
                1,
            ),
        }
    }
}

fn count_of_formats(file: &[u8]) -> usize {
    let mut text = String::new();
    let read = ZipArchive::new(Cursor::new(file))
        .and_then(|mut archive| Ok(archive.by_name(STYLES)?.read_to_string(&mut text)?));
    let count = text.split("<dxfs count=\"").nth(1).and_then(|rest| rest.split('"').next());
    read.ok().and(count).and_then(|count| count.parse().ok()).unwrap_or(0)
}
