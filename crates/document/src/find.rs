//! Looking for a text or a pattern in what cells show or in what they were given, and putting another in its place.

use std::fmt;

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_workbook::{Input, Sheet, Slice};
use regex_lite::{NoExpand, Regex, RegexBuilder};

use crate::Document;

/// Cells that one search reports; it counts the others.
pub const FOUND_MAX: usize = 100_000;
/// Longer patterns are refused.
const PATTERN_BYTES_MAX: usize = 2_000;

/// What is looked for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Search {
    pub text: String,
    /// `text` is a pattern rather than words.
    pub is_pattern: bool,
    pub matches_case: bool,
    /// All of a cell, not a part of it.
    pub whole_cell: bool,
    /// What cells were given, formulas as such, rather than what they show.
    pub in_formulas: bool,
}

/// A search that can be carried out.
#[derive(Clone, Debug)]
pub struct Finder {
    regex: Regex,
    is_pattern: bool,
    in_formulas: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchError {
    /// Nothing to look for, or more than anybody types.
    BadLength {
        bytes: usize,
    },
    BadPattern {
        reason: String,
    },
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchError::BadLength { bytes } => {
                write!(f, "a search takes 1 to {PATTERN_BYTES_MAX} bytes: {bytes}")
            }
            SearchError::BadPattern { reason } => write!(f, "not a pattern: {reason}"),
        }
    }
}

impl std::error::Error for SearchError {}

/// Cells in the order in which they are read: row by row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    pub total: u64,
    /// The first [`FOUND_MAX`].
    pub cells: Vec<CellAddress>,
}

impl Search {
    pub fn compile(&self) -> Result<Finder, SearchError> {
        let bytes = self.text.len();
        if bytes == 0 || bytes > PATTERN_BYTES_MAX {
            return Err(SearchError::BadLength { bytes });
        }
        let words = if self.is_pattern { self.text.clone() } else { spelled(&self.text, self.matches_case) };
        let pattern = if self.whole_cell { format!("^(?:{words})$") } else { words };
        let regex = RegexBuilder::new(&pattern)
            .case_insensitive(!self.matches_case)
            .build()
            .map_err(|error| SearchError::BadPattern { reason: error.to_string() })?;
        Ok(Finder { regex, is_pattern: self.is_pattern, in_formulas: self.in_formulas })
    }
}

/// `text` as a pattern. The pattern's own indifference to case ends with ASCII; `ä` and `Ä` are named both.
fn spelled(text: &str, matches_case: bool) -> String {
    if matches_case {
        return regex_lite::escape(text);
    }
    let mut pattern = String::new();
    for character in text.chars() {
        let escaped = regex_lite::escape(&character.to_string());
        let written = character.to_string();
        let (lower, upper) = (written.to_lowercase(), written.to_uppercase());
        if character.is_ascii() || lower == upper {
            pattern.push_str(&escaped);
        } else {
            pattern.push_str(&format!("(?:{lower}|{upper})"));
        }
    }
    pattern
}

impl Finder {
    fn replaced(&self, text: &str, with: &str) -> String {
        match self.is_pattern {
            true => self.regex.replace_all(text, with).into_owned(),
            false => self.regex.replace_all(text, NoExpand(with)).into_owned(),
        }
    }
}

impl Document {
    /// The cells of `range` that match.
    pub fn find(&self, finder: &Finder, sheet: SheetId, range: Range) -> Found {
        let Some(found) = self.workbook().sheet(sheet) else { return Found::default() };
        let mut cells = match finder.in_formulas {
            true => self.given_in(found, range, finder),
            false => self.shown_in(found, range, finder),
        };
        cells.sort_by_key(|cell| (cell.row, cell.column));
        let total = cells.len() as u64;
        cells.truncate(FOUND_MAX);
        Found { total, cells }
    }

    fn given_in(&self, sheet: &Sheet, range: Range, finder: &Finder) -> Vec<CellAddress> {
        sheet
            .inputs_in(range)
            .filter(|(_, input)| !matches!(input, Input::Blank))
            .map(|(cell, _)| cell)
            .filter(|cell| finder.regex.is_match(&self.edit_text(sheet.id(), *cell)))
            .collect()
    }

    fn shown_in(&self, sheet: &Sheet, range: Range, finder: &Finder) -> Vec<CellAddress> {
        let mut cells = Vec::new();
        for (column, values) in sheet.columns_in(range) {
            for (first, slice) in values.slices(range.first().row.get(), range.last().row.get()) {
                let is_blank = |index: usize| match slice {
                    Slice::Numbers(_) => false,
                    Slice::Mixed(mixed) => mixed.get(index).is_blank(),
                };
                for index in (0..slice.len()).filter(|index| !is_blank(*index)) {
                    let cell = CellAddress::clamped(first + index as u32, column.get()); // within a block
                    if finder.regex.is_match(&self.display(sheet.id(), cell).text) {
                        cells.push(cell);
                    }
                }
            }
        }
        cells
    }

    /// What to type into the matching cells of `range` so that they hold `with` in place of what was found. A
    /// formula is touched only by a search in formulas.
    pub fn replacements(
        &self,
        finder: &Finder,
        sheet: SheetId,
        range: Range,
        with: &str,
    ) -> Vec<(CellAddress, String)> {
        let Some(found) = self.workbook().sheet(sheet) else { return Vec::new() };
        let mut replacements = Vec::new();
        for (cell, input) in found.inputs_in(range) {
            let is_touched = match input {
                Input::Blank => false,
                Input::Formula(_) => finder.in_formulas,
                Input::Value(_) => true,
            };
            let given = if is_touched { self.edit_text(sheet, cell) } else { String::new() };
            if !given.is_empty() && finder.regex.is_match(&given) {
                let text = finder.replaced(&given, with);
                if text != given {
                    replacements.push((cell, text));
                }
            }
        }
        replacements
    }
}
