//! [`Fields`]: the fields of a JSON object, read by name.

use serde::Deserialize;

use crate::{Json, JsonError};

/// The fields of a JSON object. Errors begin with the name of the field.
///
/// The accessors named after a type ([`str`](Fields::str), [`u32`](Fields::u32) …) fail when the
/// field is missing or has another type.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a>(&'a [(String, Json)]);

impl Json {
    /// The fields of an object.
    ///
    /// # Errors
    /// When the value is not an object.
    pub fn fields(&self) -> Result<Fields<'_>, JsonError> {
        match self {
            Json::Object(fields) => Ok(Fields(fields)),
            _ => Err(self.is_not("an object")),
        }
    }
}

impl<'a> Fields<'a> {
    /// All fields in the order of the text.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, &'a Json)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The value of a field, which may be `null`; `None` when the field is missing.
    pub fn get(self, name: &str) -> Option<&'a Json> {
        self.0.iter().rev().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    /// The value of a field; `None` when the field is missing or `null`.
    pub fn non_null(self, name: &str) -> Option<&'a Json> {
        self.get(name).filter(|value| **value != Json::Null)
    }

    /// The value of a field.
    ///
    /// # Errors
    /// When the field is missing.
    pub fn required(self, name: &str) -> Result<&'a Json, JsonError> {
        self.get(name).ok_or_else(|| JsonError(["missing field `", name, "`"].concat()))
    }

    /// Checks that every field has one of these names.
    ///
    /// # Errors
    /// When a field has another name.
    pub fn deny_unknown(self, names: &[&str]) -> Result<(), JsonError> {
        match self.0.iter().find(|(name, _)| !names.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, _)) => Err(JsonError::not_one_of("field", name, names)),
        }
    }

    /// The characters of a string.
    pub fn str(self, name: &str) -> Result<&'a str, JsonError> {
        self.required(name)?.str().map_err(|error| error.at(name))
    }

    /// A copy of a string.
    pub fn string(self, name: &str) -> Result<String, JsonError> {
        self.str(name).map(str::to_owned)
    }

    /// A variant of an enumeration without data, by its serialized name; see [`Json::variant`].
    pub fn variant<T: Deserialize<'a>>(self, name: &str) -> Result<T, JsonError> {
        self.required(name)?.variant().map_err(|error| error.at(name))
    }

    /// A boolean.
    pub fn boolean(self, name: &str) -> Result<bool, JsonError> {
        self.required(name)?.boolean().map_err(|error| error.at(name))
    }

    /// An integer from 0 to `u32::MAX`.
    pub fn u32(self, name: &str) -> Result<u32, JsonError> {
        self.required(name)?.u32().map_err(|error| error.at(name))
    }

    /// An integer from `minimum` to `maximum`, both included.
    pub fn integer(self, name: &str, minimum: i64, maximum: i64) -> Result<i64, JsonError> {
        self.required(name)?.integer(minimum, maximum).map_err(|error| error.at(name))
    }

    /// The fields of an object.
    pub fn fields(self, name: &str) -> Result<Fields<'a>, JsonError> {
        self.required(name)?.fields().map_err(|error| error.at(name))
    }

    /// The elements of an array, each read by `read`.
    ///
    /// # Errors
    /// When the field is missing or not an array, and with the first error of `read`.
    pub fn array<T>(
        self,
        name: &str,
        read: impl FnMut(&'a Json) -> Result<T, JsonError>,
    ) -> Result<Vec<T>, JsonError> {
        let values = self.required(name)?.array().map_err(|error| error.at(name))?;
        values.iter().map(read).collect::<Result<_, _>>().map_err(|error| error.at(name))
    }

    /// The value of a field, read by `read`; `None` when the field is missing or `null`.
    ///
    /// # Errors
    /// With the error of `read`.
    pub fn optional<T>(
        self,
        name: &str,
        read: impl FnOnce(&'a Json) -> Result<T, JsonError>,
    ) -> Result<Option<T>, JsonError> {
        match self.non_null(name) {
            None => Ok(None),
            Some(value) => read(value).map(Some).map_err(|error| error.at(name)),
        }
    }

    /// Like [`optional`](Self::optional), but distinguishes `null` (`Some(None)`) from a missing
    /// field (`None`).
    ///
    /// # Errors
    /// With the error of `read`.
    pub fn nullable<T>(
        self,
        name: &str,
        read: impl FnOnce(&'a Json) -> Result<T, JsonError>,
    ) -> Result<Option<Option<T>>, JsonError> {
        Ok(match self.get(name) {
            None => None,
            Some(_) => Some(self.optional(name, read)?),
        })
    }
}
