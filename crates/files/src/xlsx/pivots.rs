//! Reads pivot tables: the definitions of their caches and of the tables (rule F21). Those that
//! Quadrille cannot express remain values, with a warning.

use quadrille_cell::{ColumnIndex, Range, column_name};
use quadrille_operation::ItemValue;
use quadrille_workbook::{Field, ItemKind};

use super::archive::{Archive, Part};
use super::calculated_fields::{Named, formula_of_references};
use super::date_periods::{Period, ReadFilter};
use super::pivot_cache::{Cache, CacheField, Grouping};
use super::references::absolute;
use super::workbook_part::links_of;
use super::write_pivots::BUILT_IN_FORMATS;
use super::xml::{Element, Node};
use crate::contents::{Contents, FieldTexts, ItemContents};
use crate::error::FileError;
use crate::limits::COLUMNS_MAX;

/// Pivot tables of one file that are read.
const PIVOTS_MAX: usize = 1_000;
/// Values of one field that are read; the schema of items has the same limit.
const ITEMS_MAX: usize = 10_000;
/// Fields of one axis, and value fields; the schema of items has the same limit.
const FIELDS_MAX: usize = 32;
/// The number of the field that stands for the value fields.
const VALUES_FIELD: i64 = -2;

/// A pivot table whose source may be on a sheet that has not been read yet.
pub struct FoundPivot {
    /// Index of its sheet.
    pub sheet: usize,
    /// Name of its part.
    pub part: String,
}

/// What slicers need of a pivot table that was read.
pub struct ReadPivot {
    /// Index of its sheet.
    pub sheet: usize,
    pub name: String,
    pub source_sheet: String,
    pub source: Range,
    /// The names of the fields that are columns of the source, in their order; `None` for groups.
    pub fields: Vec<Option<String>>,
}

/// Adds the pivot tables to their sheets, where they replace the cells of their results. Called when
/// all sheets have been read.
pub fn read_all(
    archive: &mut Archive,
    found: &[FoundPivot],
    contents: &mut Contents,
) -> Result<Vec<ReadPivot>, FileError> {
    let mut read = Vec::new();
    for pivot in found.iter().take(PIVOTS_MAX) {
        let links = links_of(archive, &pivot.part)?;
        let cache = links.iter().find(|link| link.kind == "pivotCacheDefinition");
        let cache = match cache.map(|link| archive.part(&link.target)).transpose()?.flatten() {
            Some(part) => Cache::read(part)?,
            None => Cache::default(),
        };
        let Some(part) = archive.part(&pivot.part)? else { continue };
        let table = Table::read(part)?;
        let name = table.name.clone();
        match item(&cache, &table, contents) {
            Ok((item, area)) => {
                if contents.put_pivot(pivot.sheet, item, area) {
                    read.extend(read_pivot(pivot.sheet, name, &cache, contents));
                }
            }
            Err(reason) => contents.warn(format!("left as values: the pivot table {name}: {reason}")),
        }
    }
    if found.len() > PIVOTS_MAX {
        contents.warn(format!("left as values: pivot tables beyond {PIVOTS_MAX}"));
    }
    Ok(read)
}

fn read_pivot(sheet: usize, name: String, cache: &Cache, contents: &Contents) -> Option<ReadPivot> {
    let (source_sheet, source) = cache.source(contents).ok()?;
    let is_column = |field: &&CacheField| field.grouping.is_none() && field.formula.is_none();
    let fields = cache.fields.iter().take(source.column_count() as usize);
    let fields = fields.map(|field| Some(field).filter(is_column).map(|field| field.name.clone()));
    Some(ReadPivot { sheet, name, source_sheet, source, fields: fields.collect() })
}

/// The definition of a table.
#[derive(Default)]
struct Table {
    name: String,
    area: Option<Range>,
    page_rows: u32,
    has_row_totals: bool,
    has_column_totals: bool,
    total_label: Option<String>,
    fields: Vec<TableField>,
    rows: Vec<i64>,
    columns: Vec<i64>,
    /// Fields with the only item that they show, if there is one.
    pages: Vec<(usize, Option<usize>)>,
    values: Vec<ValueField>,
    /// A filter while it is read.
    open_filter: Option<ReadFilter>,
    /// Fields with the period of dates that they show.
    periods: Vec<(usize, Period)>,
    /// Whether there are other filters.
    has_filters: bool,
    has_calculated_items: bool,
}

#[derive(Default)]
struct TableField {
    caption: Option<String>,
    is_compact: bool,
    is_outline: bool,
    has_subtotals: bool,
    repeats_labels: bool,
    is_descending: bool,
    sorted_by: Option<u32>,
    /// Number of groups, whether they are the smallest, and the value field.
    top: Option<(u32, bool, u32)>,
    /// Numbers of values of the cache, and whether they are hidden.
    items: Vec<(usize, bool)>,
}

#[derive(Default)]
struct ValueField {
    name: String,
    field: usize,
    function: String,
    shown_as: String,
    base_item: u32,
    number_format: Option<u32>,
}

impl Table {
    fn read(mut part: Part) -> Result<Table, FileError> {
        let mut table = Table::default();
        // The list whose elements `field` are read.
        let mut list = "";
        loop {
            match part.next()? {
                Node::Start(element) => match element.name() {
                    // Extensions have elements with the same local names.
                    "pivotTableDefinition" if table.name.is_empty() => table.start(&element),
                    "pivotField" if element.attribute("fillDownLabels").is_some() => {
                        if let Some(field) = table.fields.last_mut() {
                            field.repeats_labels = element.flag("fillDownLabels").unwrap_or(false);
                        }
                    }
                    "location" => {
                        let area = element.attribute("ref");
                        table.area = area.and_then(|area| Range::parse_a1(&area).ok());
                        table.page_rows = element.number("rowPageCount").unwrap_or(0);
                    }
                    "pivotField" if table.fields.len() < COLUMNS_MAX as usize => {
                        table.fields.push(TableField::start(&element));
                    }
                    "item" => {
                        let field = table.fields.last_mut();
                        let item = element.number("x").filter(|_| element.attribute("t").is_none());
                        if let (Some(field), Some(item)) = (field, item)
                            && field.items.len() < ITEMS_MAX
                        {
                            field.items.push((item, element.flag("h").unwrap_or(false)));
                        }
                    }
                    // The value field by which a field is sorted.
                    "x" if list == "autoSortScope" => {
                        if let Some(field) = table.fields.last_mut() {
                            field.sorted_by = field.sorted_by.or(element.number("v"));
                        }
                    }
                    "autoSortScope" => list = "autoSortScope",
                    "rowFields" => list = "rowFields",
                    "colFields" => list = "colFields",
                    "field" => {
                        let fields = if list == "rowFields" { &mut table.rows } else { &mut table.columns };
                        fields.extend(element.number::<i64>("x").filter(|_| fields.len() <= FIELDS_MAX));
                    }
                    "pageField" if table.pages.len() < FIELDS_MAX => {
                        let field = element.number("fld");
                        table.pages.extend(field.map(|field| (field, element.number("item"))));
                    }
                    "dataField" => table.data_field(&element),
                    "filter" => {
                        table.close_filter();
                        table.open_filter = Some(ReadFilter::start(&element));
                    }
                    "calculatedItem" | "calculatedMember" => table.has_calculated_items = true,
                    _ => {
                        if let Some(filter) = &mut table.open_filter {
                            filter.read(&element);
                        }
                    }
                },
                node if node.ends("filter") => table.close_filter(),
                node if node.ends("autoSortScope") => list = "",
                Node::EndOfPart => return Ok(table),
                _ => {}
            }
        }
    }

    fn close_filter(&mut self) {
        let Some(filter) = self.open_filter.take() else { return };
        match filter.finish() {
            Some(period) => self.periods.push(period),
            None => self.has_filters = true,
        }
    }

    fn start(&mut self, element: &Element) {
        self.name = element.attribute("name").unwrap_or_default();
        // In the names of the attributes, the totals of columns are in a row.
        self.has_row_totals = element.flag("colGrandTotals").unwrap_or(true);
        self.has_column_totals = element.flag("rowGrandTotals").unwrap_or(true);
        self.total_label = element.attribute("grandTotalCaption");
    }

    /// A value field, or its extension, which has the same local name.
    fn data_field(&mut self, element: &Element) {
        if let Some(shown_as) = element.attribute("pivotShowAs") {
            if let Some(value) = self.values.last_mut() {
                value.shown_as = shown_as;
            }
        } else if let Some(field) = element.number("fld")
            && self.values.len() < FIELDS_MAX
        {
            self.values.push(ValueField {
                name: element.attribute("name").unwrap_or_default(),
                field,
                function: element.attribute("subtotal").unwrap_or_else(|| "sum".to_owned()),
                shown_as: element.attribute("showDataAs").unwrap_or_default(),
                base_item: element.number("baseItem").unwrap_or(0),
                number_format: element.number("numFmtId"),
            });
        }
    }
}

impl TableField {
    fn start(element: &Element) -> TableField {
        let top = element.flag("autoShow").unwrap_or(false).then(|| {
            let is_smallest = !element.flag("topAutoShow").unwrap_or(true);
            (
                element.number("itemPageCount").unwrap_or(10),
                is_smallest,
                element.number("rankBy").unwrap_or(0),
            )
        });
        TableField {
            caption: element.attribute("name"),
            is_compact: element.flag("compact").unwrap_or(true),
            is_outline: element.flag("outline").unwrap_or(true),
            has_subtotals: element.flag("defaultSubtotal").unwrap_or(true),
            is_descending: element.attribute("sortType").is_some_and(|order| order == "descending"),
            top,
            ..TableField::default()
        }
    }
}

/// The item of a pivot table, and the cells that it filled; or why there is none.
fn item(cache: &Cache, table: &Table, contents: &Contents) -> Result<(ItemContents, Range), &'static str> {
    let area = table.area.ok_or("it has no place")?;
    let (sheet, source) = cache.source(contents)?;
    let reader = Reader { cache, table, sheet: format!("'{}'", sheet.replace('\'', "''")), source };
    if table.has_filters || table.periods.iter().any(|(field, _)| *field >= table.fields.len()) {
        return Err("it has filters by label or value");
    }
    if table.has_calculated_items {
        return Err("it has calculated items");
    }
    if table.rows.contains(&VALUES_FIELD) && table.values.len() > 1 {
        return Err("its values are below one another");
    }
    let mut fields = FieldTexts::default();
    fields.text(Field::Source, Some(format!("={}!{}", reader.sheet, absolute(source))));
    let axis = |numbers: &[i64]| -> Result<Vec<ItemValue>, &'static str> {
        let numbers = numbers.iter().filter(|number| **number != VALUES_FIELD);
        numbers.map(|number| reader.group_field(*number)).collect()
    };
    fields.put(Field::Rows, ItemValue::List(axis(&table.rows)?));
    fields.put(Field::Columns, ItemValue::List(axis(&table.columns)?));
    let values: Result<Vec<ItemValue>, _> =
        table.values.iter().map(|value| reader.value_field(value)).collect();
    fields.put(Field::Values, ItemValue::List(values?));
    let filters = reader.filters()?;
    if !filters.is_empty() {
        fields.put(Field::Filters, ItemValue::List(filters));
    }
    fields.flag(Field::ShowTotalRow, Some(table.has_row_totals), true);
    fields.flag(Field::ShowTotalColumn, Some(table.has_column_totals), true);
    fields.text(Field::TotalLabel, table.total_label.clone().or(Some("Grand Total".to_owned())));
    let outer = table.rows.first().and_then(|row| table.fields.get(usize::try_from(*row).ok()?));
    let layout = match outer {
        Some(field) if field.is_outline && field.is_compact => "compact",
        Some(field) if field.is_outline => "outline",
        _ => "tabular",
    };
    fields.text(Field::Layout, Some(layout));
    let repeats = table.fields.iter().any(|field| field.repeats_labels);
    fields.flag(Field::RepeatLabels, Some(repeats), false);
    let anchors = vec![Range::cell(area.first())];
    Ok((ItemContents { kind: ItemKind::PivotTable, anchors, fields, parent: None }, reader.cleared(area)))
}

struct Reader<'a> {
    cache: &'a Cache,
    table: &'a Table,
    /// The quoted name of the source's sheet.
    sheet: String,
    source: Range,
}

impl Reader<'_> {
    /// The cells of the result and of the page fields above it, which are separated by a blank row.
    fn cleared(&self, area: Range) -> Range {
        let pages = match self.table.page_rows {
            0 => 0,
            rows => rows.saturating_add(1),
        };
        let first = area.first();
        let (top, last) = (first.row.get().saturating_sub(pages), area.last());
        Range::from_indices(top, first.column.get(), last.row.get(), last.column.get()).unwrap_or(area)
    }

    /// The reference to the column of a field of the cache.
    fn column(&self, field: usize) -> Result<ItemValue, &'static str> {
        Ok(ItemValue::Text(format!("={}", self.column_reference(field)?)))
    }

    fn column_reference(&self, field: usize) -> Result<String, &'static str> {
        let field = self.cache.base_field(field)?;
        if self.cache.field(field)?.formula.is_some() || field >= self.source.column_count() as usize {
            return Err("it refers to an unknown field");
        }
        let column = column_name(ColumnIndex::clamped(self.source.first().column.get() + field as u32));
        Ok(format!("{}!${column}:${column}", self.sheet))
    }

    /// The formula of a calculated field with references in the place of names.
    fn formula(&self, formula: &str) -> Result<String, &'static str> {
        formula_of_references(formula, &|name| {
            let is_named = |field: &CacheField| field.name.to_lowercase() == name.to_lowercase();
            let number = self.cache.fields.iter().position(is_named)?;
            match &self.cache.fields[number].formula {
                Some(formula) => Some(Named::Calculated(formula)),
                None => self.column_reference(number).ok().map(Named::Column),
            }
        })
    }

    fn group_field(&self, number: i64) -> Result<ItemValue, &'static str> {
        let number = usize::try_from(number).map_err(|_| "it refers to an unknown field")?;
        let (Some(field), Some(cached)) = (self.table.fields.get(number), self.cache.fields.get(number))
        else {
            return Err("it refers to an unknown field");
        };
        let mut record = FieldTexts::default();
        record.put(Field::Column, self.column(number)?);
        // The name of a field of the source is its header.
        let own_name = matches!(cached.grouping, Some(Grouping::Own)).then(|| cached.name.clone());
        record.text(Field::Name, field.caption.clone().or(own_name));
        match &cached.grouping {
            None => {}
            Some(Grouping::Dates(name)) => record.text(Field::Grouping, Some(*name)),
            Some(Grouping::Step { start, step }) => {
                record.number(Field::Start, Some(*start));
                record.number(Field::Step, Some(*step));
            }
            Some(Grouping::Own) => {
                record.put(Field::Groups, ItemValue::List(self.cache.own_group_records(number)?));
            }
            Some(Grouping::Unknown) => return Err("it has groups that are not supported"),
        }
        if field.is_descending {
            record.text(Field::Order, Some("descending"));
        }
        record.number(Field::SortBy, field.sorted_by.map(f64::from));
        record.flag(Field::Subtotals, Some(field.has_subtotals), true);
        if let Some((count, is_smallest, value)) = field.top {
            record.number(Field::Rank, Some(f64::from(count.max(1))));
            record.text(Field::Rule, Some(if is_smallest { "bottom" } else { "top" }));
            record.number(Field::RankBy, Some(f64::from(value)));
        }
        Ok(ItemValue::Record(record.0))
    }

    fn value_field(&self, value: &ValueField) -> Result<ItemValue, &'static str> {
        let function = match value.function.as_str() {
            "sum" => "sum",
            "count" => "count",
            "countNums" => "countNumbers",
            "average" => "average",
            "min" => "minimum",
            "max" => "maximum",
            "product" => "product",
            "stdDev" => "deviation",
            "stdDevp" => "deviationPopulation",
            "var" => "variance",
            "varp" => "variancePopulation",
            _ => return Err("it has a function that is not supported"),
        };
        let is_previous = value.base_item >= 1_048_828;
        let shown_as = match value.shown_as.as_str() {
            "" | "normal" => None,
            "percentOfRow" => Some("percentOfRow"),
            "percentOfCol" => Some("percentOfColumn"),
            "percentOfTotal" => Some("percentOfTotal"),
            "percentOfParentRow" => Some("percentOfParentRow"),
            "percentOfParentCol" => Some("percentOfParentColumn"),
            "runTotal" => Some("runningTotal"),
            "difference" if is_previous => Some("difference"),
            "percentDiff" if is_previous => Some("percentDifference"),
            "rankDescending" => Some("rank"),
            _ => return Err("it shows values in a way that is not supported"),
        };
        let mut record = FieldTexts::default();
        match &self.cache.field(value.field)?.formula {
            Some(formula) => record.text(Field::Formula, Some(self.formula(formula)?)),
            None => {
                record.put(Field::Column, self.column(value.field)?);
                record.text(Field::Function, Some(function));
            }
        }
        record.text(Field::ShownAs, shown_as);
        record.text(Field::Name, Some(value.name.trim_end()));
        let is_built_in = |(id, _): &&(u32, &str)| value.number_format == Some(*id);
        record.text(Field::NumberFormat, BUILT_IN_FORMATS.iter().find(is_built_in).map(|(_, code)| *code));
        Ok(ItemValue::Record(record.0))
    }

    /// The filter of a field that shows a period of dates.
    fn period(&self, field: usize, period: &Period) -> Result<ItemValue, &'static str> {
        if self.cache.field(field)?.grouping.is_some() {
            return Err("it has groups that are not supported");
        }
        let mut record = FieldTexts::default();
        record.put(Field::Column, self.column(field)?);
        record.text(Field::Operator, Some("between"));
        record.text(Field::Value1, Some(period.first.to_string()));
        record.text(Field::Value2, Some(period.end().to_string()));
        Ok(ItemValue::Record(record.0))
    }

    /// The filters of fields that hide some of their values, or show a period.
    fn filters(&self) -> Result<Vec<ItemValue>, &'static str> {
        let mut filters = Vec::new();
        for (number, field) in self.table.fields.iter().enumerate() {
            let page = self.table.pages.iter().find(|(page, _)| *page == number);
            let only = page.and_then(|(_, item)| *item);
            let is_shown = |position: usize, is_hidden: bool| match only {
                Some(only) => only == position,
                None => !is_hidden,
            };
            let is_filtered = only.is_some() || field.items.iter().any(|(_, is_hidden)| *is_hidden);
            let mut periods = self.table.periods.iter().filter(|(field, _)| *field == number);
            if let Some((_, period)) = periods.next() {
                if is_filtered || periods.next().is_some() {
                    return Err("it has several filters of one field");
                }
                filters.push(self.period(number, period)?);
                continue;
            }
            if !is_filtered {
                continue;
            }
            let cached = self.cache.field(number)?;
            // Hidden groups are hidden values.
            let groups = match cached.grouping {
                None => None,
                Some(Grouping::Own) => Some(self.cache.own_groups(number)?),
                Some(_) => return Err("it hides groups"),
            };
            let cached = self.cache.field(self.cache.base_field(number)?)?;
            let items = field.items.iter().enumerate();
            let shown = items.filter(|(position, (_, is_hidden))| is_shown(*position, *is_hidden));
            let mut texts = Vec::new();
            let mut shows_blanks = false;
            for (_, (item, _)) in shown {
                let items = match &groups {
                    Some(groups) => groups.get(*item).map(|group| group.items.as_slice()),
                    None => Some(std::slice::from_ref(item)),
                };
                for item in items.ok_or("it hides values that are not in the file")? {
                    let value = cached.items.get(*item).ok_or("it hides values that are not in the file")?;
                    match value.displayed.as_deref().ok_or("it hides dates or formatted numbers")? {
                        "" => shows_blanks = true,
                        text => texts.push(ItemValue::Text(text.to_owned())),
                    }
                }
            }
            let mut record = FieldTexts::default();
            record.put(Field::Column, self.column(number)?);
            record.put(Field::Shown, ItemValue::List(texts));
            record.put(Field::ShowBlanks, ItemValue::Boolean(shows_blanks));
            filters.push(ItemValue::Record(record.0));
        }
        Ok(filters)
    }
}
