//! The fields of a pivot table in a file: one for each column of the source, and one for each further
//! grouping of a column.

use std::fmt::Write as _;

use quadrille_cell::{CellAddress, DateSystem, Value};
use quadrille_number_format::NumberFormat;
use quadrille_number_format::date::civil_from_serial;
use quadrille_pivot::{Definition, FilterField, GroupField, Grouping, Layout, ValueField};
use quadrille_workbook::{Sheet, Workbook};
use quick_xml::escape::escape;

use super::calculated_fields::formula_of_file;
use super::date_periods::Period;
use crate::pivot_source::{ITEMS_MAX, data_cells, different_values, own_labels};

/// A field of the cache and of the table.
pub(super) struct CacheField {
    pub name: String,
    /// The different values, ascending; only of fields that need them.
    items: Vec<Value>,
    is_date: bool,
    dates: DateSystem,
    group: Option<FieldGroup>,
    /// Groups of one's own of another field's values.
    own_groups: Option<OwnFieldGroup>,
    /// The field with groups of one's own of this field's values.
    parent: Option<usize>,
    /// The formula of a calculated field.
    formula: Option<String>,
    place: Place,
    /// The filter that hides items.
    filter: Option<FilterField>,
    /// The period of dates that the filter shows.
    pub period: Option<Period>,
    /// Whether slicers of values, and timelines, can be connected with the field.
    has_slicer: bool,
    has_timeline: bool,
    is_value: bool,
}

/// A column of the source of a pivot table that has a slicer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct SlicedColumn {
    /// Counted from the first column of the source.
    pub column: u32,
    pub is_timeline: bool,
}

/// Groups of dates or numbers.
struct FieldGroup {
    grouping: Grouping,
    /// The field of the source's column.
    base: usize,
    /// The field with the next larger groups of the same column.
    parent: Option<usize>,
    is_base: bool,
    /// The smallest and the largest value.
    limits: (f64, f64),
}

/// Groups of one's own.
struct OwnFieldGroup {
    /// The field of the source's column.
    base: usize,
    /// The labels in the order in which they are shown.
    labels: Vec<Value>,
    /// For each item of the base field the position of its label.
    of_item: Vec<usize>,
}

enum Place {
    None,
    /// On the axis of the rows or columns, at a position.
    Axis {
        is_column: bool,
        position: usize,
    },
    Page,
}

/// The fields of a definition; `None` if the format cannot express them: a column without header,
/// groupings that only Quadrille has, several fields with groups of one's own of a column, filters by
/// condition except periods of dates, or a column twice on an axis. Other programs show the period of
/// a column that is on no axis only in a timeline.
pub(super) fn cache_fields(
    workbook: &Workbook,
    definition: &Definition,
    sliced: &[SlicedColumn],
) -> Option<Vec<CacheField>> {
    let sheet = workbook.sheet(definition.sheet)?;
    let width = definition.source.column_count() as usize;
    let mut fields: Vec<CacheField> = Vec::with_capacity(width);
    for column in 0..width as u32 {
        let header = cell(definition, 0, column);
        let Value::Text(header) = sheet.value(header) else { return None };
        let name = unused_name(&fields, &header);
        let code = sheet.format(cell(definition, 1, column)).number_format.clone();
        let is_value = |value: &ValueField| value.column == column && value.calculation.is_none();
        fields.push(CacheField {
            is_date: code.is_some_and(|code| NumberFormat::parse(&code).is_date()),
            is_value: definition.values.iter().any(is_value),
            ..CacheField::new(name, definition)
        });
    }
    for column in 0..width {
        put_axes(sheet, definition, column, &mut fields)?;
    }
    for filter in &definition.filters {
        let field = &mut fields[filter.column as usize];
        if field.group.is_some() || field.filter.is_some() || field.period.is_some() {
            return None;
        }
        if filter.condition.is_some() {
            let timeline = SlicedColumn { column: filter.column, is_timeline: true };
            if matches!(field.place, Place::None) && sliced.contains(&timeline) {
                field.items = different_values(sheet, definition, filter.column)?;
            }
            field.period = Some(Period::of(filter).filter(|_| field.has_only_dates())?);
            continue;
        }
        if matches!(field.place, Place::None) {
            field.place = Place::Page;
            field.items = different_values(sheet, definition, filter.column)?;
        }
        field.filter = Some(filter.clone());
    }
    for one in sliced {
        fields[one.column as usize].put_slicer(sheet, definition, *one);
    }
    for value in &definition.values {
        let Some(calculation) = &value.calculation else { continue };
        let name = |column: u32| fields[column as usize].name.clone();
        let formula = formula_of_file(calculation, workbook, definition.sheet, &name)?;
        let field = CacheField::new(unused_name(&fields, &value.name), definition);
        fields.push(CacheField { formula: Some(formula), is_value: true, ..field });
    }
    Some(fields)
}

/// A name that no field has.
fn unused_name(fields: &[CacheField], wanted: &str) -> String {
    let mut name = wanted.to_owned();
    while fields.iter().any(|field| field.name.to_lowercase() == name.to_lowercase()) {
        name.push('2');
    }
    name
}

/// Places the groupings of one column on their axes.
fn put_axes(
    sheet: &Sheet,
    definition: &Definition,
    column: usize,
    fields: &mut Vec<CacheField>,
) -> Option<()> {
    let on = |axis: &[GroupField], is_column: bool| -> Vec<(Grouping, Place)> {
        let fields = axis.iter().enumerate().filter(|(_, field)| field.column as usize == column);
        fields.map(|(position, field)| (field.grouping, Place::Axis { is_column, position })).collect()
    };
    let is_own = |field: &GroupField| field.groups.is_some() && field.column as usize == column;
    let mut groupings = on(&definition.rows, false);
    groupings.extend(on(&definition.columns, true));
    if let Some(grouped) = definition.group_fields().find(|field| is_own(field)) {
        return put_own_groups(sheet, definition, grouped, groupings, fields);
    }
    if groupings.is_empty() {
        return Some(());
    }
    if let [(Grouping::Values, _)] = groupings[..] {
        fields[column].items = different_values(sheet, definition, column as u32)?;
        fields[column].place = groupings.pop()?.1;
        return Some(());
    }
    let is_step = |grouping: &Grouping| matches!(grouping, Grouping::Step { .. });
    let is_known = |(grouping, _): &(Grouping, Place)| grouping_name(*grouping).is_some();
    if !(groupings.iter().all(is_known) || groupings.len() == 1 && is_step(&groupings[0].0)) {
        return None;
    }
    // The column's own field has the smallest groups.
    let rank = |grouping: &Grouping| match grouping {
        Grouping::Year => 3,
        Grouping::Quarter => 2,
        Grouping::Month => 1,
        _ => 0,
    };
    groupings.sort_by_key(|(grouping, _)| rank(grouping));
    if groupings.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    let limits = limits(sheet, definition, column as u32)?;
    let (first_added, count) = (fields.len(), groupings.len());
    for (index, (grouping, place)) in groupings.into_iter().enumerate() {
        let parent = (index + 1 < count).then_some(first_added + index);
        let group = FieldGroup { grouping, base: column, parent, is_base: index == 0, limits };
        if index == 0 {
            (fields[column].place, fields[column].group) = (place, Some(group));
        } else {
            let own = grouping_name(grouping).unwrap_or_default();
            let name = format!("{} ({own})", fields[column].name);
            let field = CacheField::new(name, definition);
            fields.push(CacheField { is_date: true, group: Some(group), place, ..field });
        }
    }
    Some(())
}

/// Places a field with groups of one's own, and the field of the same column without them if there is
/// one.
fn put_own_groups(
    sheet: &Sheet,
    definition: &Definition,
    grouped: &GroupField,
    groupings: Vec<(Grouping, Place)>,
    fields: &mut Vec<CacheField>,
) -> Option<()> {
    let column = grouped.column as usize;
    let of_column = |axis: &[GroupField]| -> Vec<bool> {
        axis.iter()
            .filter(|field| field.column == grouped.column)
            .map(|field| field.groups.is_some())
            .collect()
    };
    let has_groups = [of_column(&definition.rows), of_column(&definition.columns)].concat();
    let is_plain = groupings.iter().all(|(grouping, _)| *grouping == Grouping::Values);
    let is_date = fields[column].is_date;
    if !is_plain
        || is_date
        || groupings.len() > 2
        || has_groups.iter().filter(|has_groups| **has_groups).count() > 1
    {
        return None;
    }
    let values = different_values(sheet, definition, grouped.column)?;
    let (labels, of_item) = own_labels(grouped.groups.as_ref()?, &values);
    let number = fields.len();
    let mut added = CacheField::new(unused_name(fields, &grouped.name), definition);
    added.own_groups = Some(OwnFieldGroup { base: column, labels, of_item });
    for ((_, place), has_groups) in groupings.into_iter().zip(has_groups) {
        let field = if has_groups { &mut added } else { &mut fields[column] };
        field.place = place;
    }
    (fields[column].items, fields[column].parent) = (values, Some(number));
    fields.push(added);
    Some(())
}

fn cell(definition: &Definition, row: u32, column: u32) -> CellAddress {
    let first = definition.source.first();
    CellAddress::clamped(first.row.get() + row, first.column.get() + column)
}

/// The smallest and the largest number of a column; `None` without numbers.
fn limits(sheet: &Sheet, definition: &Definition, column: u32) -> Option<(f64, f64)> {
    let numbers = data_cells(sheet, definition, column).filter_map(|value| match value {
        Value::Number(number) => Some(number),
        _ => None,
    });
    numbers.fold(None, |limits, number| match limits {
        None => Some((number, number)),
        Some((smallest, largest)) => Some((number.min(smallest), number.max(largest))),
    })
}

impl CacheField {
    fn new(name: String, definition: &Definition) -> CacheField {
        CacheField {
            name,
            items: Vec::new(),
            is_date: false,
            dates: definition.dates,
            group: None,
            own_groups: None,
            parent: None,
            formula: None,
            place: Place::None,
            filter: None,
            period: None,
            has_slicer: false,
            has_timeline: false,
            is_value: false,
        }
    }

    /// Lists the values of the column for a slicer. Groups, columns without values or with too many,
    /// and for timelines columns with more than dates, can have none.
    fn put_slicer(&mut self, sheet: &Sheet, definition: &Definition, sliced: SlicedColumn) {
        if self.group.is_some() {
            return;
        }
        let is_listed = !self.items.is_empty();
        if !is_listed {
            self.items = different_values(sheet, definition, sliced.column).unwrap_or_default();
        }
        match sliced.is_timeline {
            true => self.has_timeline |= self.has_only_dates(),
            false => self.has_slicer |= !self.items.is_empty(),
        }
        if !is_listed && !self.is_sliced() {
            self.items.clear();
        }
    }

    /// Whether a slicer or a timeline can be connected with the field.
    pub fn is_sliced(&self) -> bool {
        self.has_slicer || self.has_timeline
    }

    /// Whether a slicer, or a timeline, can be connected with the field.
    pub fn can_have(&self, is_timeline: bool) -> bool {
        if is_timeline { self.has_timeline } else { self.has_slicer }
    }

    /// Whether all listed values are dates, or missing.
    fn has_only_dates(&self) -> bool {
        let is_date = |item: &Value| matches!(item, Value::Number(_) | Value::Blank);
        let has_year = |number: f64| civil(number, self.dates).is_some();
        let limits = self.date_limits().filter(|(first, last)| has_year(*first) && has_year(*last));
        self.is_date && self.items.iter().all(is_date) && limits.is_some()
    }

    /// The first and the last of the listed dates.
    pub fn date_limits(&self) -> Option<(f64, f64)> {
        let numbers = self.items.iter().filter_map(|item| match item {
            Value::Number(number) => Some(*number),
            _ => None,
        });
        let mut numbers = numbers.peekable();
        Some((*numbers.peek()?, numbers.last()?))
    }

    /// For each listed value whether the filter of the field shows it.
    pub fn shown_items(&self) -> Vec<bool> {
        self.items.iter().map(|item| self.shows(item)).collect()
    }

    /// Whether the field of the cache is a column of the source as it is, so that pivot tables can
    /// share it.
    pub fn is_plain(&self) -> bool {
        self.group.is_none() && self.own_groups.is_none() && self.parent.is_none() && self.formula.is_none()
    }

    /// Whether the values of the column are listed.
    pub fn has_items(&self) -> bool {
        !self.items.is_empty()
    }

    /// Leaves a field that only filters to its slicer, instead of showing it above the table.
    pub fn leave_to_slicer(&mut self) {
        if self.is_page() && self.has_slicer {
            self.place = Place::None;
        }
    }

    /// Whether the field is a calculated one.
    pub fn is_calculated(&self) -> bool {
        self.formula.is_some()
    }

    /// Whether the field is the one at a position of an axis.
    pub fn is_on_axis(&self, on_columns: bool, at: usize) -> bool {
        matches!(self.place, Place::Axis { is_column, position } if is_column == on_columns && position == at)
    }

    /// Whether the field only filters.
    pub fn is_page(&self) -> bool {
        matches!(self.place, Place::Page)
    }

    /// Writes the field of the cache.
    pub fn write(&self, text: &mut String) {
        let format = if self.is_date { 14 } else { 0 };
        let _ = write!(text, r#"<cacheField name="{}" numFmtId="{format}""#, escape(&*self.name));
        if let Some(formula) = &self.formula {
            let _ = write!(text, r#" formula="{}" databaseField="0"/>"#, escape(&**formula));
            return;
        }
        let is_added = self.group.as_ref().is_some_and(|group| !group.is_base);
        if is_added || self.own_groups.is_some() {
            *text += r#" databaseField="0">"#;
        } else {
            *text += ">";
            self.write_items(text);
        }
        if let Some(group) = &self.group {
            group.write(self.dates, text);
        }
        if let Some(groups) = &self.own_groups {
            groups.write(text);
        }
        if let Some(parent) = self.parent {
            let _ = write!(text, r#"<fieldGroup par="{parent}"/>"#);
        }
        *text += "</cacheField>";
    }

    fn write_items(&self, text: &mut String) {
        if let Some(FieldGroup { limits: (smallest, largest), grouping, .. }) = &self.group {
            let _ = match grouping {
                Grouping::Step { .. } => write!(
                    text,
                    r#"<sharedItems containsString="0" containsNumber="1" minValue="{smallest}" maxValue="{largest}"/>"#
                ),
                _ => write!(
                    text,
                    r#"<sharedItems containsSemiMixedTypes="0" containsNonDate="0" containsDate="1" containsString="0" minDate="{}" maxDate="{}"/>"#,
                    date(*smallest, self.dates),
                    date(*largest, self.dates)
                ),
            };
            return;
        }
        if self.items.is_empty() {
            *text += "<sharedItems/>";
            return;
        }
        let numbers = self.items.iter().filter_map(|item| match item {
            Value::Number(number) => Some(*number),
            _ => None,
        });
        let numbers: Vec<f64> = numbers.collect();
        let has_blank = self.items.iter().any(Value::is_blank);
        let has_other = self.items.len() > numbers.len() + usize::from(has_blank);
        let is_date = self.is_date && !has_other;
        *text += "<sharedItems";
        if let (Some(smallest), Some(largest)) = (numbers.first(), numbers.last()) {
            if !has_other && !has_blank {
                *text += r#" containsSemiMixedTypes="0""#;
            }
            *text += if has_other { r#" containsMixedTypes="1""# } else { r#" containsString="0""# };
            let _ = match is_date {
                true => write!(
                    text,
                    r#" containsNonDate="0" containsDate="1" minDate="{}" maxDate="{}""#,
                    date(*smallest, self.dates),
                    date(*largest, self.dates)
                ),
                false => write!(text, r#" containsNumber="1" minValue="{smallest}" maxValue="{largest}""#),
            };
        }
        if has_blank {
            *text += r#" containsBlank="1""#;
        }
        let _ = write!(text, r#" count="{}">"#, self.items.len());
        for item in &self.items {
            match item {
                Value::Number(number) if is_date => {
                    let _ = write!(text, r#"<d v="{}"/>"#, date(*number, self.dates));
                }
                item => write_item(item, text),
            }
        }
        *text += "</sharedItems>";
    }

    /// Writes the field of the table.
    pub fn write_pivot_field(&self, definition: &Definition, text: &mut String) {
        let own = match &self.place {
            Place::Axis { is_column: false, position } => definition.rows.get(*position),
            Place::Axis { is_column: true, position } => definition.columns.get(*position),
            Place::None | Place::Page => None,
        };
        *text += "<pivotField";
        if let Some(caption) = own.map(|field| &*field.name).filter(|name| *name != self.name) {
            let _ = write!(text, r#" name="{}""#, escape(caption));
        }
        *text += match &self.place {
            Place::Axis { is_column: false, .. } => r#" axis="axisRow""#,
            Place::Axis { is_column: true, .. } => r#" axis="axisCol""#,
            Place::Page => r#" axis="axisPage" multipleItemSelectionAllowed="1""#,
            Place::None => "",
        };
        if self.is_value {
            *text += r#" dataField="1""#;
        }
        *text += match definition.layout {
            Layout::Tabular => r#" compact="0" outline="0" subtotalTop="0" showAll="0""#,
            Layout::Outline => r#" compact="0" showAll="0""#,
            Layout::Compact => r#" showAll="0""#,
        };
        if let Some(field) = own {
            *text +=
                if field.is_descending { r#" sortType="descending""# } else { r#" sortType="ascending""# };
            if let Some(top) = field.top {
                let _ = write!(
                    text,
                    r#" autoShow="1" topAutoShow="{}" itemPageCount="{}" rankBy="{}""#,
                    u8::from(!top.is_smallest),
                    top.count,
                    top.value
                );
            }
        }
        if self.is_calculated() {
            *text += r#" dragToRow="0" dragToCol="0" dragToPage="0""#;
        }
        let has_subtotals = own.is_none_or(|field| field.has_subtotals);
        if !has_subtotals {
            *text += r#" defaultSubtotal="0""#;
        }
        if matches!(self.place, Place::None) && !self.is_sliced() {
            *text += "/>";
            return;
        }
        let shown: Vec<bool> = match (&self.group, &self.own_groups) {
            (Some(group), _) => vec![true; group.texts(self.dates).len()],
            (None, Some(groups)) => vec![true; groups.labels.len()],
            (None, None) => self.items.iter().map(|item| self.shows(item)).collect(),
        };
        let _ = write!(text, r#"><items count="{}">"#, shown.len() + usize::from(has_subtotals));
        for (item, is_shown) in shown.into_iter().enumerate() {
            let _ = match is_shown {
                true => write!(text, r#"<item x="{item}"/>"#),
                false => write!(text, r#"<item h="1" x="{item}"/>"#),
            };
        }
        *text += if has_subtotals { r#"<item t="default"/></items>"# } else { "</items>" };
        if let Some(value) = own.and_then(|field| field.sorted_by) {
            let _ = write!(
                text,
                r#"<autoSortScope><pivotArea dataOnly="0" outline="0" fieldPosition="0"><references count="1"><reference field="4294967294" count="1" selected="0"><x v="{value}"/></reference></references></pivotArea></autoSortScope>"#
            );
        }
        *text += "</pivotField>";
    }

    fn shows(&self, item: &Value) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.shows(item))
    }
}

impl FieldGroup {
    fn write(&self, dates: DateSystem, text: &mut String) {
        *text += "<fieldGroup";
        if let Some(parent) = self.parent {
            let _ = write!(text, r#" par="{parent}""#);
        }
        let _ = write!(text, r#" base="{}">"#, self.base);
        let (smallest, largest) = self.limits;
        let _ = match self.grouping {
            Grouping::Step { start, step } => write!(
                text,
                r#"<rangePr autoStart="0" startNum="{}" endNum="{largest}" groupInterval="{step}"/>"#,
                first_step(start, step, smallest)
            ),
            grouping => write!(
                text,
                r#"<rangePr groupBy="{}" startDate="{}" endDate="{}"/>"#,
                grouping_name(grouping).unwrap_or_default(),
                date(smallest, dates),
                date(largest.floor() + 1.0, dates)
            ),
        };
        let texts = self.texts(dates);
        let _ = write!(text, r#"<groupItems count="{}">"#, texts.len());
        for item in texts {
            let _ = write!(text, r#"<s v="{}"/>"#, escape(&item));
        }
        *text += "</groupItems></fieldGroup>";
    }

    /// The labels of the groups in English, with one group below the first and one above the last.
    fn texts(&self, dates: DateSystem) -> Vec<String> {
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let (smallest, largest) = self.limits;
        let year = |number: f64| civil(number, dates).map_or(1900, |civil| civil.year);
        let groups: Vec<String> = match self.grouping {
            Grouping::Step { start, step } => {
                let first = first_step(start, step, smallest);
                let count = (((largest - first) / step).floor() as usize + 1).min(ITEMS_MAX);
                let starts = (0..count).map(|index| first + index as f64 * step);
                starts.map(|start| format!("{start}-{}", start + step)).collect()
            }
            Grouping::Year => (year(smallest)..=year(largest)).map(|year| year.to_string()).collect(),
            Grouping::Quarter => (1..=4).map(|quarter| format!("Qtr{quarter}")).collect(),
            Grouping::Month => MONTHS.map(str::to_owned).to_vec(),
            _ => (0..24).map(|hour| format!("{hour}:00")).collect(),
        };
        let limit = |number: f64| match self.grouping {
            Grouping::Step { .. } => number.to_string(),
            _ => civil(number, dates)
                .map_or(String::new(), |civil| format!("{}/{}/{}", civil.month, civil.day, civil.year)),
        };
        let first = format!("<{}", limit(smallest));
        let last = format!(">{}", limit(largest));
        std::iter::once(first).chain(groups).chain([last]).collect()
    }
}

impl OwnFieldGroup {
    fn write(&self, text: &mut String) {
        let _ =
            write!(text, r#"<fieldGroup base="{}"><discretePr count="{}">"#, self.base, self.of_item.len());
        for position in &self.of_item {
            let _ = write!(text, r#"<x v="{position}"/>"#);
        }
        let _ = write!(text, r#"</discretePr><groupItems count="{}">"#, self.labels.len());
        for label in &self.labels {
            write_item(label, text);
        }
        *text += "</groupItems></fieldGroup>";
    }
}

fn write_item(item: &Value, text: &mut String) {
    let _ = match item {
        Value::Number(number) => write!(text, r#"<n v="{number}"/>"#),
        Value::Text(item) => write!(text, r#"<s v="{}"/>"#, escape(&**item)),
        Value::Boolean(boolean) => write!(text, r#"<b v="{}"/>"#, u8::from(*boolean)),
        Value::Error(error) => write!(text, r#"<e v="{}"/>"#, error.text()),
        Value::Blank => write!(text, "<m/>"),
    };
}

/// The start of the interval that contains the smallest number.
fn first_step(start: f64, step: f64, smallest: f64) -> f64 {
    start + ((smallest - start) / step).floor() * step
}

pub(super) fn civil(number: f64, dates: DateSystem) -> Option<quadrille_number_format::date::Civil> {
    civil_from_serial(number.floor() as i64 + dates.offset_from_1900())
}

/// A date as XML Schema writes it.
pub(super) fn date(number: f64, dates: DateSystem) -> String {
    let seconds = ((number - number.floor()) * 86_400.0).round() as u32;
    match civil(number, dates) {
        Some(civil) => format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
            civil.year,
            civil.month,
            civil.day,
            seconds / 3_600 % 24,
            seconds / 60 % 60,
            seconds % 60
        ),
        None => "1900-01-01T00:00:00".to_owned(),
    }
}

/// The name of a grouping of dates in the file; `None` for those that the format does not have.
fn grouping_name(grouping: Grouping) -> Option<&'static str> {
    match grouping {
        Grouping::Year => Some("years"),
        Grouping::Quarter => Some("quarters"),
        Grouping::Month => Some("months"),
        Grouping::Hour => Some("hours"),
        _ => None,
    }
}
