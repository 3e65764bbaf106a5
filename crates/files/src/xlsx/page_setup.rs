//! Reads the view and print settings of a sheet.

use super::colors::Theme;
use super::xml::Element;
use crate::contents::FieldTexts;
use quadrille_operation::ItemValue;
use quadrille_workbook::Field;

/// Paper sizes by number (ECMA-376 part 1, 18.3.1.63) with their names in items.
pub const PAPERS: [(u8, &str); 10] = [
    (1, "letter"),
    (3, "tabloid"),
    (5, "legal"),
    (7, "executive"),
    (8, "a3"),
    (9, "a4"),
    (11, "a5"),
    (70, "a6"),
    (12, "b4"),
    (13, "b5"),
];

/// Reads an element of the worksheet part that contains settings. Returns `false` for other
/// elements.
pub fn read(settings: &mut FieldTexts, element: &Element, theme: &Theme) -> bool {
    match element.name() {
        "sheetPr" => settings.text(Field::CodeName, element.attribute("codeName")),
        "tabColor" => settings.color(Field::TabColor, theme.color(element)),
        "sheetView" => {
            settings.flag(Field::ShowGridlines, element.flag("showGridLines"), true);
            settings.flag(Field::ShowHeadings, element.flag("showRowColHeaders"), true);
            settings.flag(Field::ShowFormulas, element.flag("showFormulas"), false);
            settings.flag(Field::ShowZeros, element.flag("showZeros"), true);
            settings.flag(Field::RightToLeft, element.flag("rightToLeft"), false);
            let zoom = element.number::<f64>("zoomScale").filter(|zoom| *zoom != 100.0);
            settings.number(Field::Zoom, zoom);
        }
        "pane" if element.attribute("state").is_some_and(|state| state.starts_with("frozen")) => {
            settings.number(Field::FrozenColumns, element.number("xSplit"));
            settings.number(Field::FrozenRows, element.number("ySplit"));
        }
        "pageMargins" => {
            for (field, name) in [
                (Field::MarginLeft, "left"),
                (Field::MarginRight, "right"),
                (Field::MarginTop, "top"),
                (Field::MarginBottom, "bottom"),
                (Field::MarginHeader, "header"),
                (Field::MarginFooter, "footer"),
            ] {
                settings.number(field, element.number(name));
            }
        }
        "pageSetup" => {
            let paper: Option<u8> = element.number("paperSize");
            let known = paper.and_then(|paper| PAPERS.iter().find(|(number, _)| *number == paper));
            settings.text(Field::Paper, known.map(|(_, name)| *name));
            let orientation = element.attribute("orientation");
            settings.text(
                Field::Orientation,
                orientation.filter(|orientation| orientation == "landscape" || orientation == "portrait"),
            );
            settings.number(Field::Scale, element.number::<f64>("scale").filter(|scale| *scale != 100.0));
            for (field, name) in [(Field::FitToWidth, "fitToWidth"), (Field::FitToHeight, "fitToHeight")] {
                settings.number(field, element.number(name));
            }
        }
        "printOptions" => {
            settings.flag(Field::PrintGridlines, element.flag("gridLines"), false);
            settings.flag(Field::PrintHeadings, element.flag("headings"), false);
            settings.flag(Field::CenterHorizontally, element.flag("horizontalCentered"), false);
            settings.flag(Field::CenterVertically, element.flag("verticalCentered"), false);
        }
        _ => return false,
    }
    true
}

/// Splits a header or footer such as `&LLeft&CCenter&RRight` into its three sections.
pub fn header(settings: &mut FieldTexts, text: &str, fields: [Field; 3]) {
    let mut parts = [String::new(), String::new(), String::new()];
    let mut current = 1;
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        let section = match (next, rest.peek()) {
            ('&', Some('L')) => Some(0),
            ('&', Some('C')) => Some(1),
            ('&', Some('R')) => Some(2),
            _ => None,
        };
        match section {
            Some(section) => {
                rest.next();
                current = section;
            }
            None => parts[current].push(next),
        }
    }
    for (field, part) in fields.into_iter().zip(parts) {
        settings.text(field, Some(part));
    }
}

/// Removes the numbers of pages to fit on, which have no effect without `fitToPage`.
pub fn clear_fit(settings: &mut FieldTexts) {
    for field in [Field::FitToWidth, Field::FitToHeight] {
        settings.0.remove(field.name());
    }
}

/// Completes `fitToPage`: a missing number of pages is 1.
pub fn set_default_fit(settings: &mut FieldTexts) {
    for field in [Field::FitToWidth, Field::FitToHeight] {
        settings.0.entry(field.name().to_owned()).or_insert(ItemValue::Number(1.0));
    }
}
