//! Names of sheets as other programs allow them.

use quadrille_cell::SheetId;
use quadrille_workbook::Workbook;

/// The workbook with names of sheets that Excel and LibreOffice allow, so that every formula of a
/// file has them: without `[]:*?/\\`, of at most `length_max` characters, unique with a number in
/// parentheses.
pub(crate) fn with_titles(workbook: &Workbook, length_max: Option<usize>) -> Workbook {
    let length_max = length_max.unwrap_or(usize::MAX);
    let mut titles: Vec<String> = Vec::new();
    for sheet in workbook.sheets() {
        titles.push(title(sheet.name(), &titles, length_max));
    }
    let mut renamed = workbook.clone();
    let is_same = workbook.sheets().iter().zip(&titles).all(|(sheet, title)| **sheet.name() == **title);
    if is_same {
        return renamed;
    }
    let sheets: Vec<SheetId> = workbook.sheets().iter().map(|sheet| sheet.id()).collect();
    // First to names that no sheet has: a title can be the name of a later sheet.
    for (position, id) in sheets.iter().enumerate() {
        renamed.rename_sheet(*id, &format!("\u{1}{position}"));
    }
    for (id, title) in sheets.iter().zip(&titles) {
        let is_renamed = renamed.rename_sheet(*id, title);
        debug_assert!(is_renamed, "titles are unique");
    }
    renamed
}

/// The names of sheets that are written under another name, each with that name.
pub(crate) fn changed_titles(workbook: &Workbook, length_max: Option<usize>) -> Vec<(String, String)> {
    let titled = with_titles(workbook, length_max);
    let pairs = workbook.sheets().iter().zip(titled.sheets());
    let pairs = pairs.map(|(sheet, titled)| (sheet.name().to_string(), titled.name().to_string()));
    pairs.filter(|(name, title)| name != title).collect()
}

fn title(name: &str, taken: &[String], length_max: usize) -> String {
    let clean: String = name.chars().map(|c| if "[]:*?/\\".contains(c) { ' ' } else { c }).collect();
    let clean = clean.trim_matches('\'');
    let is_blank = clean.chars().take(length_max).all(char::is_whitespace);
    let clean = if is_blank { "Sheet" } else { clean };
    let shortened = |length: usize| clean.chars().take(length).collect::<String>();
    let is_free = |title: &String| !taken.iter().any(|other| other.to_lowercase() == title.to_lowercase());
    // Up to ` (999)`: a workbook has fewer sheets.
    let numbered = (2..).map(|n| format!("{} ({n})", shortened(length_max - 6)));
    let mut candidates = std::iter::once(shortened(length_max)).chain(numbered);
    candidates.find(is_free).expect("there are more numbers than sheets")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_allowed_and_unique() {
        let mut workbook = Workbook::new();
        for (position, name) in
            ["a/b", "a b", "'q'", "????????????????????????????????? long"].iter().enumerate()
        {
            assert!(workbook.add_sheet(SheetId(position as u32 + 2), name, position + 1));
        }
        let titles = |length| {
            let titled = with_titles(&workbook, length);
            titled.sheets().iter().map(|sheet| sheet.name().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(titles(Some(31)), ["Sheet1", "a b", "a b (2)", "q", "Sheet"]);
        assert_eq!(titles(None)[4].trim(), "long");
    }
}
