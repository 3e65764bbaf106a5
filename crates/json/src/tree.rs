//! The tree.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// Any JSON value.
#[derive(Clone, PartialEq, Debug)]
pub enum Json {
    Null,
    Boolean(bool),
    /// Written without fraction and exponent, and not too long.
    Whole(i64),
    /// Always finite.
    Number(f64),
    Text(String),
    List(Vec<Json>),
    /// In the order of writing; of fields that are named twice the last one counts.
    Record(Vec<(String, Json)>),
}

/// What is wrong, in words, after the names of the fields on the way to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonError(pub String);

impl JsonError {
    #[cold]
    pub fn new(message: &str) -> JsonError {
        JsonError(message.to_owned())
    }

    #[cold]
    pub(crate) fn at(self, field: &str) -> JsonError {
        JsonError([field, ": ", &self.0].concat())
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for JsonError {}

impl Json {
    pub fn list(&self) -> Result<&[Json], JsonError> {
        match self {
            Json::List(values) => Ok(values),
            _ => Err(self.is_not("a list")),
        }
    }

    pub fn text(&self) -> Result<&str, JsonError> {
        match self {
            Json::Text(text) => Ok(text),
            _ => Err(self.is_not("a text")),
        }
    }

    pub fn boolean(&self) -> Result<bool, JsonError> {
        match self {
            Json::Boolean(boolean) => Ok(*boolean),
            _ => Err(self.is_not("a boolean")),
        }
    }

    pub fn number(&self) -> Result<f64, JsonError> {
        match self {
            Json::Whole(whole) => Ok(*whole as f64),
            Json::Number(number) => Ok(*number),
            _ => Err(self.is_not("a number")),
        }
    }

    /// A whole number of these bounds.
    pub fn whole(&self, least: i64, most: i64) -> Result<i64, JsonError> {
        match self {
            Json::Whole(whole) if (least..=most).contains(whole) => Ok(*whole),
            _ => Err(self
                .is_not(&["a whole number from ", &least.to_string(), " to ", &most.to_string()].concat())),
        }
    }

    pub fn u32(&self) -> Result<u32, JsonError> {
        self.whole(0, i64::from(u32::MAX)).map(|whole| whole as u32)
    }

    #[cold]
    pub(crate) fn is_not(&self, wanted: &str) -> JsonError {
        let kind = match self {
            Json::Null => "null",
            Json::Boolean(_) => "a boolean",
            Json::Whole(_) | Json::Number(_) => "another number",
            Json::Text(_) => "a text",
            Json::List(_) => "a list",
            Json::Record(_) => "a record",
        };
        let kind = if kind == wanted { "another" } else { kind };
        JsonError(["expected ", wanted, ", found ", kind].concat())
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_none<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        Json::deserialize(deserializer)
    }

    fn visit_bool<E>(self, boolean: bool) -> Result<Json, E> {
        Ok(Json::Boolean(boolean))
    }

    fn visit_i64<E>(self, whole: i64) -> Result<Json, E> {
        Ok(Json::Whole(whole))
    }

    fn visit_u64<E>(self, whole: u64) -> Result<Json, E> {
        Ok(i64::try_from(whole).map_or(Json::Number(whole as f64), Json::Whole))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(if number.is_finite() { Json::Number(number) } else { Json::Null })
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = values.next_element()? {
            list.push(value);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Json, A::Error> {
        let mut record = Vec::new();
        while let Some(field) = fields.next_entry()? {
            record.push(field);
        }
        Ok(Json::Record(record))
    }
}
