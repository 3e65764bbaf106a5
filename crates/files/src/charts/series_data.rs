//! [`SeriesData`]: the source of a series' values, categories or name.

use crate::limits::FORMULA_LENGTH_MAX;

/// Literal values of a series, stored in the file instead of a reference, at most.
const LITERALS_MAX: usize = 1_000;

/// The source of a series' values, categories or name.
#[derive(Default)]
pub(crate) struct SeriesData {
    /// A reference without `=`.
    pub formula: Option<String>,
    /// Whether the values are numbers.
    pub is_numbers: bool,
    /// Cached or literal values.
    values: Vec<String>,
}

impl SeriesData {
    /// A source with a reference and without values.
    pub fn from(formula: Option<String>, is_numbers: bool) -> SeriesData {
        SeriesData { formula, is_numbers, values: Vec::new() }
    }

    /// Adds a cached or literal value. Those beyond the limit are left out.
    pub fn push(&mut self, value: String) {
        if self.values.len() < LITERALS_MAX {
            self.values.push(value);
        }
    }

    /// The cached values one after another.
    pub fn cached_text(&self) -> String {
        self.values.concat()
    }

    /// The reference as it is in the file, unless it is one to another workbook.
    pub fn reference(self) -> Option<String> {
        self.formula.filter(|text| !text.trim().is_empty() && !text.contains('['))
    }

    /// The reference, or the values as a literal array. For references to other workbooks, whose
    /// cells are not available, the cached values are used. `None` if there are no values or the
    /// formula would be too long.
    pub fn formula(&self, is_name: bool) -> Option<String> {
        let written = self.formula.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let is_external = |text: &str| text.contains('[') && text.contains('!');
        let text = match written {
            Some(text) if !is_external(text) => format!("={text}"),
            _ => {
                let quoted = |text: &String| format!("\"{}\"", text.replace('"', "\"\""));
                let values: Vec<String> = match self.is_numbers {
                    true => self.values.iter().filter(|text| text.parse::<f64>().is_ok()).cloned().collect(),
                    false => self.values.iter().map(quoted).collect(),
                };
                match values.as_slice() {
                    [] => return None,
                    [name] if is_name => format!("={name}"),
                    values => format!("={{{}}}", values.join(",")),
                }
            }
        };
        (text.len() <= FORMULA_LENGTH_MAX).then_some(text)
    }
}
