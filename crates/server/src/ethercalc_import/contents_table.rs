//! Tables of contents as EtherCalc's page writes them: with links that are percent-encoded, and titles that
//! sheets cannot have here.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use quadrille_cell::{CellAddress, Range};
use quadrille_operation::{Limits, Operation, apply_operation, validate_sheet_name};
use quadrille_workbook::{Input, Literal, Workbook};

use super::report::Finding;

/// The table with links and titles that can be used, and the titles that were changed.
pub fn repaired(table: &Workbook) -> (Workbook, Vec<Finding>) {
    let mut workbook = table.clone();
    let (mut findings, mut titles) = (Vec::new(), BTreeSet::new());
    let sheet = &table.sheets()[0];
    let rows = sheet.used_range().map_or(0, |used| used.last().row.get() + 1);
    let text = |row, column| match sheet.input(CellAddress::clamped(row, column)) {
        Input::Value(Literal::Text(text)) => text.to_string(),
        // EtherCalc's page sends titles such as 2026 as numbers.
        Input::Value(Literal::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    for row in 0..rows {
        let link = text(row, 0);
        if !link.starts_with('/') {
            continue;
        }
        let decoded = percent_decode_str(&link).decode_utf8_lossy().into_owned();
        let title = text(row, 1);
        let now = usable(&title, &mut titles);
        if now != title {
            findings.push(Finding::Title { title: title.clone(), now: now.clone() });
        }
        for (column, text) in [(0, decoded), (1, now)] {
            let range = Range::cell(CellAddress::clamped(row, column));
            let inputs = vec![Input::Value(Literal::Text(text.into()))];
            apply_operation(&mut workbook, &Operation::SetCells { sheet: sheet.id(), range, inputs });
        }
    }
    (workbook, findings)
}

/// A title that a sheet can have and no other one has; empty if it is empty.
fn usable(title: &str, titles: &mut BTreeSet<String>) -> String {
    if title.is_empty() {
        return String::new();
    }
    let is_valid = |name: &str| validate_sheet_name(name, &Limits::DEFAULT).is_ok();
    let mut name = title.to_owned();
    if !is_valid(&name) {
        let replaced = |c: char| if c.is_control() || "[]:*?/\\".contains(c) { ' ' } else { c };
        let length = Limits::DEFAULT.sheet_name_length;
        name =
            title.chars().map(replaced).take(length).collect::<String>().trim_matches([' ', '\'']).to_owned();
        if !is_valid(&name) {
            "Sheet".clone_into(&mut name);
        }
    }
    let mut unique = name.clone();
    let mut number = 2;
    while !titles.insert(unique.to_lowercase()) {
        let suffix = format!(" ({number})");
        let length = Limits::DEFAULT.sheet_name_length - suffix.len();
        unique = name.chars().take(length).collect::<String>() + &suffix;
        number += 1;
    }
    unique
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_become_names_that_sheets_can_have() {
        let mut titles = BTreeSet::new();
        let long = "x".repeat(200);
        let cut = "x".repeat(Limits::DEFAULT.sheet_name_length);
        for (title, name) in [
            ("North", "North"),
            ("north", "north (2)"),
            ("a/b: c?", "a b  c"),
            ("'quoted'", "quoted"),
            ("", ""),
            ("", ""),
            ("???", "Sheet"),
            (&long, &cut),
        ] {
            assert_eq!(usable(title, &mut titles), name);
        }
    }
}
