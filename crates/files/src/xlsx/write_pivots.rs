//! Writes pivot tables as the parts of ECMA-376 that other programs read (rule F21): a definition of
//! the cache, without records, and a definition of the table. Other programs refresh them from the
//! source when they open the file.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use quadrille_cell::Range;
use quadrille_pivot::{Definition, Function, GroupField, Layout, ShownAs};
use quadrille_workbook::{Sheet, Workbook};
use quick_xml::escape::escape;

use super::added_parts::{AddedParts, DECLARATION, RELATIONSHIPS};
use super::pivot_fields::{CacheField, SlicedColumn, cache_fields};
use crate::pivot_source::{FilledPivot, filled_pivots};

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
/// The extension of value fields in files of Excel 2010 and later.
const EXTENSION: &str = "{E15A36E0-9728-4e99-A89B-3F7291B0FE68}";
const EXTENSION_SPACE: &str = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main";
/// The extension of caches that slicers refer to.
const CACHE_EXTENSION: &str = "{725AE2AE-9491-48be-B2B4-4EB974FC3084}";
/// The number of the field that stands for the value fields.
const VALUES_FIELD: &str = "-2";
/// Formats of numbers that need no entry in the styles (ECMA-376, 18.8.30).
pub(super) const BUILT_IN_FORMATS: [(u32, &str); 6] =
    [(1, "0"), (2, "0.00"), (3, "#,##0"), (4, "#,##0.00"), (9, "0%"), (10, "0.00%")];
/// The item before the one that is compared.
const PREVIOUS_ITEM: u32 = 1_048_828;

/// A pivot table that a file has as such; of others it has the values.
pub(super) struct WrittenPivot {
    /// The position of its sheet.
    pub sheet: usize,
    pub filled: FilledPivot,
    pub fields: Vec<CacheField>,
    /// The number of the table in the file.
    pub number: usize,
    /// The number of its cache: that of the first pivot table with this cache.
    pub cache: usize,
}

impl WrittenPivot {
    /// Its name in the file.
    pub fn name(&self) -> String {
        pivot_name(self.number)
    }

    /// Whether two pivot tables can have one cache, as those that share a slicer must.
    pub fn can_share_cache(&self, other: &WrittenPivot) -> bool {
        let (own, others) = (&self.filled.definition, &other.filled.definition);
        (own.sheet, own.source) == (others.sheet, others.source)
            && self.fields.iter().chain(&other.fields).all(CacheField::is_plain)
    }
}

/// The pivot tables that the format can express. `sliced` returns the columns of a pivot table that have
/// slicers, for the position of its sheet.
pub(super) fn written_pivots(
    workbook: &Workbook,
    sliced: &dyn Fn(usize, &FilledPivot) -> Vec<SlicedColumn>,
) -> Vec<WrittenPivot> {
    let mut written = Vec::new();
    for (position, sheet) in workbook.sheets().iter().enumerate() {
        if !sheet.items().has_pivot_tables() {
            continue;
        }
        for filled in filled_pivots(workbook, sheet) {
            let sliced = sliced(position, &filled);
            let Some(mut fields) = cache_fields(workbook, &filled.definition, &sliced) else { continue };
            if !has_room_for_pages(sheet, filled.area, &fields) {
                fields.iter_mut().for_each(CacheField::leave_to_slicer);
            }
            let number = written.len() + 1;
            let pivot = WrittenPivot { sheet: position, filled, fields, number, cache: number };
            if has_room_for_pages(sheet, pivot.filled.area, &pivot.fields)
                && table_definition(&pivot).is_some()
            {
                written.push(pivot);
            }
        }
    }
    written
}

/// Adds the parts of pivot tables. `titles` are the names of the sheets in the file, `sliced_caches` the
/// numbers of the caches that slicers refer to.
pub(super) fn add_pivots(
    workbook: &Workbook,
    pivots: &[WrittenPivot],
    sliced_caches: &BTreeSet<usize>,
    titles: &[String],
    added: &mut AddedParts,
) {
    let mut caches = String::new();
    for pivot in pivots {
        let (number, cache) = (pivot.number, pivot.cache);
        let Some(table) = table_definition(pivot) else { continue };
        let sheet = added.sheet_part(pivot.sheet);
        let table_part = format!("xl/pivotTables/pivotTable{number}.xml");
        let cache_target = format!("pivotCache/pivotCacheDefinition{cache}.xml");
        let kind = |kind: &str| format!("{RELATIONSHIPS}/{kind}");
        let (id, to_cache) = (format!("rIdPivot{number}"), kind("pivotCacheDefinition"));
        added.link(&sheet, &id, &kind("pivotTable"), &format!("../pivotTables/pivotTable{number}.xml"));
        added.link(&table_part, "rId1", &to_cache, &format!("../{cache_target}"));
        added.add(&table_part, &content_type("pivotTable"), table);
        if cache != number {
            continue;
        }
        let definition = &pivot.filled.definition;
        let source = workbook.position(definition.sheet).and_then(|position| titles.get(position));
        let sharing: Vec<&WrittenPivot> = pivots.iter().filter(|other| other.cache == cache).collect();
        let is_sliced = sliced_caches.contains(&cache);
        let text = cache_definition(source.map_or("", |title| title), &sharing, is_sliced);
        let _ = write!(caches, r#"<pivotCache cacheId="{cache}" r:id="{id}"/>"#);
        added.link("xl/workbook.xml", &id, &to_cache, &cache_target);
        added.add(&format!("xl/{cache_target}"), &content_type("pivotCacheDefinition"), text);
    }
    if !caches.is_empty() {
        let caches = format!("<pivotCaches>{caches}</pivotCaches></workbook>");
        added.change("xl/workbook.xml", move |text| text.replacen("</workbook>", &caches, 1));
    }
}

fn content_type(kind: &str) -> String {
    format!("application/vnd.openxmlformats-officedocument.spreadsheetml.{kind}+xml")
}

fn pivot_name(number: usize) -> String {
    format!("PivotTable{number}")
}

/// The definition of the cache of some pivot tables. Slicers know it by the identity in its extension
/// ([MS-XLSX], CT_PivotCacheDefinition).
fn cache_definition(source: &str, sharing: &[&WrittenPivot], is_sliced: bool) -> String {
    let first = sharing[0];
    let definition = &first.filled.definition;
    let mut text = format!(
        r#"{DECLARATION}<pivotCacheDefinition xmlns="{MAIN}" xmlns:r="{RELATIONSHIPS}" saveData="0" refreshOnLoad="1" refreshedBy="Quadrille" createdVersion="6" refreshedVersion="6" minRefreshableVersion="3" recordCount="{}">"#,
        definition.data_rows().1,
    );
    let _ = write!(
        text,
        r#"<cacheSource type="worksheet"><worksheetSource ref="{}" sheet="{}"/></cacheSource><cacheFields count="{}">"#,
        definition.source,
        escape(source),
        first.fields.len(),
    );
    for (position, field) in first.fields.iter().enumerate() {
        // A pivot table lists the values of the fields that it uses.
        let listed = sharing.iter().filter_map(|pivot| pivot.fields.get(position));
        listed.clone().find(|field| field.has_items()).unwrap_or(field).write(&mut text);
    }
    text += "</cacheFields>";
    if is_sliced {
        let number = first.cache;
        let _ = write!(
            text,
            r#"<extLst><ext uri="{CACHE_EXTENSION}" xmlns:x14="{EXTENSION_SPACE}"><x14:pivotCacheDefinition pivotCacheId="{number}"/></ext></extLst>"#
        );
    }
    text + "</pivotCacheDefinition>"
}

/// The definition of the table; `None` if the format cannot express it.
fn table_definition(pivot: &WrittenPivot) -> Option<String> {
    let WrittenPivot { filled, fields, cache, .. } = pivot;
    let FilledPivot { definition, output, area, .. } = filled;
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
    if definition.values.len() > 1 {
        columns.push(VALUES_FIELD.to_owned());
    }
    let first_header = u32::from(!definition.columns.is_empty() || definition.values.len() < 2);
    let mut text = format!(
        r#"{DECLARATION}<pivotTableDefinition xmlns="{MAIN}" name="{}" cacheId="{cache}" dataCaption="Values" updatedVersion="6" createdVersion="6" minRefreshableVersion="{}" useAutoFormatting="1" itemPrintTitles="1" indent="0" multipleFieldFilters="0" grandTotalCaption="{}""#,
        pivot.name(),
        // Programs before Excel 2013 have no timelines.
        if fields.iter().any(|field| field.period.is_some()) { 5 } else { 3 },
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
    text += r#"<pivotTableStyleInfo name="PivotStyleLight16" showRowHeaders="1" showColHeaders="1" showRowStripes="0" showColStripes="0" showLastColumn="1"/>"#;
    write_periods(fields, &mut text);
    text += "</pivotTableDefinition>";
    Some(text)
}

fn write_periods(fields: &[CacheField], text: &mut String) {
    let periods = fields.iter().enumerate().filter_map(|(field, own)| Some((field, own, own.period?)));
    let periods: Vec<_> = periods.collect();
    if periods.is_empty() {
        return;
    }
    let _ = write!(text, r#"<filters count="{}">"#, periods.len());
    for (number, (field, own, period)) in periods.into_iter().enumerate() {
        period.write(field, number + 1, &own.name, text);
    }
    *text += "</filters>";
}

/// Whether the cells above a pivot table are blank where other programs show its page fields.
fn has_room_for_pages(sheet: &Sheet, area: Range, fields: &[CacheField]) -> bool {
    let count = fields.iter().filter(|field| field.is_page()).count();
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
