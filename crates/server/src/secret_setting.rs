//! Secrets among the settings: given directly, or as the name of a file that has them.

use std::convert::Infallible;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize, Serializer};

/// A secret; empty is none. Neither `Debug` nor its serialized form shows it.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct SecretSetting(String);

impl fmt::Debug for SecretSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "SecretSetting()" } else { "SecretSetting(…)" })
    }
}

impl Serialize for SecretSetting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(if self.0.is_empty() { "" } else { "…" })
    }
}

impl FromStr for SecretSetting {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<SecretSetting, Infallible> {
        Ok(SecretSetting(text.to_owned()))
    }
}

/// Reads one text, or a list of them, which become one text with spaces.
///
/// # Errors
/// When it is neither.
pub fn one_or_list<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SecretSetting>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrList {
        One(String),
        List(Vec<String>),
    }
    Ok(Some(SecretSetting(match OneOrList::deserialize(deserializer)? {
        OneOrList::One(text) => text,
        OneOrList::List(texts) => texts.join(" "),
    })))
}

impl SecretSetting {
    /// The secret of the setting `name`, from the file of `name`_file if one is named; `None` without
    /// either.
    ///
    /// # Errors
    /// A message when both are set, or when the file cannot be read or is empty.
    pub fn or_file(&self, name: &str, file: &Path) -> Result<Option<String>, String> {
        if file.as_os_str().is_empty() {
            return Ok((!self.0.is_empty()).then(|| self.0.clone()));
        }
        if !self.0.is_empty() {
            return Err(format!("set {name} or {name}_file, not both"));
        }
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("{name}_file: cannot read {}: {error}", file.display()))?;
        match text.trim() {
            "" => Err(format!("{name}_file: {} is empty", file.display())),
            secret => Ok(Some(secret.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_given_directly_or_in_a_file() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("key");
        std::fs::write(&file, "in a file\n").expect("written");
        let none = SecretSetting::default();
        let secret: SecretSetting = "direct".parse().expect("any text");
        assert_eq!(none.or_file("key", Path::new("")), Ok(None));
        assert_eq!(secret.or_file("key", Path::new("")), Ok(Some("direct".into())));
        assert_eq!(none.or_file("key", &file), Ok(Some("in a file".into())));
        assert!(secret.or_file("key", &file).is_err(), "both");
        std::fs::write(&file, "\n").expect("written");
        assert!(none.or_file("key", &file).is_err(), "empty");
        assert!(none.or_file("key", &directory.path().join("nothing")).is_err());
        assert_eq!(format!("{secret:?}"), "SecretSetting(…)");
        assert_eq!(serde_json::to_string(&secret).expect("a text"), r#""…""#);
    }
}
