//! Pivot tables of OpenDocument files: the element `data-pilot-tables` after the tables (rule F21).

use std::collections::BTreeSet;
use std::fmt::Write as _;

use quadrille_cell::{CellAddress, ColumnIndex, Range, Value, column_name};
use quadrille_operation::ItemValue;
use quadrille_pivot::{Definition, FilterField, Function, GroupField, Grouping, Layout, ShownAs, value_text};
use quadrille_workbook::{Field, ItemKind, Sheet, Workbook};

use super::filters::cells;
use super::formulas::quoted;
use super::numbers::escaped;
use crate::contents::{Contents, FieldTexts, ItemContents, SheetContents};
use crate::error::FileError;
use crate::pivot_source::{FilledPivot, different_values, filled_pivots};
use crate::xlsx::archive::Part;
use crate::xlsx::xml::{Element, Node};

/// Pivot tables of one file that are read; each may read all rows of its source.
const PIVOTS_MAX: usize = 100;
/// Fields of one pivot table that are read.
const FIELDS_MAX: usize = 128;
/// Values of one field that are read; the schema of items has the same limit.
const MEMBERS_MAX: usize = 10_000;
/// Groups of one's own of one field; the schema of items has the same limit.
const OWN_GROUPS_MAX: usize = 1_000;

/// Each function with its names in items and in files.
const FUNCTIONS: [(Function, &str, &str); 12] = [
    (Function::Sum, "sum", "sum"),
    (Function::Count, "count", "count"),
    (Function::CountNumbers, "countNumbers", "countnums"),
    (Function::Average, "average", "average"),
    (Function::Minimum, "minimum", "min"),
    (Function::Maximum, "maximum", "max"),
    (Function::Median, "median", "median"),
    (Function::Product, "product", "product"),
    (Function::Deviation, "deviation", "stdev"),
    (Function::DeviationPopulation, "deviationPopulation", "stdevp"),
    (Function::Variance, "variance", "var"),
    (Function::VariancePopulation, "variancePopulation", "varp"),
];
/// What is shown instead of a value, with the names in items and in files.
const REFERENCES: [(ShownAs, &str, &str); 6] = [
    (ShownAs::PercentOfRow, "percentOfRow", "row-percentage"),
    (ShownAs::PercentOfColumn, "percentOfColumn", "column-percentage"),
    (ShownAs::PercentOfTotal, "percentOfTotal", "total-percentage"),
    (ShownAs::RunningTotal, "runningTotal", "running-total"),
    (ShownAs::Difference, "difference", "member-difference"),
    (ShownAs::PercentDifference, "percentDifference", "member-percentage-difference"),
];
const GROUPINGS: [(Grouping, &str, &str); 4] = [
    (Grouping::Year, "year", "years"),
    (Grouping::Quarter, "quarter", "quarters"),
    (Grouping::Month, "month", "months"),
    (Grouping::Hour, "hour", "hours"),
];

/// The element with all pivot tables that the format can express; empty without one.
pub(super) fn data_pilot_tables(workbook: &Workbook) -> String {
    let mut tables = String::new();
    let mut number = 0;
    for sheet in workbook.sheets().iter().filter(|sheet| sheet.items().has_pivot_tables()) {
        for pivot in filled_pivots(workbook, sheet) {
            let Some(fields) = fields(workbook, &pivot.definition) else { continue };
            number += 1;
            tables += &table(workbook, sheet.name(), &pivot, &fields, number);
        }
    }
    match tables.is_empty() {
        true => tables,
        false => format!("<table:data-pilot-tables>{tables}</table:data-pilot-tables>"),
    }
}

/// The cells in which pivot tables begin that the file has as such; of others it has the values.
pub(crate) fn written_pivots(workbook: &Workbook, sheet: &Sheet) -> Vec<CellAddress> {
    if !sheet.items().has_pivot_tables() {
        return Vec::new();
    }
    let pivots = filled_pivots(workbook, sheet);
    let written = pivots.iter().filter(|pivot| fields(workbook, &pivot.definition).is_some());
    written.map(|pivot| pivot.area.first()).collect()
}

fn table(workbook: &Workbook, sheet: &str, pivot: &FilledPivot, fields: &str, number: usize) -> String {
    let definition = &pivot.definition;
    let area = |sheet: &str, area: Range| {
        let sheet = quoted(sheet);
        escaped(&format!("{sheet}.{}:{sheet}.{}", area.first(), area.last()))
    };
    let source_sheet = workbook.sheet(definition.sheet).map(|sheet| &**sheet.name()).unwrap_or_default();
    let totals = match (definition.has_total_row, definition.has_total_column) {
        (true, true) => "both",
        (true, false) => "row",
        (false, true) => "column",
        (false, false) => "none",
    };
    format!(
        "<table:data-pilot-table table:name=\"DataPilot{number}\" table:grand-total=\"{totals}\" \
         table:show-filter-button=\"false\" table:target-range-address=\"{}\">\
         <table:source-cell-range table:cell-range-address=\"{}\"/>{fields}</table:data-pilot-table>",
        area(sheet, pivot.area),
        area(source_sheet, definition.source)
    )
}

/// The fields of a definition; `None` if the format cannot express them.
fn fields(workbook: &Workbook, definition: &Definition) -> Option<String> {
    let header = |column: u32| header(workbook, definition, column);
    let value_name = |value: usize| header(definition.values.get(value)?.column);
    let columns_of = |has_groups: bool| -> Vec<u32> {
        let fields = definition.group_fields().filter(|field| field.groups.is_some() == has_groups);
        fields.map(|field| field.column).collect()
    };
    let (on_axes, with_groups) = (columns_of(false), columns_of(true));
    // A column that is grouped twice, one that only filters, and labels in one column have other
    // cells in LibreOffice.
    let is_repeated =
        |columns: &[u32]| columns.iter().enumerate().any(|(at, column)| columns[..at].contains(column));
    let repeated = is_repeated(&on_axes) || is_repeated(&with_groups);
    let filters_only = definition.filters.iter().any(|filter| !on_axes.contains(&filter.column));
    if repeated || filters_only || definition.has_calculations() || definition.layout == Layout::Compact {
        return None;
    }
    let mut text = String::new();
    for (axis, orientation) in [(&definition.rows, "row"), (&definition.columns, "column")] {
        for (position, field) in axis.iter().enumerate() {
            let is_innermost = position + 1 == axis.len();
            let mut header = header(field.column)?;
            if field.groups.is_some() {
                header = own_field_name(workbook, definition, field, &header);
            }
            let names = (header.as_str(), orientation);
            text += &group_field(workbook, definition, field, names, is_innermost, &value_name)?;
        }
    }
    if definition.values.len() > 1 {
        text += "<table:data-pilot-field table:source-field-name=\"\" table:is-data-layout-field=\"true\" \
                 table:orientation=\"column\" table:used-hierarchy=\"-1\" table:function=\"auto\"/>";
    }
    let base = definition.rows.last().or(definition.columns.last());
    let base = base.and_then(|field| {
        let header = header(field.column)?;
        Some(match field.groups {
            Some(_) => own_field_name(workbook, definition, field, &header),
            None => header,
        })
    });
    let base = base.unwrap_or_default();
    for value in &definition.values {
        let (_, _, function) = FUNCTIONS.iter().find(|(function, ..)| *function == value.function)?;
        let _ = write!(
            text,
            "<table:data-pilot-field table:source-field-name=\"{}\" table:orientation=\"data\" \
             table:used-hierarchy=\"-1\" table:function=\"{function}\">",
            escaped(&header(value.column)?)
        );
        if value.shown_as != ShownAs::Value {
            let (_, _, kind) = REFERENCES.iter().find(|(shown_as, ..)| *shown_as == value.shown_as)?;
            let _ = write!(
                text,
                "<table:data-pilot-field-reference table:field-name=\"{}\" table:member-type=\"previous\" \
                 table:type=\"{kind}\"/>",
                escaped(&base)
            );
        }
        text += "<table:data-pilot-level/></table:data-pilot-field>";
    }
    Some(text)
}

/// The header of a column of the source.
fn header(workbook: &Workbook, definition: &Definition, column: u32) -> Option<String> {
    let first = definition.source.first();
    let cell = CellAddress::new(first.row.get(), first.column.get() + column)?;
    match workbook.sheet(definition.sheet)?.value(cell) {
        Value::Text(text) => Some(text.to_string()),
        _ => None,
    }
}

/// The name of a field with groups of one's own, which no column of the source has.
fn own_field_name(
    workbook: &Workbook,
    definition: &Definition,
    field: &GroupField,
    of_column: &str,
) -> String {
    let headers: Vec<String> = (0..definition.source.column_count())
        .filter_map(|column| header(workbook, definition, column))
        .collect();
    let mut name = field.name.to_string();
    while name == of_column || headers.contains(&name) {
        name.push('2');
    }
    name
}

/// The element with groups of one's own. `None` for groups of dates and of values other than texts and
/// plain numbers, which files name as they are displayed.
fn own_groups(workbook: &Workbook, definition: &Definition, field: &GroupField) -> Option<String> {
    let sheet = workbook.sheet(definition.sheet)?;
    let groups = field.groups.as_ref()?;
    let values = different_values(sheet, definition, field.column)?;
    let first = definition.source.first();
    let cell = CellAddress::clamped(first.row.get() + 1, first.column.get() + field.column);
    let has_format = sheet.format(cell).number_format.is_some();
    let header = header(workbook, definition, field.column)?;
    let mut text = format!("<table:data-pilot-groups table:source-field-name=\"{}\">", escaped(&header));
    for (position, group) in groups.groups().iter().enumerate() {
        let is_member = |value: &&Value| groups.of_value(value) == Some(&group.name);
        // A name that two groups have is written once.
        if groups.groups()[..position].iter().any(|other| other.name == group.name) {
            continue;
        }
        let _ = write!(text, "<table:data-pilot-group table:name=\"{}\">", escaped(&group.name));
        for value in values.iter().filter(is_member) {
            match value {
                Value::Text(_) => {}
                Value::Number(_) if !has_format => {}
                _ => return None,
            }
            let _ = write!(
                text,
                "<table:data-pilot-group-member table:name=\"{}\"/>",
                escaped(&value_text(value))
            );
        }
        text += "</table:data-pilot-group>";
    }
    Some(text + "</table:data-pilot-groups>")
}

/// A field on an axis. `value_name` names a value field.
fn group_field(
    workbook: &Workbook,
    definition: &Definition,
    field: &GroupField,
    (header, orientation): (&str, &str),
    is_innermost: bool,
    value_name: &dyn Fn(usize) -> Option<String>,
) -> Option<String> {
    let header = escaped(header);
    let mut text = format!(
        "<table:data-pilot-field table:source-field-name=\"{header}\" table:orientation=\"{orientation}\" \
         table:used-hierarchy=\"-1\" table:function=\"auto\"><table:data-pilot-level>"
    );
    if field.has_subtotals && !is_innermost {
        text += "<table:data-pilot-subtotals><table:data-pilot-subtotal table:function=\"auto\"/></table:data-pilot-subtotals>";
    }
    let is_filtered = |filter: &&FilterField| filter.column == field.column && field.groups.is_none();
    for filter in definition.filters.iter().filter(is_filtered) {
        if filter.condition.is_some() || field.grouping != Grouping::Values {
            return None;
        }
        text += "<table:data-pilot-members>";
        for value in different_values(workbook.sheet(definition.sheet)?, definition, field.column)? {
            let name = match &value {
                Value::Text(text) => text.to_string(),
                Value::Number(number) if filter.number_format.is_none() => number.to_string(),
                _ if filter.shows(&value) => continue,
                _ => return None,
            };
            let _ = write!(
                text,
                "<table:data-pilot-member table:name=\"{}\" table:display=\"{}\" table:show-details=\"true\"/>",
                escaped(&name),
                filter.shows(&value)
            );
        }
        text += "</table:data-pilot-members>";
    }
    if let Some(top) = field.top {
        let mode = if top.is_smallest { "from-bottom" } else { "from-top" };
        let _ = write!(
            text,
            "<table:data-pilot-display-info table:enabled=\"true\" table:data-field=\"{}\" \
             table:member-count=\"{}\" table:display-member-mode=\"{mode}\"/>",
            escaped(&value_name(top.value)?),
            top.count
        );
    }
    let order = if field.is_descending { "descending" } else { "ascending" };
    let _ = match field.sorted_by {
        Some(value) => write!(
            text,
            "<table:data-pilot-sort-info table:sort-mode=\"data\" table:data-field=\"{}\" table:order=\"{order}\"/>",
            escaped(&value_name(value)?)
        ),
        None => {
            write!(text, "<table:data-pilot-sort-info table:sort-mode=\"name\" table:order=\"{order}\"/>")
        }
    };
    let layout = match definition.layout {
        Layout::Tabular => "tabular-layout",
        Layout::Outline | Layout::Compact => "outline-subtotals-top",
    };
    let _ = write!(
        text,
        "<table:data-pilot-layout-info table:layout-mode=\"{layout}\" table:add-empty-lines=\"false\"/>\
         </table:data-pilot-level>"
    );
    // Without a source, the field's own values are grouped.
    match field.grouping {
        Grouping::Values if field.groups.is_some() => text += &own_groups(workbook, definition, field)?,
        Grouping::Values => {}
        Grouping::Step { start, step } => {
            let _ = write!(
                text,
                "<table:data-pilot-groups table:start=\"{start}\" \
                 table:end=\"auto\" table:step=\"{step}\"/>"
            );
        }
        grouping => {
            let (_, _, name) = GROUPINGS.iter().find(|(other, ..)| *other == grouping)?;
            let _ = write!(
                text,
                "<table:data-pilot-groups table:date-start=\"auto\" \
                 table:date-end=\"auto\" table:step=\"0\" table:grouped-by=\"{name}\"/>"
            );
        }
    }
    text += "</table:data-pilot-field>";
    Some(text)
}

/// A pivot table of a file.
#[derive(Default)]
struct FoundPivot {
    name: String,
    target: String,
    source: Option<String>,
    totals: String,
    fields: Vec<FoundField>,
}

#[derive(Default)]
struct FoundField {
    name: String,
    orientation: String,
    function: String,
    is_data_layout: bool,
    shown_as: Option<(String, String)>,
    hidden: Vec<String>,
    has_subtotals: bool,
    is_descending: bool,
    sorted_by: Option<String>,
    /// Number of groups, whether they are the smallest, and the name of the value field.
    top: Option<(u32, bool, String)>,
    layout: String,
    group: Option<FoundGroup>,
    /// Groups of one's own with the values of each.
    own_groups: Vec<(String, Vec<String>)>,
}

struct FoundGroup {
    /// The field whose column is grouped, if it is another one.
    source: Option<String>,
    kind: Option<String>,
    start: Option<f64>,
    step: f64,
}

/// Reads up to the end of the `data-pilot-tables` element. Pivot tables that Quadrille cannot express
/// remain values, with a warning.
pub(super) fn read(part: &mut Part, contents: &mut Contents) -> Result<(), FileError> {
    let mut pivot = FoundPivot::default();
    let mut count = 0;
    loop {
        match part.next()? {
            Node::Start(element) => pivot.start(&element),
            node if node.ends("data-pilot-table") => {
                let found = std::mem::take(&mut pivot);
                count += 1;
                if count > PIVOTS_MAX {
                    contents.warn(format!("left as values: pivot tables beyond {PIVOTS_MAX}"));
                    continue;
                }
                match found.item(contents) {
                    Ok((sheet, item, area)) => drop(contents.put_pivot(sheet, item, area)),
                    Err(reason) => {
                        contents.warn(format!("left as values: the pivot table {}: {reason}", found.name));
                    }
                }
            }
            node if node.ends("data-pilot-tables") => return Ok(()),
            Node::EndOfPart => return Ok(()),
            _ => {}
        }
    }
}

impl FoundPivot {
    fn start(&mut self, element: &Element) {
        let text = |name: &str| element.attribute(name).unwrap_or_default();
        let is = |name: &str, value: &str| element.attribute(name).as_deref() == Some(value);
        if element.name() == "data-pilot-field" && self.fields.len() < FIELDS_MAX {
            self.fields.push(FoundField {
                name: text("table:source-field-name"),
                orientation: text("table:orientation"),
                function: text("table:function"),
                is_data_layout: is("table:is-data-layout-field", "true"),
                ..FoundField::default()
            });
            return;
        }
        let Some(field) = self.fields.last_mut() else {
            match element.name() {
                "data-pilot-table" => {
                    self.name = text("table:name");
                    self.target = text("table:target-range-address");
                    self.totals = text("table:grand-total");
                }
                "source-cell-range" => self.source = element.attribute("table:cell-range-address"),
                _ => {}
            }
            return;
        };
        match element.name() {
            "data-pilot-field-reference" => {
                field.shown_as = Some((text("table:type"), text("table:member-type")));
            }
            "data-pilot-subtotal" => field.has_subtotals = true,
            "data-pilot-member" if is("table:display", "false") && field.hidden.len() < MEMBERS_MAX => {
                field.hidden.push(text("table:name"));
            }
            "data-pilot-display-info" if is("table:enabled", "true") => {
                let is_smallest = is("table:display-member-mode", "from-bottom");
                let count = element.number("table:member-count").unwrap_or(10);
                field.top = Some((count, is_smallest, text("table:data-field")));
            }
            "data-pilot-sort-info" => {
                field.is_descending = is("table:order", "descending");
                field.sorted_by =
                    element.attribute("table:data-field").filter(|_| is("table:sort-mode", "data"));
            }
            "data-pilot-layout-info" => field.layout = text("table:layout-mode"),
            "data-pilot-groups" => {
                field.group = Some(FoundGroup {
                    source: element.attribute("table:source-field-name").filter(|name| !name.is_empty()),
                    kind: element.attribute("table:grouped-by"),
                    start: element.number("table:start"),
                    step: element.number("table:step").unwrap_or(0.0),
                });
            }
            "data-pilot-group" if field.own_groups.len() < OWN_GROUPS_MAX => {
                field.own_groups.push((text("table:name"), Vec::new()));
            }
            "data-pilot-group-member" => {
                if let Some((_, values)) = field.own_groups.last_mut()
                    && values.len() < MEMBERS_MAX
                {
                    values.push(text("table:name"));
                }
            }
            _ => {}
        }
    }

    /// The index of the sheet, the item and the cells that it filled; or why there is none.
    fn item(&self, contents: &Contents) -> Result<(usize, ItemContents, Range), &'static str> {
        let (sheet, area) = cells(&self.target, contents).ok_or("it has no place")?;
        let source = self.source.as_deref().and_then(|source| cells(source, contents));
        let (source_sheet, source) = source.ok_or("its data is not in this file")?;
        let reader = Reader { pivot: self, sheet: &contents.sheets[source_sheet], source };
        let of = |orientation: &'static str| {
            let fields = self.fields.iter().filter(move |field| field.orientation == orientation);
            fields.filter(|field| !field.is_data_layout)
        };
        let layout_field = self.fields.iter().find(|field| field.is_data_layout);
        if of("data").count() > 1 && layout_field.is_some_and(|field| field.orientation == "row") {
            return Err("its values are below one another");
        }
        if of("page").next().is_some() {
            return Err("it has page fields");
        }
        let mut fields = FieldTexts::default();
        let range = reader.absolute_source();
        fields.text(Field::Source, Some(format!("={}!{range}", reader.sheet_name())));
        let list = |items: Result<Vec<ItemValue>, &'static str>| items.map(ItemValue::List);
        fields.put(Field::Rows, list(of("row").map(|field| reader.group_field(field)).collect())?);
        fields.put(Field::Columns, list(of("column").map(|field| reader.group_field(field)).collect())?);
        fields.put(Field::Values, list(of("data").map(|field| reader.value_field(field)).collect())?);
        let filters: Result<Vec<ItemValue>, _> = self
            .fields
            .iter()
            .filter(|field| !field.hidden.is_empty())
            .map(|field| reader.filter(field))
            .collect();
        let filters = filters?;
        if !filters.is_empty() {
            fields.put(Field::Filters, ItemValue::List(filters));
        }
        let has = |one: &str| matches!(self.totals.as_str(), "" | "both") || self.totals == one;
        fields.flag(Field::ShowTotalRow, Some(has("row")), true);
        fields.flag(Field::ShowTotalColumn, Some(has("column")), true);
        fields.text(Field::TotalLabel, Some("Total Result"));
        fields.text(Field::SubtotalLabel, Some("* Result"));
        let is_outline = of("row").next().is_some_and(|field| field.layout.starts_with("outline"));
        fields.text(Field::Layout, is_outline.then_some("outline"));
        let anchors = vec![Range::cell(area.first())];
        Ok((sheet, ItemContents { kind: ItemKind::PivotTable, anchors, fields, parent: None }, area))
    }
}

struct Reader<'a> {
    pivot: &'a FoundPivot,
    /// The sheet of the source.
    sheet: &'a SheetContents,
    source: Range,
}

impl Reader<'_> {
    fn sheet_name(&self) -> String {
        format!("'{}'", self.sheet.name.replace('\'', "''"))
    }

    fn absolute_source(&self) -> String {
        let corner = |cell: CellAddress| format!("${}${}", column_name(cell.column), cell.row.get() + 1);
        format!("{}:{}", corner(self.source.first()), corner(self.source.last()))
    }

    /// The reference to the column with a header.
    fn column(&self, header: &str) -> Result<ItemValue, &'static str> {
        let row = self.source.first().row.get();
        let mut columns = self.source.first().column.get()..=self.source.last().column.get();
        let has_header = |column: &u32| match self.sheet.value(row, *column) {
            Some(Value::Text(text)) => *text == *header,
            _ => false,
        };
        let column = columns.find(has_header).ok_or("it refers to an unknown field")?;
        let column = column_name(ColumnIndex::clamped(column));
        Ok(ItemValue::Text(format!("={}!${column}:${column}", self.sheet_name())))
    }

    fn group_field(&self, field: &FoundField) -> Result<ItemValue, &'static str> {
        let mut record = FieldTexts::default();
        let header = field.group.as_ref().and_then(|group| group.source.as_ref()).unwrap_or(&field.name);
        record.put(Field::Column, self.column(header)?);
        // LibreOffice writes values without a group as groups of themselves.
        let is_group =
            |(name, values): &&(String, Vec<String>)| !matches!(&values[..], [value] if value == name);
        if !field.own_groups.is_empty() {
            let group = |(name, values): &(String, Vec<String>)| {
                let mut record = FieldTexts::default();
                record.text(Field::Name, Some(name.as_str()));
                let values = values.iter().map(|value| ItemValue::Text(value.clone())).collect();
                record.put(Field::Values, ItemValue::List(values));
                ItemValue::Record(record.0)
            };
            record.text(Field::Name, Some(field.name.as_str()));
            record.put(
                Field::Groups,
                ItemValue::List(field.own_groups.iter().filter(is_group).map(group).collect()),
            );
        } else if let Some(group) = &field.group {
            match &group.kind {
                Some(kind) => {
                    let grouping = GROUPINGS.iter().find(|(_, _, name)| name == kind);
                    let (_, name, _) = grouping.ok_or("it has groups that are not supported")?;
                    record.text(Field::Grouping, Some(*name));
                }
                None => {
                    record.number(Field::Start, Some(group.start.unwrap_or(0.0)));
                    record.number(Field::Step, Some(group.step));
                }
            }
        }
        if field.is_descending {
            record.text(Field::Order, Some("descending"));
        }
        record.number(Field::SortBy, field.sorted_by.as_deref().and_then(|name| self.value(name)));
        record.flag(Field::Subtotals, Some(field.has_subtotals), true);
        if let Some((count, is_smallest, value)) = &field.top {
            record.number(Field::Rank, Some(f64::from((*count).max(1))));
            record.text(Field::Rule, Some(if *is_smallest { "bottom" } else { "top" }));
            record.number(Field::RankBy, Some(self.value(value).unwrap_or(0.0)));
        }
        Ok(ItemValue::Record(record.0))
    }

    /// The number of a value field by its name.
    fn value(&self, name: &str) -> Option<f64> {
        let values = self.pivot.fields.iter().filter(|field| field.orientation == "data");
        let mut values = values.filter(|field| !field.is_data_layout);
        values.position(|field| field.name == name).map(|position| position as f64)
    }

    fn value_field(&self, field: &FoundField) -> Result<ItemValue, &'static str> {
        let function = FUNCTIONS.iter().find(|(_, _, name)| *name == field.function);
        let (_, function, _) = function.ok_or("it has a function that is not supported")?;
        let mut record = FieldTexts::default();
        record.put(Field::Column, self.column(&field.name)?);
        record.text(Field::Function, Some(*function));
        if let Some((kind, member)) = field.shown_as.as_ref().filter(|(kind, _)| kind != "none") {
            let is_known = !kind.starts_with("member") || member == "previous";
            let reference = REFERENCES.iter().find(|(_, _, name)| name == kind).filter(|_| is_known);
            let (_, name, _) = reference.ok_or("it shows values in a way that is not supported")?;
            record.text(Field::ShownAs, Some(*name));
        }
        Ok(ItemValue::Record(record.0))
    }

    /// A filter that shows the values of a column except the hidden ones.
    fn filter(&self, field: &FoundField) -> Result<ItemValue, &'static str> {
        if field.group.is_some() {
            return Err("it hides groups");
        }
        let mut record = FieldTexts::default();
        let reference = self.column(&field.name)?;
        let row = self.source.first().row.get();
        let columns = self.source.first().column.get()..=self.source.last().column.get();
        let header = |column: &u32| matches!(self.sheet.value(row, *column), Some(Value::Text(text)) if *text == *field.name);
        let column = columns.into_iter().find(header).ok_or("it refers to an unknown field")?;
        let hidden: BTreeSet<&str> = field.hidden.iter().map(String::as_str).collect();
        let mut shown: BTreeSet<String> = BTreeSet::new();
        let mut shows_blanks = false;
        let filled = self.sheet.rows_filled(column);
        let last = self.source.last().row.get();
        shows_blanks |= last >= filled;
        for row in row + 1..filled.min(last + 1) {
            let text = match self.sheet.value(row, column) {
                None | Some(Value::Blank) => {
                    shows_blanks = true;
                    continue;
                }
                Some(Value::Text(text)) => text.to_string(),
                Some(_) => return Err("it hides numbers or dates"),
            };
            if !hidden.contains(text.as_str()) && shown.insert(text) && shown.len() > MEMBERS_MAX {
                return Err("it has too many values");
            }
        }
        record.put(Field::Column, reference);
        record.put(Field::Shown, ItemValue::List(shown.into_iter().map(ItemValue::Text).collect()));
        record.put(Field::ShowBlanks, ItemValue::Boolean(shows_blanks));
        Ok(ItemValue::Record(record.0))
    }
}
