//! Items as JSON, for the client and the REST API.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_formula::{Host, SheetNames, parse, print};
use quadrille_workbook::{Field, FieldType, FieldValue, Fields, Item, ItemId, ItemKind};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::patch::ItemPatch;
use super::validate::{check_item, expected, type_of};
use crate::item::bad_item::BadItem;
use crate::rebase::name_host;
use crate::{print_color, read_color};

/// An item of a sheet or of the workbook.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ItemDetails {
    #[ts(type = "number")]
    pub id: u64,
    /// `merge`, `chart`, `note` …
    pub kind: String,
    /// Anchor ranges in A1 notation without a sheet name.
    pub anchors: Vec<String>,
    /// The fields that are set, by name.
    pub fields: BTreeMap<String, ItemValue>,
}

/// The value of a field. Colors are `#rrggbb`. Formulas are texts with `=`, relative to the first
/// cell of the first anchor.
#[derive(Clone, PartialEq, Debug, Serialize, TS)]
#[serde(untagged)]
#[ts(export)]
pub enum ItemValue {
    /// Clears the field.
    None(()),
    Boolean(bool),
    Number(f64),
    Text(String),
    List(Vec<ItemValue>),
    Record(BTreeMap<String, ItemValue>),
}

impl ItemDetails {
    /// Converts an item to its JSON form.
    pub fn new(sheet: Option<SheetId>, id: ItemId, item: &Item, sheets: &dyn SheetNames) -> ItemDetails {
        let host = host_of(sheet, &item.anchors);
        ItemDetails {
            id: id.0,
            kind: item.kind.name().to_owned(),
            anchors: item.anchors.iter().map(Range::to_string).collect(),
            fields: record_to_json(&item.fields, host, sheets),
        }
    }
}

impl ItemPatch {
    /// Returns the fields that the patch sets, as JSON; a cleared field is `null`.
    pub fn fields_json(
        &self,
        sheet: Option<SheetId>,
        sheets: &dyn SheetNames,
    ) -> BTreeMap<String, ItemValue> {
        // A patch without anchors has its formulas relative to their own cells.
        let anchors = self.anchors.as_deref().unwrap_or_default();
        let host = host_of(sheet, anchors);
        let json = |value: &Option<FieldValue>| match value {
            None => ItemValue::None(()),
            Some(value @ FieldValue::Formula { at, .. }) if anchors.is_empty() => {
                value_to_json(value, Host { cell: *at, ..host }, sheets)
            }
            Some(value) => value_to_json(value, host, sheets),
        };
        self.fields.iter().map(|(field, value)| (field.name().to_owned(), json(value))).collect()
    }
}

/// Returns the cell to which an item's formulas are relative.
pub(crate) fn host_of(sheet: Option<SheetId>, anchors: &[Range]) -> Host {
    let cell = anchors.first().map_or(CellAddress::default(), |anchor| anchor.first());
    Host { sheet: sheet.unwrap_or(name_host().sheet), cell }
}

fn record_to_json(
    fields: &BTreeMap<Field, FieldValue>,
    host: Host,
    sheets: &dyn SheetNames,
) -> BTreeMap<String, ItemValue> {
    let mut record = BTreeMap::new();
    for (field, value) in fields {
        record.insert(field.name().to_owned(), value_to_json(value, host, sheets));
    }
    record
}

fn value_to_json(value: &FieldValue, host: Host, sheets: &dyn SheetNames) -> ItemValue {
    match value {
        FieldValue::Boolean(boolean) => ItemValue::Boolean(*boolean),
        FieldValue::Number(number) => ItemValue::Number(*number),
        FieldValue::Text(text) => ItemValue::Text(text.to_string()),
        FieldValue::Color(color) => ItemValue::Text(print_color(*color)),
        FieldValue::Formula { template, .. } => {
            ItemValue::Text(format!("={}", print(template, host, sheets)))
        }
        FieldValue::List(values) => {
            ItemValue::List(values.iter().map(|value| value_to_json(value, host, sheets)).collect())
        }
        FieldValue::Record(fields) => ItemValue::Record(record_to_json(fields, host, sheets)),
    }
}

/// Creates an item from its fields and validates it as an operation would be. Used for file
/// imports.
///
/// # Errors
///
/// Fails if a field is unknown or a value has the wrong type or exceeds a limit.
pub fn read_item(
    sheet: Option<SheetId>,
    id: ItemId,
    kind: ItemKind,
    anchors: &[Range],
    fields: &BTreeMap<String, ItemValue>,
    sheets: &dyn SheetNames,
) -> Result<Item, BadItem> {
    let reading = Reading { kind, host: host_of(sheet, anchors), sheets };
    let item = item_from_json(fields, anchors.to_vec(), reading)?;
    check_item(sheet, id, &item)?;
    Ok(item)
}

/// The context in which the values of an item's fields are parsed.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub kind: ItemKind,
    pub host: Host,
    pub sheets: &'a dyn SheetNames,
}

/// Creates a patch from the fields. Checks names and types; limits are checked with the operation.
pub(crate) fn patch_from_json(
    fields: &BTreeMap<String, ItemValue>,
    anchors: Option<Vec<Range>>,
    reading: Reading<'_>,
) -> Result<ItemPatch, BadItem> {
    let mut patch = ItemPatch { anchors, ..ItemPatch::new(reading.kind) };
    for (name, value) in fields {
        let (field, kind) = known_field(reading.kind, reading.kind.schema().fields, name)?;
        let value = match value {
            ItemValue::None(()) => None,
            value => Some(value_from_json(value, kind, reading).map_err(|reason| BadItem {
                kind: reading.kind,
                field: Some(field),
                reason,
            })?),
        };
        patch.fields.insert(field, value);
    }
    Ok(patch)
}

/// Creates an item from the fields. Checks names and types; limits are checked with the operation.
pub(crate) fn item_from_json(
    fields: &BTreeMap<String, ItemValue>,
    anchors: Vec<Range>,
    reading: Reading<'_>,
) -> Result<Item, BadItem> {
    let patch = patch_from_json(fields, Some(anchors), reading)?;
    Ok(patch.apply_to(&Item::new(reading.kind)))
}

fn known_field(kind: ItemKind, fields: Fields, name: &str) -> Result<(Field, &'static FieldType), BadItem> {
    let unknown = || {
        let known: Vec<&str> = fields.iter().map(|(field, _)| field.name()).collect();
        let name: String = name.chars().take(40).collect();
        let reason = format!("has no field of this name (but {}): {name}", known.join(", "));
        BadItem { kind, field: None, reason }
    };
    let field = Field::from_name(name).ok_or_else(unknown)?;
    Ok((field, type_of(fields, field).ok_or_else(unknown)?))
}

fn value_from_json(value: &ItemValue, kind: &FieldType, reading: Reading<'_>) -> Result<FieldValue, String> {
    match (value, kind) {
        (ItemValue::Boolean(boolean), FieldType::Boolean) => Ok(FieldValue::Boolean(*boolean)),
        (
            ItemValue::Number(number),
            FieldType::Number { .. } | FieldType::Integer { .. } | FieldType::Item,
        ) => match quadrille_cell::canonical_number(*number) {
            Some(number) => Ok(FieldValue::Number(number)),
            None => Err("must be a number that a cell can hold".to_owned()),
        },
        (ItemValue::Text(text), FieldType::Text(_) | FieldType::SingleLine(_) | FieldType::Choice(_)) => {
            Ok(FieldValue::Text(Arc::from(text.as_str())))
        }
        (ItemValue::Text(text), FieldType::Color) => match read_color(text) {
            Ok(color) => Ok(FieldValue::Color(color)),
            Err(error) => Err(format!("is {error}")),
        },
        (ItemValue::Text(text), FieldType::Formula) => {
            let formula = text.strip_prefix('=').unwrap_or(text);
            let template = parse(formula, reading.host, reading.sheets);
            Ok(FieldValue::Formula { at: reading.host.cell, template })
        }
        (ItemValue::List(values), FieldType::List(of, _)) => {
            let values = values.iter().map(|value| value_from_json(value, of, reading));
            Ok(FieldValue::List(values.collect::<Result<_, _>>()?))
        }
        (ItemValue::Record(record), FieldType::Record(fields)) => {
            let mut read = BTreeMap::new();
            for (name, value) in record {
                let known = Field::from_name(name).and_then(|field| Some((field, type_of(fields, field)?)));
                let Some((field, kind)) = known else {
                    let known: Vec<&str> = fields.iter().map(|(field, _)| field.name()).collect();
                    let name: String = name.chars().take(40).collect();
                    return Err(format!("has no field of this name (but {}): {name}", known.join(", ")));
                };
                if *value != ItemValue::None(()) {
                    let value = value_from_json(value, kind, reading);
                    read.insert(field, value.map_err(|reason| format!("{} {reason}", field.name()))?);
                }
            }
            Ok(FieldValue::Record(read))
        }
        (_, kind) => Err(format!("must be {}", expected(kind))),
    }
}
