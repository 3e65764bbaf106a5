//! Cell styles by name: requests may have names where formats have the ids of items.

use quadrille_workbook::{Field, ItemKind, Workbook};
use serde_json::Value as Json;

use crate::error::{ApiError, ErrorCode};

/// Replaces the name of a style in a format by the id of its item. "Normal" becomes `null`.
///
/// # Errors
///
/// Fails with `bad_json` if the workbook has no style of this name.
pub fn resolve_style_name(workbook: &Workbook, format: &mut Json) -> Result<(), ApiError> {
    let Some(Json::String(name)) = format.get("cellStyle") else { return Ok(()) };
    let folded = name.to_lowercase();
    let mut styles = workbook.items().of_kind(ItemKind::CellStyle);
    let style =
        styles.find(|(_, item)| item.text(Field::Name).is_some_and(|name| name.to_lowercase() == folded));
    let id = match style {
        Some((id, _)) => id.0.into(),
        None if folded == "normal" => Json::Null,
        None => return Err(ApiError::new(ErrorCode::BadJson, format!("unknown cell style: {name}"))),
    };
    format["cellStyle"] = id;
    Ok(())
}
