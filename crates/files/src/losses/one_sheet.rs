//! What a file with the displayed texts of one sheet leaves out.

use quadrille_cell::{CellAddress, Range};
use quadrille_workbook::{Format, Sheet, Workbook};

use super::collected::Losses;
use super::formulas::add_all;
use super::items::add_omitted;
use super::loss::LossKind;
use crate::displayed_rows::{Numbers, rounded_numbers};
use crate::file_format::FileFormat;
use crate::printed_name::printed_name;
use crate::write_options::WriteOptions;

/// Adds the losses of a workbook of which only `sheet` is written.
pub fn find(
    workbook: &Workbook,
    sheet: &Sheet,
    format: FileFormat,
    options: &WriteOptions,
    losses: &mut Losses,
) {
    for other in workbook.sheets().iter().filter(|other| other.id() != sheet.id()) {
        losses.add(LossKind::OtherSheets, None, &[], other.name());
    }
    for (name, _) in workbook.names() {
        losses.add(LossKind::Names, None, &[], &printed_name(name, workbook));
    }
    add_all(sheet, losses);
    if options.numbers == Numbers::AsShown {
        let dates = workbook.date_system();
        rounded_numbers(sheet, dates, |row, column| {
            losses.add(LossKind::Digits, Some(sheet), &[Range::cell(CellAddress::clamped(row, column))], "");
        });
    }
    match format {
        FileFormat::Html => add_formats(sheet, LossKind::FormatDetails, losses, has_details),
        _ => {
            add_formats(sheet, LossKind::Formats, losses, is_formatted);
            add_formats(sheet, LossKind::RichText, losses, |format| format.text_format.is_some());
        }
    }
    for (_, item) in sheet.items().iter() {
        add_omitted(sheet, item, losses);
    }
}

/// Adds the smallest range with all cells whose format is lost, as far as they are used.
fn add_formats(sheet: &Sheet, kind: LossKind, losses: &mut Losses, is_lost: impl Fn(&Format) -> bool) {
    let lost = sheet.format_runs(Range::whole_sheet()).filter(|(_, format)| is_lost(format));
    let Some(all) = lost.map(|(range, _)| range).reduce(Range::union) else { return };
    let used = sheet.used_range().and_then(|used| used.intersection(all));
    losses.add(kind, Some(sheet), &[used.unwrap_or(all)], "");
}

/// Whether more than the text of a cell, which has its number format, depends on the format.
fn is_formatted(format: &Format) -> bool {
    let plain = Format { number_format: None, text_format: None, ..format.clone() };
    plain != Format::default()
}

/// Whether a format has what pages do not: see the writer of HTML.
fn has_details(format: &Format) -> bool {
    let sides = [format.border_top, format.border_right, format.border_bottom, format.border_left];
    sides.iter().any(Option::is_some)
        || format.font_family.is_some()
        || format.font_size.is_some()
        || format.indent > 0
        || format.rotation.degrees() != 0
}
