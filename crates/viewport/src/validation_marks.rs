//! Markers of data validations: dropdown arrows, checkboxes and stars.

use quadrille_cell::Value;
use quadrille_workbook::{Field, Item};

use crate::cell_marks::CellMark;

/// Stars of the highest rating.
const STARS_MAX: f64 = 5.0;

/// Adds the marker of a data validation to those of a cell with this value.
pub(crate) fn mark_validation(item: &Item, value: &Value, mark: &mut CellMark) {
    match item.text(Field::Rule).map(|rule| &**rule) {
        Some("list") if item.boolean(Field::ShowDropdown) != Some(false) => mark.has_list = Some(true),
        Some("checkbox") => {
            let is = |field: Field, value: &str| item.text(field).is_some_and(|own| &**own == value);
            let find = |value: &str| match is(Field::CheckedValue, value) {
                true => Some(true),
                false => is(Field::UncheckedValue, value).then_some(false),
            };
            // Other values are invalid and stay visible.
            mark.is_checked = match value {
                Value::Boolean(is_true) => Some(*is_true),
                Value::Text(text) => find(text),
                Value::Number(number) => find(&number.to_string()),
                Value::Blank => Some(false),
                Value::Error(_) => None,
            };
            mark.hides_value = mark.is_checked.map(|_| true);
        }
        Some("whole") if item.text(Field::DisplayStyle).is_some_and(|style| &**style == "rating") => {
            // Other values are invalid and stay visible.
            mark.rating = match value {
                Value::Blank => Some(0),
                Value::Number(number) if number.fract() == 0.0 && (0.0..=STARS_MAX).contains(number) => {
                    Some(*number as u32)
                }
                _ => None,
            };
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use quadrille_workbook::{FieldValue, ItemKind};

    use super::*;

    #[test]
    fn a_checkbox_hides_its_values_and_no_others() {
        let checked = |value: Value| {
            let mut item = Item::new(ItemKind::Validation);
            for (field, text) in
                [(Field::Rule, "checkbox"), (Field::CheckedValue, "yes"), (Field::UncheckedValue, "0")]
            {
                item.fields.insert(field, FieldValue::Text(text.into()));
            }
            let mut mark = CellMark::default();
            mark_validation(&item, &value, &mut mark);
            assert_eq!(mark.hides_value.is_some(), mark.is_checked.is_some());
            mark.is_checked
        };
        for (value, expected) in [
            (Value::Boolean(true), Some(true)),
            (Value::Blank, Some(false)),
            (Value::Text("yes".into()), Some(true)),
            (Value::Number(0.0), Some(false)),
            (Value::Text("n/a".into()), None),
            (Value::Number(1.0), None),
            (Value::Error(quadrille_cell::ErrorValue::Value), None),
        ] {
            assert_eq!(checked(value.clone()), expected, "{value:?}");
        }
    }

    #[test]
    fn a_rating_has_from_0_to_5_stars_and_other_values_stay_visible() {
        let stars = |rule: &str, style: &str, value: Value| {
            let mut item = Item::new(ItemKind::Validation);
            item.fields.insert(Field::Rule, FieldValue::Text(rule.into()));
            item.fields.insert(Field::DisplayStyle, FieldValue::Text(style.into()));
            let mut mark = CellMark::default();
            mark_validation(&item, &value, &mut mark);
            assert_eq!(mark.hides_value, None);
            mark.rating
        };
        for (value, expected) in [
            (Value::Blank, Some(0)),
            (Value::Number(0.0), Some(0)),
            (Value::Number(-0.0), Some(0)),
            (Value::Number(3.0), Some(3)),
            (Value::Number(5.0), Some(5)),
            (Value::Number(6.0), None),
            (Value::Number(-1.0), None),
            (Value::Number(2.5), None),
            (Value::text("3"), None),
            (Value::Boolean(true), None),
        ] {
            assert_eq!(stars("whole", "rating", value.clone()), expected, "{value:?}");
        }
        assert_eq!(stars("whole", "chip", Value::Number(3.0)), None);
        assert_eq!(stars("list", "rating", Value::Number(3.0)), None);
    }
}
