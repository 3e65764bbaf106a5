//! Groups of one's own: values of a column that people have put together under a name, as with *Group
//! Selection* of Excel.

use std::sync::Arc;

use quadrille_cell::Value;

use crate::folding::folded;
use crate::hasher::FastMap;

/// The groups of one field. Values without a group stand for themselves. A group and a value with
/// the same name are one.
#[derive(Clone, Debug)]
pub struct OwnGroups {
    groups: Vec<OwnGroup>,
    /// The position of a group by the folded texts of its values.
    positions: FastMap<String, u32>,
}

/// A group with its values, as [`value_text`] writes them; case does not matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnGroup {
    pub name: Arc<str>,
    pub values: Vec<Arc<str>>,
}

impl PartialEq for OwnGroups {
    fn eq(&self, other: &OwnGroups) -> bool {
        self.groups == other.groups
    }
}

impl OwnGroups {
    /// A value that is in several groups belongs to the first of them.
    pub fn new(groups: Vec<OwnGroup>) -> OwnGroups {
        let mut positions = FastMap::default();
        for (position, group) in (0u32..).zip(&groups) {
            for value in &group.values {
                positions.entry(folded(value)).or_insert(position);
            }
        }
        OwnGroups { groups, positions }
    }

    /// The groups in the order in which they are stored.
    pub fn groups(&self) -> &[OwnGroup] {
        &self.groups
    }

    /// The name of the group of a text.
    pub(crate) fn of_text(&self, text: &str) -> Option<&Arc<str>> {
        let position = *self.positions.get(&folded(text))?;
        Some(&self.groups[position as usize].name)
    }

    /// The name of the group of a value.
    pub fn of_value(&self, value: &Value) -> Option<&Arc<str>> {
        self.of_text(&value_text(value))
    }
}

/// The text that stands for a value in a group: numbers without a format, in full digits; the empty
/// text for blank cells.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Boolean(boolean) => if *boolean { "TRUE" } else { "FALSE" }.to_owned(),
        Value::Error(error) => error.text().to_owned(),
        Value::Blank => String::new(),
    }
}
