//! Writes pivot tables as the parts of ECMA-376 that other programs read (rule F21): a definition of
//! the cache, without records, and a definition of the table. Other programs refresh them from the
//! source when they open the file.

use std::fmt::Write as _;

use quadrille_cell::{CellAddress, Range};
use quadrille_pivot::{Definition, Function, GroupField, Layout, ShownAs};
use quadrille_workbook::{Sheet, Workbook};
use quick_xml::escape::escape;

use super::added_parts::{AddedParts, DECLARATION};
use super::pivot_fields::{CacheField, cache_fields};
use crate::pivot_source::{FilledPivot, filled_pivots};

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
/// The extension of value fields in files of Excel 2010 and later.
const EXTENSION: &str = "{E15A36E0-9728-4e99-A89B-3F7291B0FE68}";
const EXTENSION_SPACE: &str = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main";
/// The number of the field that stands for the value fields.
const VALUES_FIELD: &str = "-2";
/// Formats of numbers that need no entry in the styles (ECMA-376, 18.8.30).
pub(super) const BUILT_IN_FORMATS: [(u32, &str); 6] =
    [(1, "0"), (2, "0.00"), (3, "#,##0"), (4, "#,##0.00"), (9, "0%"), (10, "0.00%")];
/// The item before the one that is compared.
const PREVIOUS_ITEM: u32 = 1_048_828;

/// Adds the parts of all pivot tables that the format can express. `titles` are the names of the sheets
/// in the file.
pub(super) fn add_pivots(workbook: &Workbook, titles: &[String], added: &mut AddedParts) {
    let mut caches = String::new();
    let mut number = 0;
    for (index, sheet) in workbook.sheets().iter().enumerate() {
        if !sheet.items().has_pivot_tables() {
            continue;
        }
        for pivot in filled_pivots(workbook, sheet) {
            let position = workbook.position(pivot.definition.sheet);
            let Some(source) = position.and_then(|position| titles.get(position)) else { continue };
            let Some(fields) = cache_fields(workbook, &pivot.definition) else { continue };
            if let Some(table) = table_definition(sheet, &pivot, &fields, number + 1) {
                number += 1;
                let _ = write!(caches, r#"<pivotCache cacheId="{number}" r:id="rIdPivot{number}"/>"#);
                let cache = cache_definition(&pivot.definition, source, &fields);
                let part = added.sheet_part(index);
                add_pivot(number, &part, cache, table, added);
            }
        }
    }
    if !caches.is_empty() {
        let caches = format!("<pivotCaches>{caches}</pivotCaches></workbook>");
        added.change("xl/workbook.xml", move |text| text.replacen("</workbook>", &caches, 1));
    }
}

/// The cells in which pivot tables begin that the file has as such; of others it has the values.
pub(crate) fn written_pivots(workbook: &Workbook, sheet: &Sheet) -> Vec<CellAddress> {
    if !sheet.items().has_pivot_tables() {
        return Vec::new();
    }
    let is_written = |pivot: &FilledPivot| {
        let fields = cache_fields(workbook, &pivot.definition);
        fields.is_some_and(|fields| table_definition(sheet, pivot, &fields, 1).is_some())
    };
    let pivots = filled_pivots(workbook, sheet);
    pivots.iter().filter(|pivot| is_written(pivot)).map(|pivot| pivot.area.first()).collect()
}

fn add_pivot(number: usize, sheet: &str, cache: String, table: String, added: &mut AddedParts) {
    let (cache_part, table_part) = (
        format!("xl/pivotCache/pivotCacheDefinition{number}.xml"),
        format!("xl/pivotTables/pivotTable{number}.xml"),
    );
    let content =
        |kind: &str| format!("application/vnd.openxmlformats-officedocument.spreadsheetml.{kind}+xml");
    let kind = |kind: &str| format!("{RELATIONSHIPS}/{kind}");
    let (id, to_cache) = (format!("rIdPivot{number}"), kind("pivotCacheDefinition"));
    let cache_target = format!("pivotCache/pivotCacheDefinition{number}.xml");
    added.link("xl/workbook.xml", &id, &to_cache, &cache_target);
    added.link(sheet, &id, &kind("pivotTable"), &format!("../pivotTables/pivotTable{number}.xml"));
    added.link(&table_part, "rId1", &to_cache, &format!("../{cache_target}"));
    added.add(&cache_part, &content("pivotCacheDefinition"), cache);
    added.add(&table_part, &content("pivotTable"), table);
}

fn cache_definition(definition: &Definition, source: &str, fields: &[CacheField]) -> String {
    let mut text = format!(
        r#"{DECLARATION}<pivotCacheDefinition xmlns="{MAIN}" xmlns:r="{RELATIONSHIPS}" saveData="0" refreshOnLoad="1" refreshedBy="Quadrille" createdVersion="6" refreshedVersion="6" minRefreshableVersion="3" recordCount="{}">"#,
        definition.data_rows().1,
    );
    let _ = write!(
        text,
        r#"<cacheSource type="worksheet"><worksheetSource ref="{}" sheet="{}"/></cacheSource><cacheFields count="{}">"#,
        definition.source,
        escape(source),
        fields.len(),
    );
    for field in fields {
        field.write(&mut text);
    }
    text + "</cacheFields></pivotCacheDefinition>"
}

/// The definition of the table; `None` if the format cannot express it.
fn table_definition(
    sheet: &Sheet,
    pivot: &FilledPivot,
    fields: &[CacheField],
    number: usize,
) -> Option<String> {
    let FilledPivot { definition, output, area } = pivot;
    let axis = |axis: &[GroupField], is_column: bool| -> Option<Vec<String>> {
        let numbers = axis.iter().enumerate().map(|(position, _)| {
            let field = fields.iter().position(|field| field.is_on_axis(is_column, position));
            field.map(|field| field.to_string())
        });
        numbers.collect()
    };
    let (rows, mut columns) = (axis(&definition.rows, false)?, axis(&definition.columns, true)?);
    let base = rows.last().or(columns.last()).cloned().unwrap_or_else(|| "0".to_owned());
    let pages: Vec<usize> = (0..fields.len()).filter(|field| fields[*field].is_page()).collect();
    if !has_room_for_pages(sheet, *area, pages.len()) {
        return None;
    }
    if definition.values.len() > 1 {
        columns.push(VALUES_FIELD.to_owned());
    }
    let first_header = u32::from(!definition.columns.is_empty() || definition.values.len() < 2);
    let mut text = format!(
        r#"{DECLARATION}<pivotTableDefinition xmlns="{MAIN}" name="PivotTable{number}" cacheId="{number}" dataCaption="Values" updatedVersion="6" createdVersion="6" minRefreshableVersion="3" useAutoFormatting="1" itemPrintTitles="1" indent="0" multipleFieldFilters="0" grandTotalCaption="{}""#,
        escape(&*definition.total_label),
    );
    text += match definition.layout {
        Layout::Tabular => r#" compact="0" compactData="0""#,
        Layout::Outline => r#" compact="0" compactData="0" outline="1" outlineData="1""#,
        Layout::Compact => r#" outline="1" outlineData="1""#,
    };
    // In the names of the attributes, the totals of columns are in a row.
    for (name, has) in
        [("colGrandTotals", definition.has_total_row), ("rowGrandTotals", definition.has_total_column)]
    {
        if !has {
            let _ = write!(text, r#" {name}="0""#);
        }
    }
    let _ = write!(
        text,
        r#"><location ref="{area}" firstHeaderRow="{first_header}" firstDataRow="{}" firstDataCol="{}""#,
        output.header_rows,
        output.label_columns.min(definition.rows.len() as u32),
    );
    if !pages.is_empty() {
        let _ = write!(text, r#" rowPageCount="{}" colPageCount="1""#, pages.len());
    }
    let _ = write!(text, r#"/><pivotFields count="{}">"#, fields.len());
    for field in fields {
        field.write_pivot_field(definition, &mut text);
    }
    text += "</pivotFields>";
    for (name, numbers) in [("rowFields", &rows), ("colFields", &columns)] {
        if !numbers.is_empty() {
            let _ = write!(text, r#"<{name} count="{}">"#, numbers.len());
            for number in numbers {
                let _ = write!(text, r#"<field x="{number}"/>"#);
            }
            let _ = write!(text, "</{name}>");
        }
    }
    if !pages.is_empty() {
        let _ = write!(text, r#"<pageFields count="{}">"#, pages.len());
        for page in &pages {
            let _ = write!(text, r#"<pageField fld="{page}" hier="-1"/>"#);
        }
        text += "</pageFields>";
    }
    write_values(definition, fields, &base, &mut text)?;
    text += r#"<pivotTableStyleInfo name="PivotStyleLight16" showRowHeaders="1" showColHeaders="1" showRowStripes="0" showColStripes="0" showLastColumn="1"/></pivotTableDefinition>"#;
    Some(text)
}

/// Whether the cells above a pivot table are blank where other programs show its page fields.
fn has_room_for_pages(sheet: &Sheet, area: Range, count: usize) -> bool {
    if count == 0 {
        return true;
    }
    let (first, count) = (area.first(), count as u32 + 1);
    let Some(top) = first.row.get().checked_sub(count) else { return false };
    let last_column = first.column.get() + 1;
    let above = Range::from_indices(top, first.column.get(), first.row.get() - 1, last_column);
    above.is_some_and(|above| above.cells().all(|cell| sheet.value(cell).is_blank()))
}

/// Writes the value fields. Fails for functions that the format does not have.
fn write_values(definition: &Definition, fields: &[CacheField], base: &str, text: &mut String) -> Option<()> {
    if definition.values.is_empty() {
        return Some(());
    }
    let _ = write!(text, r#"<dataFields count="{}">"#, definition.values.len());
    let mut names: Vec<String> = fields.iter().map(|field| field.name.to_lowercase()).collect();
    let mut calculated = (0..fields.len()).filter(|field| fields[*field].is_calculated());
    for value in &definition.values {
        // A value field must not have the name of another field.
        let mut name = value.name.to_string();
        while names.contains(&name.to_lowercase()) {
            name.push(' ');
        }
        names.push(name.to_lowercase());
        let field = match value.calculation {
            Some(_) => calculated.next()?,
            None => value.column as usize,
        };
        let _ = write!(text, r#"<dataField name="{}" fld="{field}""#, escape(&name));
        let function = subtotal_name(value.function)?;
        if function != "sum" {
            let _ = write!(text, r#" subtotal="{function}""#);
        }
        let shown_as = match value.shown_as {
            ShownAs::PercentOfRow => "percentOfRow",
            ShownAs::PercentOfColumn => "percentOfCol",
            ShownAs::PercentOfTotal => "percentOfTotal",
            ShownAs::RunningTotal => "runTotal",
            ShownAs::Difference => "difference",
            ShownAs::PercentDifference => "percentDiff",
            _ => "normal",
        };
        if shown_as != "normal" {
            let _ = write!(text, r#" showDataAs="{shown_as}""#);
        }
        let is_difference = matches!(value.shown_as, ShownAs::Difference | ShownAs::PercentDifference);
        let item = if is_difference { PREVIOUS_ITEM } else { 0 };
        let _ = write!(text, r#" baseField="{base}" baseItem="{item}""#);
        if let Some(format) = built_in_format(value.number_format.as_deref(), value.shown_as.is_percent()) {
            let _ = write!(text, r#" numFmtId="{format}""#);
        }
        let extension = match value.shown_as {
            ShownAs::PercentOfParentRow => "percentOfParentRow",
            ShownAs::PercentOfParentColumn => "percentOfParentCol",
            ShownAs::Rank => "rankDescending",
            _ => {
                *text += "/>";
                continue;
            }
        };
        let _ = write!(
            text,
            r#"><extLst><ext uri="{EXTENSION}" xmlns:x14="{EXTENSION_SPACE}"><x14:dataField pivotShowAs="{extension}"/></ext></extLst></dataField>"#
        );
    }
    *text += "</dataFields>";
    Some(())
}

/// The name of a function in the file; `None` for those that the format does not have.
fn subtotal_name(function: Function) -> Option<&'static str> {
    Some(match function {
        Function::Sum => "sum",
        Function::Count => "count",
        Function::CountNumbers => "countNums",
        Function::Average => "average",
        Function::Minimum => "min",
        Function::Maximum => "max",
        Function::Product => "product",
        Function::Deviation => "stdDev",
        Function::DeviationPopulation => "stdDevp",
        Function::Variance => "var",
        Function::VariancePopulation => "varp",
        Function::CountUnique | Function::Median => return None,
    })
}

/// The number of a format that needs no entry in the styles.
fn built_in_format(code: Option<&str>, is_percent: bool) -> Option<u32> {
    let code = code.or(is_percent.then_some("0.00%"))?;
    BUILT_IN_FORMATS.iter().find(|(_, other)| *other == code).map(|(id, _)| *id)
}
