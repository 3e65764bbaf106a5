//! Cell inputs: what a cell was given, as opposed to the value it displays.

use std::sync::Arc;

use quadrille_cell::{ErrorValue, Value};
use quadrille_formula::Template;

/// The input of one cell.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Input {
    #[default]
    Blank,
    Value(Literal),
    Formula(Template),
}

/// A constant. Numbers are finite and never `-0.0`.
#[derive(Clone, Debug)]
pub enum Literal {
    Number(f64),
    Boolean(bool),
    Text(Arc<str>),
    Error(ErrorValue),
}

impl PartialEq for Literal {
    fn eq(&self, other: &Literal) -> bool {
        match (self, other) {
            (Literal::Number(a), Literal::Number(b)) => a.to_bits() == b.to_bits(),
            (Literal::Boolean(a), Literal::Boolean(b)) => a == b,
            (Literal::Text(a), Literal::Text(b)) => a == b,
            (Literal::Error(a), Literal::Error(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Literal {}

impl std::hash::Hash for Literal {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        Value::from(self.clone()).hash(state);
    }
}

impl From<Literal> for Value {
    fn from(literal: Literal) -> Value {
        match literal {
            Literal::Number(number) => Value::Number(number),
            Literal::Boolean(boolean) => Value::Boolean(boolean),
            Literal::Text(text) => Value::Text(text),
            Literal::Error(error) => Value::Error(error),
        }
    }
}

impl From<Value> for Input {
    fn from(value: Value) -> Input {
        match value {
            Value::Blank => Input::Blank,
            Value::Number(number) => Input::Value(Literal::Number(number)),
            Value::Boolean(boolean) => Input::Value(Literal::Boolean(boolean)),
            Value::Text(text) => Input::Value(Literal::Text(text)),
            Value::Error(error) => Input::Value(Literal::Error(error)),
        }
    }
}
