//! References to tables by name: `Prices[Amount]`, `Prices[#Totals]`, `[@Amount]`.
//!
//! They are names in one spelling for each meaning; what a name stands for follows from the workbook's tables.

use std::fmt::Write;

/// Which rows of a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TableRows {
    Data,
    All,
    Headers,
    Totals,
    /// The row in which the formula stands.
    This,
}

/// The name for these rows of a table's column, or of all its columns. Without a table it means the one that the
/// formula stands in.
pub fn structured_name(table: &str, rows: TableRows, column: Option<&str>) -> String {
    let mut name = table.to_owned();
    let written = match (rows, column.map(escaped)) {
        (TableRows::Data, None) if !table.is_empty() => Ok(()),
        (TableRows::Data, None) => write!(name, "[#Data]"),
        // Blanks at either end would be read as those around a name.
        (TableRows::Data, Some(column)) if column.trim() != column => write!(name, "[[{column}]]"),
        (TableRows::Data, Some(column)) => write!(name, "[{column}]"),
        (TableRows::This, None) => write!(name, "[#This Row]"),
        (TableRows::This, Some(column)) if is_plain(&column) => write!(name, "[@{column}]"),
        (TableRows::This, Some(column)) => write!(name, "[@[{column}]]"),
        (TableRows::All, None) => write!(name, "[#All]"),
        (TableRows::Headers, None) => write!(name, "[#Headers]"),
        (TableRows::Totals, None) => write!(name, "[#Totals]"),
        (TableRows::All, Some(column)) => write!(name, "[[#All],[{column}]]"),
        (TableRows::Headers, Some(column)) => write!(name, "[[#Headers],[{column}]]"),
        (TableRows::Totals, Some(column)) => write!(name, "[[#Totals],[{column}]]"),
    };
    written.expect("writing to a string does not fail");
    name
}

/// `[y]` among the parameters of LAMBDA is `y`, which may be left out: it reads like a column of the table that the formula
/// stands in.
pub fn optional_parameter(name: &str) -> Option<&str> {
    name.strip_prefix('[')?.strip_suffix(']').filter(|name| is_plain(name))
}

fn escaped(column: &str) -> String {
    let mut text = String::new();
    for character in column.chars() {
        if "[]#'@".contains(character) {
            text.push('\'');
        }
        text.push(character);
    }
    text
}

fn is_plain(column: &str) -> bool {
    column.chars().all(|character| character.is_alphanumeric() || character == '_')
}

/// A structured reference taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Structured {
    pub rows: TableRows,
    /// None, one, or the first and last of several.
    pub columns: Vec<String>,
}

/// Reads what stands in the outermost brackets; `None` for what has no meaning, or one we do not give it (several
/// kinds of rows at once).
pub(crate) fn read_structured(inner: &str) -> Option<Structured> {
    let inner = inner.trim();
    if let Some(rest) = inner.strip_prefix('@') {
        let columns = match rest.trim() {
            "" => Vec::new(),
            rest if rest.starts_with('[') => read_columns(rest)?,
            rest => vec![unescaped(rest)?],
        };
        return Some(Structured { rows: TableRows::This, columns });
    }
    if let Some(rows) = read_rows(inner) {
        return Some(Structured { rows, columns: Vec::new() });
    }
    if !inner.starts_with('[') {
        let columns = if inner.is_empty() { Vec::new() } else { vec![unescaped(inner)?] };
        return Some(Structured { rows: TableRows::Data, columns });
    }
    let mut rows = None;
    let mut columns = Vec::new();
    for part in split(inner, ',') {
        match bracketed(part).and_then(read_rows) {
            Some(_) if rows.is_some() => return None,
            Some(found) => rows = Some(found),
            None if columns.is_empty() => columns = read_columns(part)?,
            None => return None,
        }
    }
    Some(Structured { rows: rows.unwrap_or(TableRows::Data), columns })
}

fn read_rows(text: &str) -> Option<TableRows> {
    let known = [
        ("#Data", TableRows::Data),
        ("#All", TableRows::All),
        ("#Headers", TableRows::Headers),
        ("#Totals", TableRows::Totals),
        ("#This Row", TableRows::This),
    ];
    known.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim())).map(|(_, rows)| rows)
}

/// `[a]` or `[a]:[b]`
fn read_columns(text: &str) -> Option<Vec<String>> {
    let parts = split(text, ':');
    if parts.len() > 2 {
        return None;
    }
    parts.into_iter().map(|part| unescaped(bracketed(part)?).filter(|column| !column.is_empty())).collect()
}

fn bracketed(text: &str) -> Option<&str> {
    text.trim().strip_prefix('[')?.strip_suffix(']')
}

/// Parts between separators that stand outside brackets.
fn split(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut is_escaped) = (0, 0, false);
    for (at, character) in text.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\'' => is_escaped = true,
            '[' => depth += 1,
            ']' => depth -= 1,
            other if other == separator && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + character.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// `None` for brackets that are not escaped.
fn unescaped(text: &str) -> Option<String> {
    let mut column = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' => column.push(characters.next()?),
            '[' | ']' => return None,
            other => column.push(other),
        }
    }
    Some(column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling_for_each_meaning() {
        for (written, spelled) in [
            ("Amount", "T[Amount]"),
            ("[Amount]", "T[Amount]"),
            ("[#Data],[Amount]", "T[Amount]"),
            ("@Amount", "T[@Amount]"),
            ("@[Amount]", "T[@Amount]"),
            ("[#This Row],[Amount]", "T[@Amount]"),
            ("[#this row], [Unit price]", "T[@[Unit price]]"),
            ("@[Unit price]", "T[@[Unit price]]"),
            ("Unit price", "T[Unit price]"),
            ("#All", "T[#All]"),
            ("#headers", "T[#Headers]"),
            ("[#Totals],[Amount]", "T[[#Totals],[Amount]]"),
            ("a'[b']'#", "T[a'[b']'#]"),
            ("[ a]", "T[[ a]]"),
            ("", "T"),
            ("@", "T[#This Row]"),
        ] {
            let read = read_structured(written).expect(written);
            let column = read.columns.first().map(String::as_str);
            assert_eq!(structured_name("T", read.rows, column), spelled, "{written}");
        }
        let columns = read_structured("[#All],[a]:[b]").expect("two columns").columns;
        assert_eq!(columns, ["a", "b"]);
        // A column without a name would be spelled as the whole table is.
        for bad in ["[]", "@[]", "[#All],[]", "[a]:[b]:[c]", "[#All],[#Data],[a]", "[a],[b]", "a]b"] {
            assert_eq!(read_structured(bad), None, "{bad}");
        }
    }
}
