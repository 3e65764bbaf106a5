//! The fields of a record, by name. Errors begin with the name.

use crate::{Json, JsonError};

#[derive(Clone, Copy, Debug)]
pub struct Fields<'a>(pub(crate) &'a [(String, Json)]);

impl<'a> Fields<'a> {
    pub fn iter(self) -> impl Iterator<Item = (&'a str, &'a Json)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// `None` when the field is left out; `null` is a value.
    pub fn get(self, name: &str) -> Option<&'a Json> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// `None` when the field is left out or `null`.
    pub fn given(self, name: &str) -> Option<&'a Json> {
        self.get(name).filter(|value| **value != Json::Null)
    }

    pub fn required(self, name: &str) -> Result<&'a Json, JsonError> {
        self.get(name).ok_or_else(|| JsonError(["missing field `", name, "`"].concat()))
    }

    /// Fails when there are others than these.
    pub fn only(self, names: &[&str]) -> Result<(), JsonError> {
        match self.0.iter().find(|(name, _)| !names.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, _)) => {
                let name: String = name.chars().take(40).collect();
                Err(JsonError(["unknown field `", &name, "`, expected one of ", &names.join(", ")].concat()))
            }
        }
    }

    pub fn text(self, name: &str) -> Result<&'a str, JsonError> {
        self.required(name)?.text().map_err(|error| error.at(name))
    }

    pub fn string(self, name: &str) -> Result<String, JsonError> {
        self.text(name).map(str::to_owned)
    }

    pub fn boolean(self, name: &str) -> Result<bool, JsonError> {
        self.required(name)?.boolean().map_err(|error| error.at(name))
    }

    pub fn u32(self, name: &str) -> Result<u32, JsonError> {
        self.required(name)?.u32().map_err(|error| error.at(name))
    }

    pub fn whole(self, name: &str, least: i64, most: i64) -> Result<i64, JsonError> {
        self.required(name)?.whole(least, most).map_err(|error| error.at(name))
    }

    pub fn fields(self, name: &str) -> Result<Fields<'a>, JsonError> {
        self.required(name)?.fields().map_err(|error| error.at(name))
    }

    /// The place of a text among those that it may be.
    pub fn index(self, name: &str, names: &[&str]) -> Result<usize, JsonError> {
        name_index(self.text(name)?, names).map_err(|error| error.at(name))
    }

    pub fn list<T>(
        self,
        name: &str,
        read: impl FnMut(&Json) -> Result<T, JsonError>,
    ) -> Result<Vec<T>, JsonError> {
        let values = self.required(name)?.list().map_err(|error| error.at(name))?;
        values.iter().map(read).collect::<Result<_, _>>().map_err(|error| error.at(name))
    }

    /// What [`given`](Self::given) says, read.
    pub fn optional<T>(
        self,
        name: &str,
        read: impl FnOnce(&'a Json) -> Result<T, JsonError>,
    ) -> Result<Option<T>, JsonError> {
        match self.given(name) {
            None => Ok(None),
            Some(value) => read(value).map(Some).map_err(|error| error.at(name)),
        }
    }

    /// As [`optional`](Self::optional), but tells `null` (given, and none) from a field left out.
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

/// The place of a text among those that it may be.
pub fn name_index(text: &str, names: &[&str]) -> Result<usize, JsonError> {
    names.iter().position(|name| *name == text).ok_or_else(|| {
        let text: String = text.chars().take(40).collect();
        JsonError(["unknown name `", &text, "`, expected one of ", &names.join(", ")].concat())
    })
}

impl Json {
    /// The fields of a record.
    ///
    /// # Errors
    /// When the value is not a record.
    pub fn fields(&self) -> Result<Fields<'_>, JsonError> {
        match self {
            Json::Record(fields) => Ok(Fields(fields)),
            _ => Err(self.is_not("a record")),
        }
    }
}
