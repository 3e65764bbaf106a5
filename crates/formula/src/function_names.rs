//! Function names of a language: `SUM` is `SUMME` in German, as in Excel.
//!
//! Stored formulas have English names. A formula with the names of a language still has the
//! separators of stored formulas here; `localized.rs` converts those.

use std::borrow::Cow;
use std::ops::Range;

use quadrille_cell::CellAddress;

use crate::function_name::upper_case;
use crate::lexer::{Lexed, Lexeme, Lexer};

/// The function names and error values of a language. English by default.
///
/// Names must be unique within the language, and a function without an own name must not have the
/// English name that is another function's name in the language. The tables of the client are
/// tested for that.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionNames {
    /// English and local names in upper case, sorted by the English name.
    by_english: Vec<(Box<str>, Box<str>)>,
    /// Local and English names, sorted by the local name.
    by_local: Vec<(Box<str>, Box<str>)>,
    /// Local and English error values.
    errors: Vec<(Box<str>, Box<str>)>,
}

/// Excel's prefix of functions that are not built in. It marks a name of the user that the language
/// has given to a function: a lambda named SUMME is shown to Germans as `_xludf.SUMME`.
const OWN_NAME_PREFIX: &str = "_xludf.";

/// Functions that call a function named in an argument: `BYROW(A1:B3,SUM)`.
const TAKING_FUNCTIONS: [&str; 8] =
    ["BYCOL", "BYROW", "GROUPBY", "MAKEARRAY", "MAP", "PIVOTBY", "REDUCE", "SCAN"];

impl FunctionNames {
    /// English names only.
    pub const ENGLISH: FunctionNames =
        FunctionNames { by_english: Vec::new(), by_local: Vec::new(), errors: Vec::new() };

    /// Creates a table from entries such as `SUM=SUMME` and `#N/A=#NV`. Other texts are ignored.
    pub fn new<'a>(entries: impl IntoIterator<Item = &'a str>) -> FunctionNames {
        let mut names = FunctionNames::default();
        for (english, local) in entries.into_iter().filter_map(|entry| entry.split_once('=')) {
            if english.starts_with('#') {
                names.errors.push((local.into(), english.into()));
            } else {
                names.by_english.push((english.into(), local.into()));
                names.by_local.push((local.into(), english.into()));
            }
        }
        quadrille_cell::stable_sort_by(&mut names.by_english, &mut Ord::cmp);
        quadrille_cell::stable_sort_by(&mut names.by_local, &mut Ord::cmp);
        names
    }

    /// Replaces the English names in a formula by those of the language. Truth values and error
    /// values stay English, as cells display them.
    pub(crate) fn localized<'a>(&self, formula: &'a str) -> Cow<'a, str> {
        self.converted(formula, |text, use_| {
            let name = upper_case(text);
            let is_function = use_ != NameUse::Value;
            match find(&self.by_english, &name).filter(|_| is_function) {
                // As an argument, a name such as ZW2 would be a cell.
                Some(local) if use_ == NameUse::Call || !is_reference(local) => Some(local.to_owned()),
                None if self.is_local(&name, use_) => Some(format!("{OWN_NAME_PREFIX}{text}")),
                _ => None,
            }
        })
    }

    /// Replaces the names, truth values and error values of the language by the English ones.
    pub(crate) fn delocalized<'a>(&self, formula: &'a str) -> Cow<'a, str> {
        self.converted(formula, |text, use_| {
            let name = upper_case(text);
            match find(&self.by_local, &name).filter(|_| self.is_local(&name, use_)) {
                Some(english) => Some(english.to_owned()),
                None if has_prefix(&name) && self.is_local(&name, use_) => {
                    Some(text[OWN_NAME_PREFIX.len()..].to_owned())
                }
                None if use_ == NameUse::Error => self.error_at(text).map(|(_, english)| english.to_owned()),
                None => None,
            }
        })
    }

    /// Whether a name in upper case, without the prefixes of own names, is one of the language.
    fn is_local(&self, name: &str, use_: NameUse) -> bool {
        let mut name = name;
        while has_prefix(name) {
            name = &name[OWN_NAME_PREFIX.len()..];
        }
        match use_ {
            NameUse::Error => false,
            NameUse::Value => matches!(find(&self.by_local, name), Some("TRUE" | "FALSE")),
            NameUse::Call | NameUse::Argument => find(&self.by_local, name).is_some(),
        }
    }

    /// The length of the error value of the language at the start of a text, and the English one.
    fn error_at(&self, text: &str) -> Option<(usize, &str)> {
        self.errors.iter().find_map(|(local, english)| {
            let mut rest = text.chars();
            let is_found =
                local.chars().all(|wanted| rest.next().map(quadrille_cell::uppercase_char) == Some(wanted));
            is_found.then(|| (text.len() - rest.as_str().len(), &**english))
        })
    }

    /// Replaces names and error values, which `replacement` maps to a new text.
    fn converted<'a>(
        &self,
        formula: &'a str,
        replacement: impl Fn(&str, NameUse) -> Option<String>,
    ) -> Cow<'a, str> {
        if self.by_english.is_empty() {
            return Cow::Borrowed(formula);
        }
        let mut out = String::new();
        let mut copied = 0;
        for (range, use_) in self.names_in(formula) {
            if let Some(new) = replacement(&formula[range.clone()], use_) {
                out.push_str(&formula[copied..range.start]);
                out.push_str(&new);
                copied = range.end;
            }
        }
        if copied == 0 {
            return Cow::Borrowed(formula);
        }
        out.push_str(&formula[copied..]);
        Cow::Owned(out)
    }

    /// The names and the error values of the language in a formula.
    fn names_in(&self, formula: &str) -> Vec<(Range<usize>, NameUse)> {
        let mut found = Vec::new();
        // For each open parenthesis, whether it belongs to a function that takes functions.
        let mut open = Vec::new();
        let mut lexer = Lexer::new(formula, CellAddress::default());
        let mut before = Lexeme::End;
        let mut takes_functions = false;
        let mut current = lexer.next();
        loop {
            let Lexed { lexeme, start, end, .. } = current;
            if lexeme == Lexeme::Hash
                && let Some((length, _)) = self.error_at(&formula[start..])
            {
                lexer.skip_to(start + length);
                found.push((start..start + length, NameUse::Error));
            }
            current = lexer.next();
            let text = &formula[start..end];
            match lexeme {
                Lexeme::End => return found,
                Lexeme::Open => open.push(takes_functions && before == Lexeme::Function),
                Lexeme::Close => {
                    open.pop();
                }
                Lexeme::Function => {
                    takes_functions = self.takes_functions(text);
                    found.push((start..end, NameUse::Call));
                }
                // A name after a sheet, `Sheet1!rate`, is one of the workbook.
                Lexeme::Name if !text.contains('!') => {
                    let is_argument = open.last() == Some(&true)
                        && matches!(before, Lexeme::Open | Lexeme::Comma)
                        && matches!(current.lexeme, Lexeme::Comma | Lexeme::Close | Lexeme::End);
                    found.push((start..end, if is_argument { NameUse::Argument } else { NameUse::Value }));
                }
                _ => {}
            }
            before = lexeme;
        }
    }

    /// Whether a function, by its English or its local name, calls a function in an argument.
    fn takes_functions(&self, name: &str) -> bool {
        let name = upper_case(name);
        TAKING_FUNCTIONS.contains(&find(&self.by_local, &name).unwrap_or(&name))
    }
}

/// The place of a name in a formula.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameUse {
    /// `SUM(A1)`
    Call,
    /// `BYROW(A1:B2,SUM)`
    Argument,
    /// Any other place, where a function name stands for a name of the workbook or of LET.
    Value,
    /// An error value of the language, not a name.
    Error,
}

fn find<'a>(sorted: &'a [(Box<str>, Box<str>)], name: &str) -> Option<&'a str> {
    let at = sorted.binary_search_by(|(key, _)| (**key).cmp(name)).ok()?;
    Some(&sorted[at].1)
}

fn has_prefix(name: &str) -> bool {
    name.get(..OWN_NAME_PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(OWN_NAME_PREFIX))
}

fn is_reference(name: &str) -> bool {
    !matches!(Lexer::new(name, CellAddress::default()).next().lexeme, Lexeme::Name)
}
