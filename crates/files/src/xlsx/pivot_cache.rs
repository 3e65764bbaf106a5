//! Reads the definition of a cache of a pivot table: its source and its fields with their values and
//! groups.

use quadrille_cell::Range;
use quadrille_operation::ItemValue;
use quadrille_workbook::{Field, ItemKind};

use super::archive::Part;
use super::xml::{Element, Node};
use crate::contents::{Contents, FieldTexts, ItemContents};
use crate::error::FileError;
use crate::limits::COLUMNS_MAX;

/// Values of one field that are read; the schema of items has the same limit.
const ITEMS_MAX: usize = 10_000;
/// Groups of one's own of one field; the schema of items has the same limit.
const OWN_GROUPS_MAX: usize = 1_000;
/// Fields that group one another, at most.
const GROUPS_DEPTH_MAX: usize = 8;
const UNSUPPORTED: &str = "it has groups that are not supported";

/// The definition of a cache.
#[derive(Default)]
pub(super) struct Cache {
    /// Sheet and range of the source, or a name.
    sheet: Option<String>,
    range: Option<Range>,
    name: Option<String>,
    is_external: bool,
    pub fields: Vec<CacheField>,
}

#[derive(Default)]
pub(super) struct CacheField {
    pub name: String,
    /// The formula of a calculated field.
    pub formula: Option<String>,
    /// Whether numbers are displayed in the format General.
    is_general: bool,
    pub items: Vec<CacheItem>,
    /// For each value of the base field the number of its group.
    group_of_item: Vec<usize>,
    /// The labels of the groups; `None` for dates.
    group_labels: Vec<Option<String>>,
    /// The field whose column is grouped.
    base: Option<usize>,
    pub grouping: Option<Grouping>,
}

/// A value of a field.
pub(super) struct CacheItem {
    /// As cells display it in English; `None` if that is unknown.
    pub displayed: Option<String>,
    /// As groups of one's own have it; `None` for dates.
    value: Option<String>,
}

pub(super) enum Grouping {
    /// By the name of a grouping in items.
    Dates(&'static str),
    Step {
        start: f64,
        step: f64,
    },
    /// Groups of one's own.
    Own,
    Unknown,
}

impl Cache {
    /// Reads the part of a cache.
    pub fn read(mut part: Part) -> Result<Cache, FileError> {
        let mut cache = Cache::default();
        // The list whose values are read.
        let mut list = "";
        loop {
            match part.next()? {
                Node::Start(element) => match element.name() {
                    "cacheSource" => {
                        cache.is_external = element.attribute("type").is_some_and(|kind| kind != "worksheet");
                    }
                    "worksheetSource" => {
                        cache.sheet = element.attribute("sheet");
                        cache.name = element.attribute("name");
                        let range = element.attribute("ref");
                        cache.range = range.and_then(|range| Range::parse_a1(&range).ok());
                        cache.is_external |= element.attribute("r:id").is_some();
                    }
                    "cacheField" if cache.fields.len() < COLUMNS_MAX as usize => {
                        cache.fields.push(CacheField {
                            name: element.attribute("name").unwrap_or_default(),
                            formula: element.attribute("formula"),
                            is_general: element.number("numFmtId").unwrap_or(0) == 0,
                            ..CacheField::default()
                        });
                    }
                    "sharedItems" => list = "sharedItems",
                    "groupItems" => list = "groupItems",
                    _ => {
                        if let Some(field) = cache.fields.last_mut() {
                            field.read(&element, list);
                        }
                    }
                },
                node if node.ends("sharedItems") || node.ends("groupItems") => list = "",
                Node::EndOfPart => return Ok(cache),
                _ => {}
            }
        }
    }

    /// The sheet's name and the range of the source.
    pub fn source(&self, contents: &Contents) -> Result<(String, Range), &'static str> {
        if self.is_external {
            return Err("its data is not in this file");
        }
        if let (Some(sheet), Some(range)) = (&self.sheet, self.range) {
            return Ok((sheet.clone(), range));
        }
        let name = self.name.as_deref().ok_or("its data is not in this file")?;
        let is_table = |item: &&ItemContents| {
            item.kind == ItemKind::Table
                && matches!(item.fields.0.get(Field::Name.name()), Some(ItemValue::Text(own)) if own.eq_ignore_ascii_case(name))
        };
        for sheet in &contents.sheets {
            if let Some(range) = sheet.items.iter().find(is_table).and_then(|item| item.anchors.first()) {
                return Ok((sheet.name.clone(), *range));
            }
        }
        let defined = contents.names.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        let area = defined.and_then(|(_, definition)| definition.rsplit_once('!'));
        let (sheet, range) = area.ok_or("its data has an unknown name")?;
        let range = Range::parse_a1(&range.replace('$', "")).map_err(|_| "its data has an unknown name")?;
        let sheet = sheet.trim_start_matches('=').trim_matches('\'').replace("''", "'");
        Ok((sheet, range))
    }

    /// A field by its number.
    pub fn field(&self, field: usize) -> Result<&CacheField, &'static str> {
        self.fields.get(field).ok_or("it refers to an unknown field")
    }

    /// The field of the column whose values a field groups; itself if it groups nothing.
    pub fn base_field(&self, field: usize) -> Result<usize, &'static str> {
        let mut base = field;
        for _ in 0..GROUPS_DEPTH_MAX {
            let cached = self.field(base)?;
            match cached.base.filter(|next| cached.grouping.is_some() && *next != base) {
                Some(next) => base = next,
                None => return Ok(base),
            }
        }
        Err(UNSUPPORTED)
    }

    /// The labels of a field with groups of one's own, with the numbers of the values of the source's
    /// column in each.
    pub fn own_groups(&self, field: usize) -> Result<Vec<OwnGroup<'_>>, &'static str> {
        // A chain of fields without an end has no base field.
        self.base_field(field)?;
        let cached = self.field(field)?;
        let base = cached.base.filter(|base| *base != field).ok_or(UNSUPPORTED)?;
        let below = self.field(base)?;
        // Groups of groups contain the values of those groups.
        let parts: Vec<OwnGroup> = match below.grouping {
            Some(Grouping::Own) => self.own_groups(base)?,
            Some(_) => return Err(UNSUPPORTED),
            None => {
                let values = below.items.iter().enumerate();
                values
                    .map(|(item, value)| OwnGroup { label: value.value.as_deref(), items: vec![item] })
                    .collect()
            }
        };
        let labels = cached.group_labels.iter();
        let mut groups: Vec<OwnGroup> =
            labels.map(|label| OwnGroup { label: label.as_deref(), items: Vec::new() }).collect();
        for (part, group) in parts.into_iter().zip(&cached.group_of_item) {
            groups.get_mut(*group).ok_or(UNSUPPORTED)?.items.extend(part.items);
        }
        Ok(groups)
    }

    /// The groups of a field as items have them, without values that stand for themselves.
    pub fn own_group_records(&self, field: usize) -> Result<Vec<ItemValue>, &'static str> {
        let values = &self.field(self.base_field(field)?)?.items;
        let mut records = Vec::new();
        for group in self.own_groups(field)? {
            let texts: Option<Vec<&str>> =
                group.items.iter().map(|item| values.get(*item)?.value.as_deref()).collect();
            let stands_for_itself = match texts.as_deref() {
                None => group.items.len() == 1,
                Some(texts) => texts.is_empty() || texts.len() == 1 && group.label == Some(texts[0]),
            };
            if stands_for_itself {
                continue;
            }
            let (Some(name), Some(texts)) = (group.label, texts) else {
                return Err(UNSUPPORTED);
            };
            let texts = texts.into_iter().map(|text| ItemValue::Text(text.to_owned()));
            let mut record = FieldTexts::default();
            record.text(Field::Name, Some(name));
            record.put(Field::Values, ItemValue::List(texts.collect()));
            records.push(ItemValue::Record(record.0));
        }
        if records.len() > OWN_GROUPS_MAX {
            return Err("it has too many groups");
        }
        Ok(records)
    }
}

/// A label of a field with groups of one's own.
pub(super) struct OwnGroup<'a> {
    label: Option<&'a str>,
    /// Numbers of values.
    pub items: Vec<usize>,
}

impl CacheField {
    /// Reads a value of a list, or what the field is grouped by.
    fn read(&mut self, element: &Element, list: &str) {
        let value = || element.attribute("v").unwrap_or_default();
        let text = match element.name() {
            "s" | "e" | "n" => Some(value()),
            "b" => Some(if value() == "1" { "TRUE" } else { "FALSE" }.to_owned()),
            "m" => Some(String::new()),
            "d" => None,
            _ => return self.read_group(element),
        };
        let is_number = element.name() == "n";
        let in_full_digits = |text: String| match text.parse::<f64>() {
            Ok(number) if is_number => number.to_string(),
            _ => text,
        };
        match list {
            "sharedItems" if self.items.len() < ITEMS_MAX => {
                let displayed = text.clone().filter(|_| self.is_general || !is_number);
                self.items.push(CacheItem { displayed, value: text.map(in_full_digits) });
            }
            "groupItems" if self.group_labels.len() < ITEMS_MAX => {
                self.group_labels.push(text.map(in_full_digits));
            }
            _ => {}
        }
    }

    fn read_group(&mut self, element: &Element) {
        match element.name() {
            "fieldGroup" => self.base = element.number("base"),
            "discretePr" => self.grouping = Some(Grouping::Own),
            "x" if self.group_of_item.len() < ITEMS_MAX => {
                self.group_of_item.extend(element.number::<usize>("v"));
            }
            "rangePr" => {
                self.grouping = Some(match element.attribute("groupBy").as_deref() {
                    Some("years") => Grouping::Dates("year"),
                    Some("quarters") => Grouping::Dates("quarter"),
                    Some("months") => Grouping::Dates("month"),
                    Some("hours") => Grouping::Dates("hour"),
                    None | Some("range") => Grouping::Step {
                        start: element.number("startNum").unwrap_or(0.0),
                        step: element.number("groupInterval").unwrap_or(1.0),
                    },
                    Some(_) => Grouping::Unknown,
                });
            }
            _ => {}
        }
    }
}
