//! Find and replace in displayed texts or in inputs.

use std::fmt;

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_workbook::{Input, Sheet, Slice};
use regex_lite::{NoExpand, Regex, RegexBuilder};

use crate::Document;

/// Cells that a search returns; further matches are only counted.
pub const MATCHES_MAX: usize = 100_000;
/// Longer search texts are rejected.
const PATTERN_BYTES_MAX: usize = 2_000;

/// The options of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Search {
    pub text: String,
    /// Whether `text` is a regular expression.
    pub is_pattern: bool,
    pub matches_case: bool,
    /// Whether the whole content of a cell must match.
    pub whole_cell: bool,
    /// Whether to search inputs, including formulas, instead of displayed texts.
    pub in_formulas: bool,
}

/// A compiled search.
#[derive(Clone, Debug)]
pub struct Finder {
    regex: Regex,
    is_pattern: bool,
    in_formulas: bool,
}

/// Why a search cannot be compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchError {
    /// The text is empty or longer than the limit.
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

/// Matching cells in row order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchMatches {
    pub total: u64,
    /// The first [`MATCHES_MAX`] cells.
    pub cells: Vec<CellAddress>,
}

impl Search {
    /// Compiles the search. Fails with [`SearchError`] when the text is empty, too long or no valid
    /// regular expression.
    pub fn compile(&self) -> Result<Finder, SearchError> {
        let bytes = self.text.len();
        if bytes == 0 || bytes > PATTERN_BYTES_MAX {
            return Err(SearchError::BadLength { bytes });
        }
        let words =
            if self.is_pattern { self.text.clone() } else { literal_pattern(&self.text, self.matches_case) };
        let pattern = if self.whole_cell { format!("^(?:{words})$") } else { words };
        let regex = RegexBuilder::new(&pattern)
            .case_insensitive(!self.matches_case)
            .build()
            .map_err(|error| SearchError::BadPattern { reason: error.to_string() })?;
        Ok(Finder { regex, is_pattern: self.is_pattern, in_formulas: self.in_formulas })
    }
}

/// Escapes `text` for a regular expression. The expression ignores case for ASCII only, so other
/// letters are listed in both cases.
fn literal_pattern(text: &str, matches_case: bool) -> String {
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
    /// Returns the cells of `range` that match.
    pub fn find(&self, finder: &Finder, sheet: SheetId, range: Range) -> SearchMatches {
        let Some(found) = self.workbook().sheet(sheet) else { return SearchMatches::default() };
        let mut cells = match finder.in_formulas {
            true => self.input_matches(found, range, finder),
            false => self.display_matches(found, range, finder),
        };
        quadrille_cell::stable_sort_by_key(&mut cells, |cell| (cell.row, cell.column));
        let total = cells.len() as u64;
        cells.truncate(MATCHES_MAX);
        SearchMatches { total, cells }
    }

    fn input_matches(&self, sheet: &Sheet, range: Range, finder: &Finder) -> Vec<CellAddress> {
        sheet
            .inputs_in(range)
            .filter(|(_, input)| !matches!(input, Input::Blank))
            .map(|(cell, _)| cell)
            .filter(|cell| finder.regex.is_match(&self.edit_text(sheet.id(), *cell)))
            .collect()
    }

    fn display_matches(&self, sheet: &Sheet, range: Range, finder: &Finder) -> Vec<CellAddress> {
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

    /// Returns new inputs for the matching cells of `range`, with `with` in place of each match.
    /// Formulas are replaced only by a search in formulas.
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
            let input = if is_touched { self.edit_text(sheet, cell) } else { String::new() };
            if !input.is_empty() && finder.regex.is_match(&input) {
                let text = finder.replaced(&input, with);
                if text != input {
                    replacements.push((cell, text));
                }
            }
        }
        replacements
    }
}
