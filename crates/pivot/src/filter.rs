//! Which values of a column a filter shows.

use quadrille_cell::Value;
use quadrille_number_format::NumberFormat;

use crate::definition::{Condition, FilterField, Operator};
use crate::folding::folded;

impl FilterField {
    /// Whether rows with this value count.
    pub fn shows(&self, value: &Value) -> bool {
        if let Some(condition) = &self.condition
            && !condition.holds(value)
        {
            return false;
        }
        let Some(shown) = &self.shown else { return !value.is_blank() || self.shows_blanks };
        if value.is_blank() {
            return self.shows_blanks;
        }
        let text = folded(&self.displayed(value));
        shown.iter().any(|shown| folded(shown) == text)
    }

    /// The text that a cell with this value displays in English.
    fn displayed(&self, value: &Value) -> String {
        let code = self.number_format.as_deref().unwrap_or("General");
        match value {
            Value::Boolean(boolean) => if *boolean { "TRUE" } else { "FALSE" }.to_owned(),
            Value::Error(error) => error.text().to_owned(),
            value => NumberFormat::parse(code).format(value).text,
        }
    }
}

impl Condition {
    fn holds(&self, value: &Value) -> bool {
        use Operator::*;
        let order = |limit: &Value| match (value, limit) {
            (Value::Number(value), Value::Number(limit)) => value.partial_cmp(limit),
            (Value::Text(value), Value::Text(limit)) => Some(folded(value).cmp(&folded(limit))),
            _ => None,
        };
        let text = |value: &Value| match value {
            Value::Text(text) => folded(text),
            Value::Number(number) => number.to_string(),
            Value::Boolean(boolean) => folded(if *boolean { "TRUE" } else { "FALSE" }),
            _ => String::new(),
        };
        let (first, second) = (order(&self.value1), order(&self.value2));
        let is_between =
            || first.is_some_and(|order| order.is_ge()) && second.is_some_and(|order| order.is_le());
        match self.operator {
            Equal => first.is_some_and(|order| order.is_eq()),
            NotEqual => !first.is_some_and(|order| order.is_eq()),
            Greater => first.is_some_and(|order| order.is_gt()),
            GreaterOrEqual => first.is_some_and(|order| order.is_ge()),
            Less => first.is_some_and(|order| order.is_lt()),
            LessOrEqual => first.is_some_and(|order| order.is_le()),
            Between => is_between(),
            NotBetween => !is_between(),
            Contains => text(value).contains(&text(&self.value1)),
            NotContains => !text(value).contains(&text(&self.value1)),
            BeginsWith => text(value).starts_with(&text(&self.value1)),
            EndsWith => text(value).ends_with(&text(&self.value1)),
        }
    }
}
