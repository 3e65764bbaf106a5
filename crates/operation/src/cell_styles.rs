//! The formats of named cell styles.
//!
//! A cell stores the id of its style and the attributes that it sets itself; the attributes that it
//! has from the style are a copy that applying an operation keeps equal to the style's.

use quadrille_json::Json;
use quadrille_workbook::{Field, FieldValue, Format, FormatPatch, Item, ItemId, ItemKind, Workbook};

use crate::{FormatChange, print_color};

/// Returns the attributes that a style sets; empty for items of another kind.
pub fn style_patch(style: &Item) -> FormatPatch {
    let format = style.fields.get(&Field::Format).filter(|_| style.kind == ItemKind::CellStyle);
    let change = format.map(|format| FormatChange::from_json(&json_of(format)).ok());
    let patch = change.flatten().and_then(|change| change.to_patch().ok());
    patch.unwrap_or_default()
}

/// Returns the format of cells that have a style and set no attribute themselves; the default format
/// if there is no such style.
pub fn style_format(workbook: &Workbook, id: ItemId) -> Format {
    let patch = workbook.items().get(id).map(|style| style_patch(style));
    patch.unwrap_or_default().apply_to(&Format::default())
}

/// Gives cells the attributes of their styles, after a workbook was read without them.
pub fn refresh_cell_styles(workbook: &mut Workbook) {
    let styles = workbook.clone();
    workbook.restyle(&|id| Some(style_format(&styles, id)));
}

fn json_of(value: &FieldValue) -> Json {
    match value {
        FieldValue::Boolean(boolean) => Json::Boolean(*boolean),
        FieldValue::Number(number) if number.fract() == 0.0 => Json::Integer(*number as i64),
        FieldValue::Number(number) => Json::Number(*number),
        FieldValue::Text(text) => Json::String(text.to_string()),
        FieldValue::Color(color) => Json::String(print_color(*color)),
        FieldValue::Record(fields) => Json::Object(
            fields.iter().map(|(field, value)| (field.name().to_owned(), json_of(value))).collect(),
        ),
        FieldValue::Formula { .. } | FieldValue::List(_) => Json::Null,
    }
}
