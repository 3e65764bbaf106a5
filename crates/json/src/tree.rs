//! [`Json`], the tree of a JSON text, and [`JsonError`].

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A JSON value.
#[derive(Clone, PartialEq, Debug)]
pub enum Json {
    Null,
    Boolean(bool),
    /// A number written without fraction and exponent that fits into 64 bits.
    Integer(i64),
    /// Any other number; always finite.
    Number(f64),
    String(String),
    Array(Vec<Json>),
    /// Fields in the order of the text. When a name occurs twice, the last field counts.
    Object(Vec<(String, Json)>),
}

/// The reason why a JSON text or a message could not be read, preceded by the names of the fields
/// on the path to it: `cells: expected a number, found a string`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonError(pub String);

impl JsonError {
    /// An error with this message and an empty path.
    #[cold]
    pub fn new(message: &str) -> JsonError {
        JsonError(message.to_owned())
    }

    /// The error of a name that is not one of `expected`; quotes at most 40 characters of it.
    #[cold]
    pub fn unknown_name(name: &str, expected: &[&str]) -> JsonError {
        JsonError::not_one_of("name", name, expected)
    }

    #[cold]
    pub(crate) fn not_one_of(kind: &str, name: &str, expected: &[&str]) -> JsonError {
        let name: String = name.chars().take(40).collect();
        JsonError(["unknown ", kind, " `", &name, "`, expected one of ", &expected.join(", ")].concat())
    }

    /// Prepends the name of a field to the path.
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

impl serde::de::Error for JsonError {
    #[cold]
    fn custom<T: fmt::Display>(message: T) -> JsonError {
        JsonError(message.to_string())
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> JsonError {
        JsonError::unknown_name(variant, expected)
    }
}

/// Accessors. Each fails when the value has another type, with an error that names both types.
impl Json {
    /// The elements of an array.
    pub fn array(&self) -> Result<&[Json], JsonError> {
        match self {
            Json::Array(values) => Ok(values),
            _ => Err(self.is_not("an array")),
        }
    }

    /// The characters of a string.
    pub fn str(&self) -> Result<&str, JsonError> {
        match self {
            Json::String(string) => Ok(string),
            _ => Err(self.is_not("a string")),
        }
    }

    /// A copy of a string.
    pub fn string(&self) -> Result<String, JsonError> {
        self.str().map(str::to_owned)
    }

    /// The variant of an enumeration without data that has this string as its serialized name.
    ///
    /// Fails also when no variant of `T` has the name; the error lists the names.
    pub fn variant<'a, T: Deserialize<'a>>(&'a self) -> Result<T, JsonError> {
        T::deserialize(StrDeserializer::new(self.str()?))
    }

    /// A boolean.
    pub fn boolean(&self) -> Result<bool, JsonError> {
        match self {
            Json::Boolean(boolean) => Ok(*boolean),
            _ => Err(self.is_not("a boolean")),
        }
    }

    /// A finite number; integers beyond 2^53 are rounded.
    pub fn number(&self) -> Result<f64, JsonError> {
        match self {
            Json::Integer(integer) => Ok(*integer as f64),
            Json::Number(number) => Ok(*number),
            _ => Err(self.is_not("a number")),
        }
    }

    /// An integer from `minimum` to `maximum`, both included. A number with a fraction or an
    /// exponent is not an integer, whatever its value.
    pub fn integer(&self, minimum: i64, maximum: i64) -> Result<i64, JsonError> {
        match self {
            Json::Integer(integer) if (minimum..=maximum).contains(integer) => Ok(*integer),
            _ => Err(self
                .is_not(&["an integer from ", &minimum.to_string(), " to ", &maximum.to_string()].concat())),
        }
    }

    /// An integer from 0 to `u32::MAX`.
    pub fn u32(&self) -> Result<u32, JsonError> {
        self.integer(0, i64::from(u32::MAX)).map(|integer| integer as u32)
    }

    #[cold]
    pub(crate) fn is_not(&self, expected: &str) -> JsonError {
        let found = match self {
            Json::Null => "null",
            Json::Boolean(_) => "a boolean",
            Json::Integer(_) | Json::Number(_) => "another number",
            Json::String(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        };
        JsonError(["expected ", expected, ", found ", found].concat())
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

    fn visit_i64<E>(self, integer: i64) -> Result<Json, E> {
        Ok(Json::Integer(integer))
    }

    fn visit_u64<E>(self, integer: u64) -> Result<Json, E> {
        Ok(i64::try_from(integer).map_or(Json::Number(integer as f64), Json::Integer))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(if number.is_finite() { Json::Number(number) } else { Json::Null })
    }

    fn visit_str<E>(self, string: &str) -> Result<Json, E> {
        Ok(Json::String(string.to_owned()))
    }

    fn visit_string<E>(self, string: String) -> Result<Json, E> {
        Ok(Json::String(string))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Json, A::Error> {
        let mut array = Vec::new();
        while let Some(value) = values.next_element()? {
            array.push(value);
        }
        Ok(Json::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Json, A::Error> {
        let mut object = Vec::new();
        while let Some(field) = fields.next_entry()? {
            object.push(field);
        }
        Ok(Json::Object(object))
    }
}
