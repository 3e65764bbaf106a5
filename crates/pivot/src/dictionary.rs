//! The different values of a field, each with a code.

use std::cmp::Ordering;
use std::sync::Arc;

use quadrille_cell::{DateSystem, ErrorValue, Value, lowercase_char};

use crate::definition::Grouping;
use crate::folding::folded;
use crate::hasher::FastMap;
use crate::own_groups::OwnGroups;
use crate::source::Cell;

/// The label of blank cells.
const BLANK_LABEL: &str = "(blank)";

/// The groups of one field. Codes count from 0 in the order in which groups were found, so nothing
/// but [`Dictionary::ranks`] may depend on them.
#[derive(Clone, Debug)]
pub(crate) struct Dictionary {
    grouping: Grouping,
    dates: DateSystem,
    /// Groups of one's own, whose values are their names.
    groups: Option<Arc<OwnGroups>>,
    /// The value of each group: for numbers the result of [`Grouping::group_of`].
    values: Vec<Value>,
    numbers: FastMap<u64, u32>,
    /// Texts as they are spelled.
    spellings: FastMap<Arc<str>, u32>,
    /// Texts in lower case.
    texts: FastMap<String, u32>,
    /// Codes of blank, FALSE, TRUE, and of each error.
    others: [Option<u32>; 3 + ErrorValue::ALL.len()],
    has_spellings: bool,
}

impl Dictionary {
    /// A dictionary without groups.
    pub fn new(grouping: Grouping, dates: DateSystem) -> Dictionary {
        Dictionary {
            grouping,
            dates,
            groups: None,
            values: Vec::new(),
            numbers: FastMap::default(),
            spellings: FastMap::default(),
            texts: FastMap::default(),
            others: [None; 3 + ErrorValue::ALL.len()],
            has_spellings: false,
        }
    }

    /// The dictionary with groups of one's own, before it has any values.
    pub fn with_groups(self, groups: Option<Arc<OwnGroups>>) -> Dictionary {
        Dictionary { groups, ..self }
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The value of a group. Numbers stand for their group; see [`Grouping::group_of`].
    pub fn value(&self, code: u32) -> &Value {
        &self.values[code as usize]
    }

    /// The code of a cell's group, which is added if it is new.
    pub fn code(&mut self, cell: Cell<'_>) -> u32 {
        let other = match cell {
            Cell::Number(number) => {
                // Numbers that are no dates are groups of their own.
                let group = self.grouping.group_of(number, self.dates).unwrap_or(number);
                if let Some(code) = self.numbers.get(&group.to_bits()) {
                    return *code;
                }
                let code = self.new_code(Value::Number(group));
                self.numbers.insert(group.to_bits(), code);
                return code;
            }
            Cell::Text(text) => return self.text_code(text),
            Cell::Blank => 0,
            Cell::Boolean(boolean) => 1 + usize::from(boolean),
            Cell::Error(error) => 2 + error.code() as usize,
        };
        if let Some(code) = self.others[other] {
            return code;
        }
        let code = self.new_code(match cell {
            Cell::Boolean(boolean) => Value::Boolean(boolean),
            Cell::Error(error) => Value::Error(error),
            _ => Value::Blank,
        });
        self.others[other] = Some(code);
        code
    }

    /// The code of a value other than a text that no cell had before.
    fn new_code(&mut self, value: Value) -> u32 {
        if let Some(name) = self.groups.as_ref().and_then(|groups| groups.of_value(&value)).cloned() {
            return self.label_code(&name);
        }
        self.values.push(value);
        self.values.len() as u32 - 1
    }

    fn text_code(&mut self, text: &Arc<str>) -> u32 {
        if let Some(code) = self.spellings.get(text) {
            return *code;
        }
        let name = self.groups.as_ref().and_then(|groups| groups.of_text(text)).cloned();
        let code = self.label_code(name.as_ref().unwrap_or(text));
        self.spellings.insert(text.clone(), code);
        code
    }

    /// The code of the group that a text labels.
    fn label_code(&mut self, label: &Arc<str>) -> u32 {
        let next = self.values.len() as u32;
        let code = *self.texts.entry(folded(label)).or_insert(next);
        match self.values.get(code as usize) {
            None => self.values.push(Value::Text(label.clone())),
            Some(Value::Text(first)) => self.has_spellings |= first != label,
            Some(_) => {}
        }
        code
    }

    /// Whether a text is spelled in several ways, so that its label depends on which comes first.
    pub fn has_spellings(&self) -> bool {
        self.has_spellings
    }

    /// The label of a group: for a text the spelling that was found first.
    pub fn label(&self, code: u32) -> Value {
        match self.value(code) {
            Value::Number(group) => self.grouping.label_of(*group, self.dates),
            Value::Blank => Value::text(BLANK_LABEL),
            other => other.clone(),
        }
    }

    /// The position of each group by its label: numbers, texts, truth values, errors, blank.
    pub fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.values.len() as u32).collect();
        quadrille_cell::stable_sort_positions(&mut order, &mut |a, b| compare(self.value(a), self.value(b)));
        let mut ranks = vec![0; order.len()];
        for (rank, code) in (0u32..).zip(order) {
            ranks[code as usize] = rank;
        }
        ranks
    }
}

fn compare(left: &Value, right: &Value) -> Ordering {
    let rank = |value: &Value| match value {
        Value::Number(_) => 0,
        Value::Text(_) => 1,
        Value::Boolean(_) => 2,
        Value::Error(_) => 3,
        Value::Blank => 4,
    };
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => a.total_cmp(b),
        (Value::Text(a), Value::Text(b)) => a.chars().map(lowercase_char).cmp(b.chars().map(lowercase_char)),
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Error(a), Value::Error(b)) => a.cmp(b),
        _ => rank(left).cmp(&rank(right)),
    }
}
