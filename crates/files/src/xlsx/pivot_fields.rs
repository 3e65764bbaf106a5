//! The fields of a pivot table in a file: one for each column of the source, and one for each further
//! grouping of a column.

use std::fmt::Write as _;

use quadrille_cell::{CellAddress, DateSystem, Value};
use quadrille_number_format::NumberFormat;
use quadrille_number_format::date::civil_from_serial;
use quadrille_pivot::{Definition, FilterField, GroupField, Grouping, Layout};
use quadrille_workbook::{Sheet, Workbook};
use quick_xml::escape::escape;

use crate::pivot_source::{ITEMS_MAX, data_cells, different_values};

/// A field of the cache and of the table.
pub(super) struct CacheField {
    pub name: String,
    /// The different values, ascending; only of fields that need them.
    items: Vec<Value>,
    is_date: bool,
    dates: DateSystem,
    group: Option<FieldGroup>,
    place: Place,
    /// The filter that hides items.
    filter: Option<FilterField>,
    is_value: bool,
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
/// groupings that only Quadrille has, calculated fields, filters by condition, or a column twice on an axis.
pub(super) fn cache_fields(workbook: &Workbook, definition: &Definition) -> Option<Vec<CacheField>> {
    if definition.has_calculations() {
        return None;
    }
    let sheet = workbook.sheet(definition.sheet)?;
    let width = definition.source.column_count() as usize;
    let mut fields: Vec<CacheField> = Vec::with_capacity(width);
    for column in 0..width as u32 {
        let header = cell(definition, 0, column);
        let Value::Text(header) = sheet.value(header) else { return None };
        let mut name = header.to_string();
        while fields.iter().any(|field| field.name.eq_ignore_ascii_case(&name)) {
            name.push('2');
        }
        let code = sheet.format(cell(definition, 1, column)).number_format.clone();
        fields.push(CacheField {
            name,
            items: Vec::new(),
            is_date: code.is_some_and(|code| NumberFormat::parse(&code).is_date()),
            dates: definition.dates,
            group: None,
            place: Place::None,
            filter: None,
            is_value: definition.values.iter().any(|value| value.column == column),
        });
    }
    for column in 0..width {
        put_axes(sheet, definition, column, &mut fields)?;
    }
    for filter in &definition.filters {
        let field = &mut fields[filter.column as usize];
        if filter.condition.is_some() || field.group.is_some() || field.filter.is_some() {
            return None;
        }
        if matches!(field.place, Place::None) {
            field.place = Place::Page;
            field.items = different_values(sheet, definition, filter.column)?;
        }
        field.filter = Some(filter.clone());
    }
    Some(fields)
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
    let mut groupings = on(&definition.rows, false);
    groupings.extend(on(&definition.columns, true));
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
            fields.push(CacheField {
                name: format!("{} ({own})", fields[column].name),
                items: Vec::new(),
                is_date: true,
                dates: definition.dates,
                group: Some(group),
                place,
                filter: None,
                is_value: false,
            });
        }
    }
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
        let is_added = self.group.as_ref().is_some_and(|group| !group.is_base);
        if is_added {
            *text += r#" databaseField="0">"#;
        } else {
            *text += ">";
            self.write_items(text);
        }
        if let Some(group) = &self.group {
            group.write(self.dates, text);
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
            let _ = match item {
                Value::Number(number) if is_date => write!(text, r#"<d v="{}"/>"#, date(*number, self.dates)),
                Value::Number(number) => write!(text, r#"<n v="{number}"/>"#),
                Value::Text(item) => write!(text, r#"<s v="{}"/>"#, escape(&**item)),
                Value::Boolean(boolean) => write!(text, r#"<b v="{}"/>"#, u8::from(*boolean)),
                Value::Error(error) => write!(text, r#"<e v="{}"/>"#, error.text()),
                Value::Blank => write!(text, "<m/>"),
            };
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
        let has_subtotals = own.is_none_or(|field| field.has_subtotals);
        if !has_subtotals {
            *text += r#" defaultSubtotal="0""#;
        }
        if matches!(self.place, Place::None) {
            *text += "/>";
            return;
        }
        let shown: Vec<bool> = match &self.group {
            Some(group) => vec![true; group.texts(self.dates).len()],
            None => self.items.iter().map(|item| self.shows(item)).collect(),
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

/// The start of the interval that contains the smallest number.
fn first_step(start: f64, step: f64, smallest: f64) -> f64 {
    start + ((smallest - start) / step).floor() * step
}

fn civil(number: f64, dates: DateSystem) -> Option<quadrille_number_format::date::Civil> {
    civil_from_serial(number.floor() as i64 + dates.offset_from_1900())
}

/// A date as XML Schema writes it.
fn date(number: f64, dates: DateSystem) -> String {
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
