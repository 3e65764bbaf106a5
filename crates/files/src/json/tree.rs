//! A JSON value whose objects preserve the order of their keys.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A JSON value.
pub enum Tree {
    Null,
    Boolean(bool),
    Number(f64),
    Text(String),
    Array(Vec<Tree>),
    /// Entries in order; a repeated key appears several times.
    Object(Vec<(String, Tree)>),
}

impl Tree {
    /// The value of the first entry with this key, if this is an object.
    pub fn get(&self, key: &str) -> Option<&Tree> {
        match self {
            Tree::Object(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The entries of an object; empty for other values.
    pub fn entries(&self) -> &[(String, Tree)] {
        match self {
            Tree::Object(entries) => entries,
            _ => &[],
        }
    }

    /// The text, if this is a text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Tree::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if this is a number.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Tree::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Converts to `serde_json::Value`; numbers without a fraction become integers.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Tree::Null => serde_json::Value::Null,
            Tree::Boolean(boolean) => (*boolean).into(),
            Tree::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => (*number as i64).into(),
            Tree::Number(number) => (*number).into(),
            Tree::Text(text) => text.as_str().into(),
            Tree::Array(items) => items.iter().map(Tree::to_json).collect(),
            Tree::Object(entries) => {
                entries.iter().map(|(key, value)| (key.clone(), value.to_json())).collect()
            }
        }
    }
}

/// Formats the value as JSON on one line.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_json().fmt(f)
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tree, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

/// Deserializes a [`Tree`].
pub struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, boolean: bool) -> Result<Tree, E> {
        Ok(Tree::Boolean(boolean))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Tree, E> {
        Ok(Tree::Number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Tree, E> {
        Ok(Tree::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Tree, E> {
        Ok(Tree::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Tree, E> {
        Ok(Tree::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            items.push(item);
        }
        Ok(Tree::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Tree::Object(entries))
    }
}
