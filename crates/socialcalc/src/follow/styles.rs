//! Formats of cells as commands.

use quadrille_cell::Range;
use quadrille_files::socialcalc_styles::{
    print_border, print_color, print_font, print_horizontal, print_layout, print_number_format,
    print_text_format,
};
use quadrille_workbook::{Format, FormatPatch, Sheet};

use super::command_text::FOLLOWED_CELLS_MAX;

/// Cells of a range that SocialCalc makes for a format, at most; of a larger range only the part
/// with contents gets it.
const FORMATTED_CELLS_MAX: u64 = 10_000;

/// Which attributes a command sets.
struct Attributes {
    number_format: bool,
    text_format: bool,
    font: bool,
    color: bool,
    fill: bool,
    horizontal: bool,
    vertical: bool,
    borders: [bool; 4],
}

/// All attributes of a range; `None` for too many different formats.
pub(super) fn all(sheet: &Sheet, range: Range) -> Option<Vec<String>> {
    let attributes = Attributes {
        number_format: true,
        text_format: true,
        font: true,
        color: true,
        fill: true,
        horizontal: true,
        vertical: true,
        borders: [true; 4],
    };
    commands(sheet, range, &attributes)
}

/// The attributes of a range that a patch has changed.
pub(super) fn changed(sheet: &Sheet, range: Range, patch: &FormatPatch) -> Option<Vec<String>> {
    let attributes = Attributes {
        number_format: patch.number_format.is_some(),
        text_format: patch.text_format.is_some(),
        font: patch.bold.is_some()
            || patch.italic.is_some()
            || patch.font_family.is_some()
            || patch.font_size.is_some(),
        color: patch.text_color.is_some(),
        fill: patch.fill_color.is_some(),
        horizontal: patch.horizontal.is_some(),
        vertical: patch.vertical.is_some(),
        borders: [
            patch.border_top.is_some(),
            patch.border_right.is_some(),
            patch.border_bottom.is_some(),
            patch.border_left.is_some(),
        ],
    };
    commands(sheet, range, &attributes)
}

fn commands(sheet: &Sheet, range: Range, attributes: &Attributes) -> Option<Vec<String>> {
    let shown = match range.cell_count() <= FORMATTED_CELLS_MAX {
        true => Some(range),
        false => sheet.used_range().and_then(|used| range.intersection(used)),
    };
    let Some(shown) = shown else { return Some(Vec::new()) };
    let mut commands = Vec::new();
    // Cells between the runs have the default format.
    let mut plain = vec![shown];
    for (run, format) in sheet.format_runs(shown) {
        let Some(run) = run.intersection(shown) else { continue };
        plain = plain.into_iter().flat_map(|rest| rest.subtract(run)).collect();
        commands.extend(of_format(run, format, attributes));
        if commands.len() as u64 > FOLLOWED_CELLS_MAX || plain.len() as u64 > FOLLOWED_CELLS_MAX {
            return None;
        }
    }
    let default = Format::default();
    commands.extend(plain.into_iter().flat_map(|range| of_format(range, &default, attributes)));
    Some(commands)
}

/// The commands that give a range attributes of a format. An attribute without a value is the
/// default.
fn of_format(range: Range, format: &Format, attributes: &Attributes) -> Vec<String> {
    let mut commands = Vec::new();
    let mut set = |is_set: bool, name: &str, value: String| {
        if is_set {
            commands.push(format!("set {range} {name} {value}"));
        }
    };
    let code = format.number_format.as_deref().map_or("", print_number_format);
    set(attributes.number_format, "nontextvalueformat", code.to_owned());
    let text_format = format.text_format.map_or("", print_text_format);
    set(attributes.text_format, "textvalueformat", text_format.to_owned());
    set(attributes.font, "font", print_font(format).unwrap_or_else(|| "* * *".to_owned()));
    set(attributes.color, "color", format.text_color.map(print_color).unwrap_or_default());
    set(attributes.fill, "bgcolor", format.fill_color.map(print_color).unwrap_or_default());
    let horizontal = format.horizontal.map_or("", print_horizontal);
    set(attributes.horizontal, "cellformat", horizontal.to_owned());
    set(attributes.vertical, "layout", format.vertical.map(print_layout).unwrap_or_default());
    let borders = [
        ("bt", format.border_top),
        ("br", format.border_right),
        ("bb", format.border_bottom),
        ("bl", format.border_left),
    ];
    for ((name, border), is_set) in borders.into_iter().zip(attributes.borders) {
        set(is_set, name, border.map(print_border).unwrap_or_default());
    }
    commands
}
