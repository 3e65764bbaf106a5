//! Validation of items and patches against the schema of their kind.

use crate::item::bad_item::BadItem;
use std::collections::BTreeMap;

use quadrille_cell::{Range, SheetId, canonical_number};
use quadrille_formula::Template;
use quadrille_workbook::{Field, FieldType, FieldValue, Fields, Item, ItemHome, ItemId, ItemKind, Items};

use super::ItemPatch;
use crate::Limits;
use crate::validate_template::validate_template;

/// Validates an item: its container, identity, anchors, fields and size.
pub(crate) fn check_item(sheet: Option<SheetId>, id: ItemId, item: &Item) -> Result<(), BadItem> {
    check_container(sheet, id, item.kind)?;
    check_anchors(item.kind, &item.anchors)?;
    for (field, value) in &item.fields {
        check_field(item.kind, *field, Some(value))?;
    }
    if item.weight() > Items::WEIGHT_MAX {
        let reason = format!("takes more than {} bytes", Items::WEIGHT_MAX);
        return Err(BadItem { kind: item.kind, field: None, reason });
    }
    Ok(())
}

/// Validates a patch like [`check_item`], except for the size of the patched item.
pub(crate) fn check_patch(sheet: Option<SheetId>, id: ItemId, patch: &ItemPatch) -> Result<(), BadItem> {
    check_container(sheet, id, patch.kind)?;
    if let Some(anchors) = &patch.anchors {
        check_anchors(patch.kind, anchors)?;
    }
    patch.fields.iter().try_for_each(|(field, value)| check_field(patch.kind, *field, value.as_ref()))
}

/// Returns whether items of this kind may be in this sheet or in the workbook, under this identity.
pub(crate) fn belongs_in(sheet: Option<SheetId>, id: ItemId, kind: ItemKind) -> bool {
    let is_settings = id == ItemId::SETTINGS;
    match kind.schema().home {
        ItemHome::Sheet => sheet.is_some() && !is_settings,
        ItemHome::Workbook => sheet.is_none() && !is_settings,
        ItemHome::SheetSettings => sheet.is_some() && is_settings,
        ItemHome::WorkbookSettings => sheet.is_none() && is_settings,
    }
}

fn check_container(sheet: Option<SheetId>, id: ItemId, kind: ItemKind) -> Result<(), BadItem> {
    let bad = |reason: &str| Err(BadItem { kind, field: None, reason: reason.to_owned() });
    if id.0 > ItemId::MAX {
        return bad("has a number of more than 53 bits");
    }
    if belongs_in(sheet, id, kind) {
        return Ok(());
    }
    match kind.schema().home {
        ItemHome::Sheet => bad("belongs to a sheet, with a number other than 0"),
        ItemHome::Workbook => bad("belongs to the workbook, with a number other than 0"),
        ItemHome::SheetSettings => bad("is item 0 of a sheet"),
        ItemHome::WorkbookSettings => bad("is item 0 of the workbook"),
    }
}

fn check_anchors(kind: ItemKind, anchors: &[Range]) -> Result<(), BadItem> {
    let schema = kind.schema();
    let bad = |reason: String| Err(BadItem { kind, field: None, reason });
    if anchors.len() < schema.anchors_min || anchors.len() > schema.anchors_max {
        return bad(match (schema.anchors_min, schema.anchors_max) {
            (min, max) if min == max => format!("needs {min} ranges: {}", anchors.len()),
            (min, max) => format!("needs {min} to {max} ranges: {}", anchors.len()),
        });
    }
    let cells: u64 = anchors.iter().map(|anchor| anchor.cell_count()).sum();
    if !anchors.is_empty() && cells < schema.cells_min {
        return bad(format!("needs {} cells or more: {cells}", schema.cells_min));
    }
    Ok(())
}

fn check_field(kind: ItemKind, field: Field, value: Option<&FieldValue>) -> Result<(), BadItem> {
    let bad = |reason: String| BadItem { kind, field: Some(field), reason };
    let Some(kind_of_field) = type_of(kind.schema().fields, field) else {
        return Err(bad("is not a field of it".to_owned()));
    };
    value.map_or(Ok(()), |value| check_value(value, kind_of_field).map_err(bad))
}

/// Returns the type of a field; `None` if it is not in the schema.
pub(crate) fn type_of(fields: Fields, field: Field) -> Option<&'static FieldType> {
    fields.iter().find(|(known, _)| *known == field).map(|(_, kind)| kind)
}

fn check_value(value: &FieldValue, kind: &FieldType) -> Result<(), String> {
    match (value, kind) {
        (FieldValue::Boolean(_), FieldType::Boolean) => Ok(()),
        (FieldValue::Number(number), FieldType::Number { min, max }) => check_number(*number, *min, *max),
        (FieldValue::Number(number), FieldType::Integer { min, max }) => {
            if number.fract() != 0.0 {
                return Err(format!("must be a whole number: {number}"));
            }
            check_number(*number, *min, *max)
        }
        (FieldValue::Number(number), FieldType::Item) => match number.fract() {
            0.0 => check_number(*number, 1.0, ItemId::MAX as f64),
            _ => Err(format!("must be the number of an item: {number}")),
        },
        (FieldValue::Text(text), FieldType::Text(max)) => {
            if text.len() > *max && text.chars().count() > *max {
                return Err(format!("is longer than {max} characters"));
            }
            Ok(())
        }
        (FieldValue::Text(text), FieldType::SingleLine(max)) => {
            if text.contains(char::is_control) {
                return Err("holds a line break or another control character".to_owned());
            }
            check_value(value, &FieldType::Text(*max))
        }
        (FieldValue::Text(text), FieldType::Choice(choices)) => match choices.contains(&&**text) {
            true => Ok(()),
            false => Err(format!("must be one of {}: {}", choices.join(", "), shortened(text))),
        },
        (FieldValue::Color(color), FieldType::Color) => match color.0 {
            0..=0xFF_FFFF => Ok(()),
            other => Err(format!("is not a 24-bit colour: {other:#x}")),
        },
        (FieldValue::Formula { template, .. }, FieldType::Formula) => check_template(template),
        (FieldValue::List(values), FieldType::List(of, max)) => {
            if values.len() > *max {
                return Err(format!("holds more than {max} values: {}", values.len()));
            }
            values.iter().try_for_each(|value| check_value(value, of))
        }
        (FieldValue::Record(record), FieldType::Record(fields)) => check_record(record, fields),
        (_, kind) => Err(format!("must be {}", expected(kind))),
    }
}

fn check_record(record: &BTreeMap<Field, FieldValue>, fields: Fields) -> Result<(), String> {
    for (field, value) in record {
        match type_of(fields, *field) {
            Some(kind) => check_value(value, kind).map_err(|reason| format!("{} {reason}", field.name()))?,
            None => return Err(format!("has no field {}", field.name())),
        }
    }
    Ok(())
}

fn check_number(number: f64, min: f64, max: f64) -> Result<(), String> {
    if canonical_number(number).map(f64::to_bits) != Some(number.to_bits()) {
        return Err("must be a number that a cell can hold".to_owned());
    }
    if number < min || number > max {
        return Err(format!("must be from {min} to {max}: {number}"));
    }
    Ok(())
}

fn check_template(template: &Template) -> Result<(), String> {
    validate_template(template, &Limits::DEFAULT).map_err(|error| format!("is a {error}"))
}

/// Describes a type in error messages.
pub(crate) fn expected(kind: &FieldType) -> &'static str {
    match kind {
        FieldType::Boolean => "true or false",
        FieldType::Number { .. } | FieldType::Integer { .. } => "a number",
        FieldType::Text(_) | FieldType::SingleLine(_) | FieldType::Choice(_) => "a text",
        FieldType::Color => "a colour such as #1f6f5c",
        FieldType::Formula => "a formula",
        FieldType::Item => "the number of an item",
        FieldType::List(..) => "a list",
        FieldType::Record(_) => "a record",
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}
