//! Dates that come into a workbook, or go where they count from another day.

use std::borrow::Cow;

use quadrille_cell::{DateSystem, Range, canonical_number};
use quadrille_number_format::NumberFormat;
use quadrille_workbook::{Format, Input, Literal, Workbook};

/// The workbook with the numbers that its cells show as days counting from another day. Formulas stay, as do numbers that show a
/// time of day alone, and those that nobody sees to be days.
pub(crate) fn recounted(workbook: &Workbook, dates: DateSystem) -> Cow<'_, Workbook> {
    let later = days_later(workbook.date_system(), dates);
    if later == 0.0 {
        return Cow::Borrowed(workbook);
    }
    let mut recounted = workbook.clone();
    for sheet in workbook.sheets() {
        let Some(used) = sheet.used_range() else { continue };
        for (range, format) in sheet.format_runs(Range::whole_sheet()) {
            let Some(range) = range.intersection(used).filter(|_| shows_day(format)) else { continue };
            for (cell, input) in sheet.inputs_in(range) {
                let Input::Value(Literal::Number(number)) = input else { continue };
                // What lay before the first day keeps its number, as it shows no day here.
                let moved = canonical_number(number + later).filter(|moved| number >= 0.0 && *moved >= 0.0);
                if let (Some(moved), Some(sheet)) = (moved, recounted.sheet_mut(sheet.id())) {
                    sheet.set_input(cell, &Input::Value(Literal::Number(moved)));
                }
            }
        }
    }
    Cow::Owned(recounted)
}

/// What is added to the number of a day.
pub(crate) fn days_later(from: DateSystem, to: DateSystem) -> f64 {
    (from.offset_from_1900() - to.offset_from_1900()) as f64
}

pub(crate) fn shows_day(format: &Format) -> bool {
    format.number_format.as_deref().is_some_and(|code| NumberFormat::parse(code).shows_day())
}
