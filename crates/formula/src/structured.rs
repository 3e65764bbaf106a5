//! Structured references to tables: `Prices[Amount]`, `Prices[#Totals]`, `[@Amount]`.
//!
//! In the tree they are names in a canonical spelling. The workbook's tables determine the range of
//! such a name.

use std::fmt::Write;

/// The rows of a table in a structured reference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TableRows {
    Data,
    All,
    Headers,
    Totals,
    /// The row of the formula.
    This,
}

/// Returns the canonical spelling of a reference to some rows of a table column, or of all columns.
/// An empty table name is the table that contains the formula.
pub fn structured_name(table: &str, rows: TableRows, column: Option<&str>) -> String {
    let mut name = table.to_owned();
    let written = match (rows, column.map(escaped)) {
        (TableRows::Data, None) if !table.is_empty() => Ok(()),
        (TableRows::Data, None) => write!(name, "[#Data]"),
        // Without double brackets, spaces at either end would be trimmed.
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

/// The parts of a structured name: its table, its rows and its column; `None` for other names. The
/// table is empty in a name without one, and the column is `None` for all columns.
pub fn structured_parts(name: &str) -> Option<(&str, TableRows, Option<String>)> {
    let (table, inner) = name.strip_suffix(']')?.split_once('[')?;
    let mut read = read_structured(inner)?;
    let column = if read.columns.len() > 1 { return None } else { read.columns.pop() };
    Some((table, read.rows, column))
}

/// Returns a structured reference as files contain it, which have no `@` and no bare table names
/// (ECMA-376-1, 18.17.2): `T[]`, `T[[#Totals]]`, `T[[#This Row],[a]:[b]]`. The list of columns is
/// empty for all columns, and otherwise has the first and the last one.
pub fn structured_reference_in_file(table: &str, rows: TableRows, columns: &[String]) -> String {
    let keyword = match rows {
        TableRows::Data => None,
        TableRows::All => Some("[#All]"),
        TableRows::Headers => Some("[#Headers]"),
        TableRows::Totals => Some("[#Totals]"),
        TableRows::This => Some("[#This Row]"),
    };
    match (keyword, columns) {
        (None, []) => format!("{table}[]"),
        (None, [column]) => structured_name(table, TableRows::Data, Some(column)),
        _ => {
            let columns: Vec<String> =
                columns.iter().map(|column| format!("[{}]", escaped(column))).collect();
            let columns = Some(columns.join(":")).filter(|columns| !columns.is_empty());
            let parts: Vec<&str> = keyword.into_iter().chain(columns.as_deref()).collect();
            format!("{table}[{}]", parts.join(","))
        }
    }
}

/// Returns the name of an optional LAMBDA parameter: `y` for `[y]`. The parser reads `[y]` as a
/// column of the table that contains the formula.
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

/// The parts of a structured reference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Structured {
    pub rows: TableRows,
    /// No column, one, or the first and last of several.
    pub columns: Vec<String>,
}

/// Parses the content of the outer brackets. Returns `None` for invalid or unsupported references,
/// such as several row specifiers.
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

/// Parses `[a]` or `[a]:[b]`.
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

/// Splits at separators outside brackets.
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

/// Unescapes a column name. Returns `None` for unescaped brackets.
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

    /// The forms of ECMA-376-1, 18.17.2; LibreOffice 7.4 reads a keyword only in brackets of its own.
    #[test]
    fn references_in_files_have_no_at_sign() {
        for (name, in_file) in [
            ("T[Amount]", "T[Amount]"),
            ("T[@Amount]", "T[[#This Row],[Amount]]"),
            ("T[#This Row]", "T[[#This Row]]"),
            ("T[#Totals]", "T[[#Totals]]"),
            ("T[[#Headers],[a'[b']'#]]", "T[[#Headers],[a'[b']'#]]"),
            ("T[[ a]]", "T[[ a]]"),
            ("[@Amount]", "[[#This Row],[Amount]]"),
        ] {
            let (table, rows, column) = structured_parts(name).expect(name);
            let columns: Vec<String> = column.into_iter().collect();
            assert_eq!(structured_reference_in_file(table, rows, &columns), in_file);
            assert_eq!(structured_name(table, rows, columns.first().map(String::as_str)), name);
        }
        let span = ["a".to_owned(), "b c".to_owned()];
        assert_eq!(structured_reference_in_file("T", TableRows::Data, &span), "T[[a]:[b c]]");
        assert_eq!(structured_reference_in_file("T", TableRows::This, &span), "T[[#This Row],[a]:[b c]]");
        assert_eq!(structured_reference_in_file("T", TableRows::Data, &[]), "T[]");
        assert_eq!(structured_parts("rate"), None);
    }

    #[test]
    fn equivalent_references_have_one_canonical_spelling() {
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
        // An empty column name would be spelled like the whole table.
        for bad in ["[]", "@[]", "[#All],[]", "[a]:[b]:[c]", "[#All],[#Data],[a]", "[a],[b]", "a]b"] {
            assert_eq!(read_structured(bad), None, "{bad}");
        }
    }
}
