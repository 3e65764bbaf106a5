//! Chips of list validations: the choices in a cell and their colors.

use std::ops::Range;

use quadrille_cell::{DateSystem, SmallMap, Value};
use quadrille_number_format::{InputContext, parse_input_with};
use quadrille_workbook::{Color, Field, FieldValue, Item};

use crate::list_values::{ListValue, SELECTED_CHOICES_MAX, selected_choices};

/// A choice in a cell, drawn as a chip.
#[derive(Clone, PartialEq, Debug)]
pub struct Chip {
    /// Bytes of the cell's text; `None` for all of it.
    pub part: Option<Range<usize>>,
    /// `None` for a choice without a color.
    pub color: Option<Color>,
}

/// The colors of the choices of a list validation that is drawn as chips, or of people, who have none.
pub struct ChoiceColors {
    /// Whether the chips are names of people.
    pub is_people: bool,
    allows_multiple: bool,
    by_text: SmallMap<String, Color>,
    by_value: SmallMap<ListValue, Color>,
}

impl ChoiceColors {
    /// Returns the colors of a validation; `None` if it draws no chips.
    pub fn new(validation: &Item, dates: DateSystem) -> Option<ChoiceColors> {
        let text = |field| validation.text(field).map(|text| &**text);
        let is_hidden = validation.boolean(Field::ShowDropdown) == Some(false);
        let is_people = match (text(Field::Rule), text(Field::DisplayStyle)) {
            (Some("list"), Some("chip")) => false,
            (Some("any"), Some("people")) => true,
            _ => return None,
        };
        if is_hidden {
            return None;
        }
        let mut colors = ChoiceColors {
            is_people,
            allows_multiple: validation.boolean(Field::AllowMultiple) == Some(true),
            by_text: SmallMap::default(),
            by_value: SmallMap::default(),
        };
        let Some(FieldValue::List(list)) = validation.fields.get(&Field::ChoiceColors) else {
            return Some(colors);
        };
        for record in list {
            let FieldValue::Record(fields) = record else { continue };
            let (Some(FieldValue::Text(choice)), Some(FieldValue::Color(color))) =
                (fields.get(&Field::Value), fields.get(&Field::Color))
            else {
                continue;
            };
            colors.by_text.get_or_insert_with(choice.to_string(), || *color);
            // A choice matches its text in either case, and the number that typing it gives.
            let typed = parse_input_with(choice, InputContext::invariant(dates)).value;
            for value in [Value::text(&**choice), typed] {
                if let Some(value) = ListValue::new(&value) {
                    colors.by_value.get_or_insert_with(value, || *color);
                }
            }
        }
        Some(colors)
    }

    /// Returns the chips of a cell with this value, which is displayed as `displayed`; none for a
    /// blank cell.
    pub fn chips(&self, value: &Value, displayed: impl FnOnce() -> String) -> Vec<Chip> {
        let text = match value {
            Value::Blank | Value::Error(_) => return Vec::new(),
            Value::Text(text) if text.trim().is_empty() => return Vec::new(),
            Value::Text(text) => text,
            Value::Number(_) | Value::Boolean(_) => {
                let color = ListValue::new(value).and_then(|value| self.by_value.get(&value)).copied();
                let color = color.or_else(|| self.by_text.get(displayed().as_str()).copied());
                return vec![Chip { part: None, color }];
            }
        };
        let color = self.color_of(text);
        let parts = if self.allows_multiple && color.is_none() { selected_choices(text) } else { Vec::new() };
        if parts.len() < 2 {
            return vec![Chip { part: None, color }];
        }
        let parts = parts.into_iter().take(SELECTED_CHOICES_MAX);
        parts.map(|part| Chip { color: self.color_of(&text[part.clone()]), part: Some(part) }).collect()
    }

    fn color_of(&self, text: &str) -> Option<Color> {
        let folded = || ListValue::new(&Value::text(text)).and_then(|value| self.by_value.get(&value));
        self.by_text.get(text).or_else(folded).copied()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use quadrille_workbook::ItemKind;

    fn colors(fields: &[(Field, FieldValue)], choices: &[(&str, u32)]) -> Option<ChoiceColors> {
        let mut item = Item::new(ItemKind::Validation);
        item.fields.insert(Field::Rule, FieldValue::Text("list".into()));
        item.fields.insert(Field::DisplayStyle, FieldValue::Text("chip".into()));
        item.fields.extend(fields.iter().cloned());
        let record = |(choice, color): &(&str, u32)| {
            FieldValue::Record(BTreeMap::from([
                (Field::Value, FieldValue::Text((*choice).into())),
                (Field::Color, FieldValue::Color(Color(*color))),
            ]))
        };
        item.fields.insert(Field::ChoiceColors, FieldValue::List(choices.iter().map(record).collect()));
        ChoiceColors::new(&item, DateSystem::default())
    }

    fn colors_of(colors: &ChoiceColors, value: &Value, displayed: &str) -> Vec<Option<u32>> {
        let chips = colors.chips(value, || displayed.to_owned());
        chips.into_iter().map(|chip| chip.color.map(|color| color.0)).collect()
    }

    #[test]
    fn a_choice_has_its_color_in_either_case_and_as_a_number() {
        let colors = colors(&[], &[("Done", 1), ("DONE", 2), ("1.5", 3), ("2 €", 4)]).expect("chips");
        let of = |value, displayed| colors_of(&colors, &value, displayed);
        assert_eq!(of(Value::text("Done"), ""), [Some(1)]);
        assert_eq!(of(Value::text("DONE"), ""), [Some(2)]);
        assert_eq!(of(Value::text("done"), ""), [Some(1)]);
        assert_eq!(of(Value::Number(1.5), "1.50"), [Some(3)]);
        assert_eq!(of(Value::Number(2.0), "2 €"), [Some(4)]);
        assert_eq!(of(Value::text("other"), ""), [None]);
        assert_eq!(of(Value::Blank, ""), []);
    }

    #[test]
    fn several_choices_are_several_chips_where_they_are_allowed() {
        let choices = [("Red", 1), ("Blue", 2), ("a, b", 3)];
        let multiple = colors(&[(Field::AllowMultiple, FieldValue::Boolean(true))], &choices).expect("chips");
        let chips = multiple.chips(&Value::text("Red,  Blue"), String::new);
        let parts: Vec<_> = chips.iter().map(|chip| chip.part.clone()).collect();
        assert_eq!(parts, [Some(0..3), Some(6..10)]);
        assert_eq!(colors_of(&multiple, &Value::text("Blue, Red, ?"), ""), [Some(2), Some(1), None]);
        // A choice with a comma in it.
        assert_eq!(colors_of(&multiple, &Value::text("a, b"), ""), [Some(3)]);
        let single = colors(&[], &choices).expect("chips");
        assert_eq!(colors_of(&single, &Value::text("Red, Blue"), ""), [None]);
    }

    #[test]
    fn any_value_can_be_chips_of_people() {
        let text = |field, text: &str| (field, FieldValue::Text(text.into()));
        let style = text(Field::DisplayStyle, "people");
        let people = colors(&[text(Field::Rule, "any"), style.clone()], &[]).expect("chips");
        assert!(people.is_people);
        assert_eq!(colors_of(&people, &Value::text("Ada Lovelace"), ""), [None]);
        assert!(colors(&[style], &[]).is_none(), "a list has choices of its own");
        assert!(!colors(&[], &[]).expect("chips").is_people);
    }

    #[test]
    fn lists_with_an_arrow_or_as_plain_text_have_no_chips() {
        let arrow = (Field::DisplayStyle, FieldValue::Text("arrow".into()));
        assert!(colors(&[arrow], &[]).is_none());
        assert!(colors(&[(Field::ShowDropdown, FieldValue::Boolean(false))], &[]).is_none());
        assert!(colors(&[(Field::Rule, FieldValue::Text("whole".into()))], &[]).is_none());
    }
}
